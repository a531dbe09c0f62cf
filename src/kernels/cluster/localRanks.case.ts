/** Ranks within one process, for tests: each waits for the others as those of a cluster do. */

import type { Kernels } from "../contract.js";
import type { Communicator, Rates } from "./communicator.js";
import { followKernels } from "./follower.js";
import { leadKernels } from "./leader.js";

interface Meeting {
  readonly arrived: { readonly buffer: Uint8Array; readonly starts: readonly number[] }[];
  readonly all: Promise<void>;
  readonly open: () => void;
}

/** Rates at which all that can be divided is, and at which nothing is. */
export const dividesAll: Rates = { bytes: Number.POSITIVE_INFINITY, products: 1 };
export const dividesNothing: Rates = { bytes: 1, products: Number.POSITIVE_INFINITY };

export function localRanks(size: number, rates: Rates = dividesAll): Communicator[] {
  const meetings: Meeting[] = [];
  const meetingAt = (index: number): Meeting => {
    if (!meetings[index]) {
      let open = () => {};
      const all = new Promise<void>((resolve) => (open = resolve));
      meetings[index] = { arrived: [], all, open };
    }
    return meetings[index];
  };
  return Array.from({ length: size }, (_, rank) => {
    let calls = 0;
    return {
      rank,
      size,
      rates,
      async broadcast(buffer) {
        const { arrived, all, open } = meetingAt(calls++);
        arrived[rank] = { buffer: buffer.slice(), starts: [] };
        if (arrived.filter(Boolean).length === size) open();
        await all;
        if (arrived[0].buffer.length !== buffer.length) throw new Error("the ranks disagree");
        buffer.set(arrived[0].buffer);
      },
      async allGather(buffer, starts) {
        const { arrived, all, open } = meetingAt(calls++);
        arrived[rank] = { buffer: buffer.slice(), starts };
        if (arrived.filter(Boolean).length === size) open();
        await all;
        arrived.forEach((other, r) => {
          if (String(other.starts) !== String(starts)) throw new Error("the ranks disagree");
          buffer.set(other.buffer.subarray(starts[r], starts[r + 1]), starts[r]);
        });
      },
    };
  });
}

/** Kernels on ranks of this process; the other ranks end when they are closed. */
export async function localCluster(
  size: number,
  create: () => Promise<Kernels>,
  rates?: Rates,
): Promise<Kernels> {
  const [first, ...others] = localRanks(size, rates);
  const followed = others.map(async (ranks) => followKernels(await create(), ranks));
  const kernels = leadKernels(await create(), first);
  const close = async () => {
    await kernels.close();
    await Promise.all(followed);
  };
  return Object.defineProperty({ ...kernels, close }, "memory", { get: () => kernels.memory });
}
