/** `trainlets demo`, which is `npm start`. */

import { Command } from "commander";
import { type DeviceFlags, withDeviceOptions } from "../terminal/device.js";
import { option } from "../terminal/flags.js";

const defaultFolder = "out/demo";

export function demoCommand(): Command {
  const command = new Command("demo")
    .summary("learn from made-up pictures, and show it on a page")
    .description("Learn a dictionary from pictures made on the spot, and leave a page that shows it.")
    .addOption(option("-o, --output <folder>", "where the results go", undefined, defaultFolder))
    .action(async ({ output = defaultFolder, ...device }: DeviceFlags & { readonly output?: string }) => {
      const { runDemo } = await import("../terminal/demoRun.js"); // here alone: charts take a while to load
      await runDemo({ output, ...device });
    });
  return withDeviceOptions(command);
}
