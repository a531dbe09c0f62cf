/** Ranks within one process, for tests: each waits for the others as those of a cluster do. */

import type { Communicator } from "./communicator.js";

interface Meeting {
  readonly arrived: { readonly buffer: Uint8Array; readonly starts: readonly number[] }[];
  readonly all: Promise<void>;
  readonly open: () => void;
}

export function localRanks(size: number): Communicator[] {
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
