/** What the record of a run says of this machine. */

import { arch, availableParallelism, cpus, release, totalmem, type } from "node:os";
import { version as nodeVersion } from "node:process";
import type { Kernels } from "../../kernels/contract.js";
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
