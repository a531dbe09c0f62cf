/** `trainlets atoms`: a picture of the atoms of a dictionary. */

import { stdout } from "node:process";
import { Command, Option } from "commander";
import { InputError } from "../core/errors.js";
import { formatShape } from "../core/shape.js";
import { requireWritable, writeFileAtomic } from "../data/node/files.js";
import { type AtomOrder, atomOrders, orderAtoms } from "../figures/atomOrder.js";
import { atomGallery } from "../figures/gallery.js";
import { encodePng } from "../figures/png.js";
import { loadModel } from "../model/node/files.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "./device.js";
import { count, option } from "./flags.js";

interface AtomsFlags extends DeviceFlags {
  readonly output: string;
  readonly sort: AtomOrder;
  readonly count?: number;
  readonly columns?: number;
}

export function atomsCommand(): Command {
  const command = new Command("atoms")
    .description("draw a gallery of the atoms of a dictionary")
    .argument("<dictionary>", "a dictionary that train wrote (.npz)")
    .requiredOption("-o, --output <file>", "where the picture goes (.png)")
    .addOption(new Option("--sort <order>", "order of the atoms").choices(atomOrders).default("entropy"))
    .addOption(option("--count <n>", "atoms to show, spread evenly over the order", count, "all, up to 1024"))
    .addOption(option("--columns <n>", "atoms in a row", count, "a near-square picture"))
    .action(runAtoms);
  return withDeviceOptions(command);
}

async function runAtoms(path: string, flags: AtomsFlags): Promise<void> {
  const model = await loadModel(path);
  await requireWritable(flags.output, "atoms");
  if (flags.sort === "use" && !model.uses)
    throw new InputError(`atoms: --sort use needs counts of use, which ${path} has not`);
  const atoms = await onDevice(flags, "atoms", (kernels) => model.atoms(kernels));
  const sorted = orderAtoms(atoms, flags.sort, model.uses ? { uses: model.uses } : {});
  const shown = Math.min(flags.count ?? 1024, sorted.length);
  const order = Array.from({ length: shown }, (_, i) => sorted[Math.floor((i * sorted.length) / shown)]!);
  const columns = flags.columns === undefined ? {} : { columns: flags.columns };
  await writeFileAtomic(flags.output, encodePng(atomGallery(atoms, model.shape, { order, ...columns })));
  stdout.write(
    `${flags.output}: ${shown} of ${sorted.length} atoms of ${formatShape(model.shape)} by ${flags.sort}\n`,
  );
}
