/** `trainlets devices`: list the available devices, and why others are not available. */

import { Command } from "commander";
import { listDevices } from "../../kernels/chooseDevice.js";
import { clusterSession } from "../cluster/joined.js";
import { stdout } from "../terminal/output.js";

export function devicesCommand(): Command {
  return new Command("devices")
    .summary("list the available devices")
    .description(
      "List the available devices, best first; `auto` marks the one that --device auto uses. Started by mpirun or srun, list the ranks, their hosts and the device of each.",
    )
    .action(async () => {
      const ranks = await clusterSession()?.listRanks();
      for (const [rank, line] of ranks?.entries() ?? []) stdout.write(`rank ${rank}  ${line}\n`);
      if (ranks) return;
      const devices = await listDevices();
      const best = devices.find(({ available }) => available);
      for (const device of devices) {
        const state = device === best ? "auto" : device.available ? "yes" : "no";
        stdout.write(`${device.name.padEnd(10)} ${state.padEnd(5)} ${device.detail}\n`);
      }
    });
}
