/** `trainlets report`: rebuild the page of a run, from the folder of its report. */

import { join } from "node:path";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { grouped } from "../../core/formatText.js";
import { fileExists, writeFileAtomic } from "../../data/node/files.js";
import { requireOutput } from "../../data/node/outputs.js";
import { atomsName, pageName } from "../../report/node/liveReport.js";
import { metricsName, readMetrics } from "../../report/node/metricsFile.js";
import { readRegular, replaceRegular } from "../../report/node/regularFile.js";
import { runPage } from "../../report/runPage.js";
import { option } from "../terminal/flags.js";
import { stderr } from "../terminal/output.js";
import { printDone, type ResultFlags, withResultOptions } from "../terminal/results.js";

const examples = `
Examples:
  trainlets train photos/ --patch 16 -o dict.npz --report run
  trainlets report run                  rebuilds run/report.html
  trainlets report run -o summary.html`;

export function reportCommand(): Command {
  const command = new Command("report")
    .summary("rebuild the report page of a training run")
    .description(`Rebuild ${pageName} from the folder that train --report wrote.`)
    .usage("<folder> [options]")
    .argument("<folder>", `folder written by train --report (contains ${metricsName})`)
    .addOption(option("-o, --output <file>", "page to write (.html)", undefined, `${pageName} in the folder`))
    .addHelpText("after", examples)
    .action(runReport);
  return withResultOptions(command);
}

async function runReport(folder: string, flags: ResultFlags & { output?: string }): Promise<void> {
  const { output } = flags;
  const metrics = join(folder, metricsName);
  if (!(await fileExists(folder))) throw new InputError(`no such folder: ${folder}`);
  if (!(await fileExists(metrics)))
    throw new InputError(`${folder} is not a report folder: it has no ${metricsName}`);
  const record = await readMetrics(metrics);
  const target = output ?? join(folder, pageName);
  await requireOutput(target, [".html"], [metrics]);
  const atoms = await readAtoms(folder);
  const page = new TextEncoder().encode(runPage(record, { atoms, now: new Date() }));
  await (output === undefined ? replaceRegular : writeFileAtomic)(target, page);
  const state = record.end ? `ended (${record.end.ended})` : "no end recorded";
  const examples = record.last?.examples ?? 0;
  printDone({ ...flags, output: target }, `${target}: ${grouped(examples)} examples, ${state}`, {
    output: target,
    examples,
    ended: record.end?.ended ?? null,
  });
}

/** The most bytes of the picture of the atoms; a run writes far fewer. */
const mostPictureBytes = 2 ** 24;

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The picture of the atoms, if it can be one that a run wrote. */
async function readAtoms(folder: string): Promise<Uint8Array | undefined> {
  const path = join(folder, atomsName);
  const bytes = readRegular(path, mostPictureBytes);
  if (bytes && pngSignature.every((byte, i) => bytes[i] === byte)) return bytes;
  if (await fileExists(path))
    stderr.write(`report: ${path} is left out: it is not a picture that a run wrote\n`);
  return undefined;
}
