/** `trainlets report`: rebuild the page of a run, from the folder of its report. */

import { join } from "node:path";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { grouped } from "../../core/formatText.js";
import { fileExists, readFileBytes, writeFileAtomic } from "../../data/node/files.js";
import { requireOutput } from "../../data/node/outputs.js";
import { atomsName, pageName } from "../../report/node/liveReport.js";
import { metricsName, readMetrics } from "../../report/node/metricsFile.js";
import { runPage } from "../../report/runPage.js";
import { option } from "../terminal/flags.js";
import { stdout } from "../terminal/output.js";

const examples = `
Examples:
  trainlets train photos/ --patch 16 -o dict.npz --report run
  trainlets report run                  rebuilds run/report.html
  trainlets report run -o summary.html`;

export function reportCommand(): Command {
  return new Command("report")
    .summary("rebuild the report page of a training run")
    .description(`Rebuild ${pageName} from the folder that train --report wrote.`)
    .usage("<folder> [options]")
    .argument("<folder>", `folder written by train --report (contains ${metricsName})`)
    .addOption(option("-o, --output <file>", "page to write (.html)", undefined, `${pageName} in the folder`))
    .addHelpText("after", examples)
    .action(runReport);
}

async function runReport(
  folder: string,
  { output = join(folder, pageName) }: { output?: string },
): Promise<void> {
  const metrics = join(folder, metricsName);
  if (!(await fileExists(folder))) throw new InputError(`no such folder: ${folder}`);
  if (!(await fileExists(metrics)))
    throw new InputError(`${folder} is not a report folder: it has no ${metricsName}`);
  const record = await readMetrics(metrics);
  await requireOutput(output, [".html"], [metrics]);
  const picture = join(folder, atomsName);
  const atoms = (await fileExists(picture)) ? await readFileBytes(picture) : undefined;
  const page = runPage(record, { atoms, now: new Date() });
  await writeFileAtomic(output, new TextEncoder().encode(page));
  const state = record.end ? `ended (${record.end.ended})` : "no end recorded";
  stdout.write(`${output}: ${grouped(record.last?.examples ?? 0)} examples, ${state}\n`);
}
