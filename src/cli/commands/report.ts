/** `trainlets report`: the page of a run, made again from its folder. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { stdout } from "node:process";
import { Command } from "commander";
import { InputError } from "../../core/errors.js";
import { readFileBytes, writeFileAtomic } from "../../data/node/files.js";
import { atomsName, pageName } from "../../report/node/liveReport.js";
import { metricsName, readMetrics } from "../../report/node/metricsFile.js";
import { runPage } from "../../report/runPage.js";
import { option } from "../terminal/flags.js";
import { requireOutput } from "../terminal/outputs.js";
import { grouped } from "../terminal/progress.js";

const examples = `
Examples:
  trainlets train photos/ --patch 16 -o dict.npz --report run
  trainlets report run                  run/report.html, made again
  trainlets report run -o summary.html`;

export function reportCommand(): Command {
  return new Command("report")
    .summary("make the page of a training run again")
    .description("Make the page of a training run again, from the folder that train --report kept.")
    .usage("<folder> [options]")
    .argument("<folder>", `what train --report named: it holds ${metricsName}`)
    .addOption(
      option("-o, --output <file>", "where the page goes (.html)", undefined, `${pageName} in the folder`),
    )
    .addHelpText("after", examples)
    .action(runReport);
}

async function runReport(
  folder: string,
  { output = join(folder, pageName) }: { output?: string },
): Promise<void> {
  const metrics = join(folder, metricsName);
  if (!existsSync(folder)) throw new InputError(`report: no such folder: ${folder}`);
  if (!existsSync(metrics))
    throw new InputError(`report: ${folder} holds no ${metricsName}: no run was kept there`);
  const record = await readMetrics(metrics);
  await requireOutput(output, "report", [".html"]);
  const picture = join(folder, atomsName);
  const atoms = existsSync(picture) ? await readFileBytes(picture) : undefined;
  const page = runPage(record, { atoms, now: new Date() });
  await writeFileAtomic(output, new TextEncoder().encode(page));
  const state = record.end ? `ended (${record.end.ended})` : "not known to have ended";
  stdout.write(`${output}: ${grouped(record.last?.examples ?? 0)} examples, ${state}\n`);
}
