/** The machine of a run and the memory in use, as the record of the run keeps them. */

import { byteSize } from "../core/formatText.js";

export interface Machine {
  /** What computes: the name of the kernels, and what they run on. */
  readonly device: string;
  readonly description: string;
  readonly processor: string;
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
  readonly system: string;
  readonly node: string;
}

/** Bytes in use. */
export interface MemoryUse {
  /** By the process, the cpu kernels included. */
  readonly process: number;
  /** On a GPU. */
  readonly device?: number;
}

/** `312 MiB`; with a GPU `312 MiB + 1.8 GiB on the GPU`. */
export function describeUse({ process, device }: MemoryUse): string {
  return device === undefined ? byteSize(process) : `${byteSize(process)} + ${byteSize(device)} on the GPU`;
}
