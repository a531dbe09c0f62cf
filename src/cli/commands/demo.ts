/** `trainlets demo`, which is `npm start`: learn from synthetic pictures, and write a page that shows it. */

import { join } from "node:path";
import { Command } from "commander";
import { clock, grouped } from "../../core/formatText.js";
import { formatShape } from "../../core/shape.js";
import { writeFileAtomic } from "../../data/node/files.js";
import { finishOutputFolder, makeOutputFolder, resultFolder } from "../../data/node/outputs.js";
import type { TrainReport } from "../../learn/run/trainingLoop.js";
import { saveModel } from "../../model/node/files.js";
import { psnr } from "../../tasks/approximate/representation.js";
import { type DeviceFlags, onDevice, withDeviceOptions } from "../terminal/device.js";
import { option } from "../terminal/flags.js";
import { stderr, stdout } from "../terminal/output.js";
import { ProgressLine } from "../terminal/progress.js";
import { printDone, type ResultFlags, withResultOptions } from "../terminal/results.js";

interface DemoFlags extends DeviceFlags, ResultFlags {
  readonly output?: string;
}

const defaultFolder = "out/demo";

export function demoCommand(): Command {
  const command = new Command("demo")
    .summary("learn from synthetic pictures")
    .description("Learn a dictionary from synthetic pictures, and write a page that shows it.")
    .addOption(option("-o, --output <folder>", "folder for the results", undefined, defaultFolder))
    .action(runDemoCommand);
  return withResultOptions(withDeviceOptions(command));
}

async function runDemoCommand({ output = defaultFolder, ...flags }: DemoFlags): Promise<void> {
  const start = performance.now();
  const { demoPictures, demoSettings, runDemo } = await import("../../experiments/demo/run.js");
  const { demoFiles } = await import("../../experiments/demo/files.js"); // loaded only here: charts take a while
  await makeOutputFolder(output, resultFolder);
  const pictures = demoPictures();
  await onDevice(flags, async (kernels) => {
    const size = formatShape(demoSettings.patch);
    const announce = flags.json || flags.quiet ? stderr : stdout;
    announce.write(
      `learning ${size} atoms from ${pictures.seen.length} synthetic pictures, on ${kernels.name}\n`,
    );
    const progress = new ProgressLine();
    const outcome = await runDemo(pictures, kernels, progressOf(progress, demoSettings.examples));
    progress.clear();
    const seconds = (performance.now() - start) / 1000;
    await saveModel(join(output, "dictionary.npz"), outcome.model);
    for (const { name, bytes } of await demoFiles(outcome, pictures.seen[0], kernels, seconds))
      await writeFileAtomic(join(output, name), bytes);
    await finishOutputFolder(output);
    const lines = outcome.results.map(({ name, rmse }) => {
      const error = rmse.toFixed(2).padStart(6);
      return `  ${name.padEnd(22)} RMSE ${error}   PSNR ${psnr(rmse).toFixed(2)} dB`;
    });
    const page = join(output, "index.html");
    printDone({ ...flags, output }, [...lines, `done in ${clock(seconds)}; open ${page}`].join("\n"), {
      output: page,
      results: outcome.results.map(({ name, rmse }) => ({ name, rmse, psnr: psnr(rmse) })),
      seconds,
    });
    const model = join(output, "dictionary.npz");
    announce.write(`explore it, or watch one learn, in a browser: npx trainlets studio ${model}\n`);
  });
}

/** Shows each report on a line, with the newest test error. */
function progressOf(progress: ProgressLine, total: number): (report: TrainReport) => void {
  let test: number | undefined;
  return ({ examples, testRmse }) => {
    test = testRmse ?? test;
    progress.show(
      [
        `${Math.round((100 * examples) / total)}%`,
        `RMSE on unseen pictures ${test?.toFixed(2)}`,
        `${grouped(examples)} examples`,
      ],
      testRmse !== undefined,
    );
  };
}
