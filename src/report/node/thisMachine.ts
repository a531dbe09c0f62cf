/** What the record of a run says of this machine, measured now: hardware, memory in use, free disk space. */

import { statfs } from "node:fs/promises";
import { arch, availableParallelism, cpus, release, totalmem, type } from "node:os";
import { memoryUsage, version as nodeVersion } from "node:process";
import type { Kernels } from "../../kernels/contract.js";
import type { MemoryUse } from "../followRun.js";
import type { Machine } from "../runRecord.js";

export function thisMachine({ name, description }: Pick<Kernels, "name" | "description">): Machine {
  return {
    device: name,
    description,
    processor: cpus()[0]?.model.trim() || arch(),
    cores: availableParallelism(),
    memory: totalmem(),
    system: `${type()} ${release()}`,
    node: nodeVersion,
  };
}

export function memoryNow({ name, memory }: Pick<Kernels, "name" | "memory">): MemoryUse {
  return { process: memoryUsage.rss(), ...(name === "gpu" ? { device: memory.used } : {}) };
}

/** Free bytes on the disk of a folder; undefined where the file system does not report it. */
export async function freeSpace(folder: string): Promise<number | undefined> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  );
}
