/** `trainlets atoms`: draw the atoms of a dictionary. */

import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { counted } from "../../core/formatText.js";
import { requireInteger, requireOneOf } from "../../core/require.js";
import { formatShape } from "../../core/shape.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { type AtomOrder, atomOrders, orderAtoms } from "../../figures/atoms/atomOrder.js";
import { encodePng } from "../../figures/png.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import {
  type AtomShapeFlag,
  atomShapeOption,
  dictionaryFiles,
  loadDictionary,
} from "../terminal/dictionaryFile.js";
import { choice, count, option } from "../terminal/flags.js";
import {
  printDone,
  type ResultFlags,
  requireResult,
  withResultOptions,
  writeResult,
} from "../terminal/results.js";

interface AtomsFlags extends DeviceFlags, AtomShapeFlag, ResultFlags {
  readonly output: string;
  readonly sort?: AtomOrder;
  readonly count?: number;
  readonly columns?: number;
}

const defaults = { sort: "entropy", count: 1024 } as const;

const examples = `
Examples:
  trainlets atoms dict.npz -o atoms.png
  trainlets atoms dict.npz -o most-used.png --sort use --count 100

A 1-D atom is drawn as a line. A 3-D atom is drawn as three slices through its
middle, side by side: across its first, its second and its third axis.`;

export function atomsCommand(): Command {
  const command = new Command("atoms")
    .summary("draw the atoms of a dictionary")
    .description("Draw a gallery of the atoms of a dictionary.")
    .usage("<dictionary> -o <file> [options]")
    .argument("<dictionary>", `dictionary ${dictionaryFiles}`)
    .addOption(atomShapeOption())
    .requiredOption("-o, --output <file>", "picture to write (.png), or - for standard output")
    .addOption(choice("--sort <order>", "order of the atoms", atomOrders, defaults.sort))
    .addOption(
      option(
        "--count <n>",
        "number of atoms to draw, evenly spaced in that order",
        count,
        `all, up to ${defaults.count}`,
      ),
    )
    .addOption(option("--columns <n>", "atoms per row", count, "a nearly square picture"))
    .addHelpText("after", examples)
    .action(runAtoms);
  return withResultOptions(withDeviceOptions(command));
}

async function runAtoms(path: string, flags: AtomsFlags): Promise<void> {
  const sort = requireOneOf("atoms", "order", flags.sort ?? defaults.sort, atomOrders);
  const most = requireInteger("atoms", "count", flags.count ?? defaults.count, 1);
  if (flags.columns !== undefined) requireInteger("atoms", "columns", flags.columns, 1);
  const columns = flags.columns === undefined ? {} : { columns: flags.columns };
  await requireResult(flags.output, [".png"], [path]);
  const model = await loadDictionary(path, flags);
  if (sort === "use" && !model.uses)
    throw new InputError(`--sort use needs counts of use, and ${path} has none`);
  const atoms = await onDevice(flags, (kernels) => model.atoms(kernels));
  const sorted = orderAtoms(atoms, sort, model.uses ? { uses: model.uses } : {});
  const shown = Math.min(most, sorted.length);
  const order = Array.from({ length: shown }, (_, i) => sorted[Math.floor((i * sorted.length) / shown)]);
  await writeResult(flags.output, encodePng(atomGallery(atoms, model.shape, { order, ...columns })));
  printDone(
    flags,
    `${flags.output}: ${shown} of ${counted(sorted.length, "atom")} of ${formatShape(model.shape)} by ${sort}`,
    { output: flags.output, shown, atoms: sorted.length, patch: model.shape, order },
  );
}
