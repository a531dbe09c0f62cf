/** `trainlets report`: write the page of a run again, from the folder of its report. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { stdout } from "node:process";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { grouped } from "../../core/formatText.js";
import { readFileBytes, requireOutput, writeFileAtomic } from "../../data/node/files.js";
import { atomsName, pageName } from "../../report/node/liveReport.js";
import { metricsName, readMetrics } from "../../report/node/metricsFile.js";
import { runPage } from "../../report/runPage.js";
import { option } from "../terminal/flags.js";

const examples = `
Examples:
  trainlets train photos/ --patch 16 -o dict.npz --report run
  trainlets report run                  writes run/report.html again
  trainlets report run -o summary.html`;

export function reportCommand(): Command {
  return new Command("report")
    .summary("write the page of a training run again")
    .description("Write the page of a training run again, from the folder of train --report.")
    .usage("<folder> [options]")
    .argument("<folder>", `folder of train --report, which holds ${metricsName}`)
    .addOption(option("-o, --output <file>", "page to write (.html)", undefined, `${pageName} in the folder`))
    .addHelpText("after", examples)
    .action(runReport);
}

async function runReport(
  folder: string,
  { output = join(folder, pageName) }: { output?: string },
): Promise<void> {
  const metrics = join(folder, metricsName);
  if (!existsSync(folder)) throw new InputError(`no such folder: ${folder}`);
  if (!existsSync(metrics))
    throw new InputError(`${folder} is not the folder of a report: it has no ${metricsName}`);
  const record = await readMetrics(metrics);
  await requireOutput(output, [".html"]);
  const picture = join(folder, atomsName);
  const atoms = existsSync(picture) ? await readFileBytes(picture) : undefined;
  const page = runPage(record, { atoms, now: new Date() });
  await writeFileAtomic(output, new TextEncoder().encode(page));
  const state = record.end ? `ended (${record.end.ended})` : "no end recorded";
  stdout.write(`${output}: ${grouped(record.last?.examples ?? 0)} examples, ${state}\n`);
}
