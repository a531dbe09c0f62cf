/** What `trainlets train` says of its data: how they are held, and what of them could not be read. */

import { describeMemory, type TrainPlan } from "../../learn/run/setup.js";
import { counted, grouped } from "./progress.js";

/** How the data are held, and the memory that takes besides what the kernels need. */
export function describeHolding({ holds, hostMemory, groupSamples }: TrainPlan): string {
  const what = {
    signals: "data in memory",
    windows: "data larger than memory: the patches are copied out of them",
    groups: `data larger than memory: read in groups of ${grouped(groupSamples)} samples`,
  }[holds];
  return `${what}, ${describeMemory(hostMemory)} besides`;
}

/** Names given of the files that could not be read. */
const named = 3;

/** `2 files could not be read (a.png, b.png), 1,234 examples left out`; nothing where all could. */
export function describeUnread(unread: {
  readonly files: readonly string[];
  readonly examples: number;
}): string {
  const { files, examples } = unread;
  if (files.length === 0) return "";
  const names = files.slice(0, named).join(", ") + (files.length > named ? ", …" : "");
  const left = examples > 0 ? `, ${counted(examples, "example")} left out` : ""; // none of a set that was read whole
  return `${counted(files.length, "file")} could not be read (${names})${left}`;
}
