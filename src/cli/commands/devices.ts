/** `trainlets devices`: list the available devices, and why others are not available. */

import { Command } from "commander";
import { listDevices } from "../../kernels/chooseDevice.js";
import { clusterSession } from "../cluster/joined.js";
import { printResult, type ResultFlags, withResultOptions } from "../terminal/results.js";

export function devicesCommand(): Command {
  const command = new Command("devices")
    .summary("list the available devices")
    .description(
      "List the available devices, best first; `auto` marks the one that --device auto uses. Started by mpirun or srun, list the ranks, their hosts and the device of each.",
    )
    .action(runDevices);
  return withResultOptions(command, "print a line of JSON per device, or rank, on standard output");
}

async function runDevices(flags: ResultFlags): Promise<void> {
  const ranks = await clusterSession()?.listRanks();
  for (const [rank, line] of ranks?.entries() ?? [])
    printResult(flags, `rank ${rank}  ${line}`, { rank, device: line });
  if (ranks) return;
  const devices = await listDevices();
  const best = devices.find(({ available }) => available);
  for (const device of devices) {
    const state = device === best ? "auto" : device.available ? "yes" : "no";
    const { name, detail, available } = device;
    printResult(flags, `${name.padEnd(10)} ${state.padEnd(5)} ${detail}`, {
      device: name,
      available,
      auto: device === best,
      detail,
    });
  }
}
