/** `trainlets devices`: where training can be computed, and why elsewhere it cannot. */

import { stdout } from "node:process";
import { Command } from "commander";
import { listDevices } from "../../kernels/choose.js";

export function devicesCommand(): Command {
  return new Command("devices")
    .summary("list what there is to compute on")
    .description("List what there is to compute on, best first; `auto` is what --device auto takes.")
    .action(async () => {
      const devices = await listDevices();
      const best = devices.find(({ available }) => available);
      for (const device of devices) {
        const state = device === best ? "auto" : device.available ? "yes" : "no";
        stdout.write(`${device.name.padEnd(10)} ${state.padEnd(5)} ${device.detail}\n`);
      }
    });
}
