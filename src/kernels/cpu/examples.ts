/** Windows of signals as columns, and back: assembly/windows.ts. */

import { extentOf, lineOffsets, sizeOf } from "../../core/shape.js";
import type { ExampleOperations } from "../contract.js";
import { sampleBlock } from "./assembly/constants.js";
import { dense, signals } from "./handles.js";
import type { CpuMemory } from "./memory.js";
import type { Pool } from "./pool.js";

export function exampleOperations(pool: Pool, memory: CpuMemory): ExampleOperations {
  const { arena } = memory;
  return {
    async extract(store, windows, patch, Y, means) {
      const { at: samples, firsts, kinds, shapes } = signals(store);
      const N = Y.cols;
      const length = patch[patch.length - 1];
      const lines = sizeOf(patch) / length;
      const offsets: number[] = [];
      const layouts = new Map<number, number>(); // where the offsets of a shape start
      const layoutOf = (kind: number): number => {
        const known = layouts.get(kind) ?? offsets.push(...lineOffsets(shapes[kind], patch)) - lines;
        layouts.set(kind, known);
        return known;
      };
      const starts = new Uint32Array(N);
      const chosen = new Uint32Array(N);
      for (let i = 0; i < N; i++) {
        const signal = windows.signal[i];
        starts[i] = firsts[signal] + windows.start[i];
        chosen[i] = layoutOf(kinds[signal]);
      }
      const at = memory.stage((2 * N + offsets.length) * 4);
      arena.u32(at, N).set(starts);
      arena.u32(at + N * 4, N).set(chosen);
      arena.u32(at + 2 * N * 4, offsets.length).set(offsets);
      const args = {
        samples,
        starts: at,
        layouts: at + N * 4,
        offsets: at + 2 * N * 4,
        lines,
        length,
        Y: dense(Y).at,
        means: means ? dense(means).at : 0,
      };
      await pool.run("extract", args, N, 64);
    },

    async addWindows(Y, means, start, patch, shape, sum) {
      const N = Y.cols;
      if (N === 0) return;
      const offsets = lineOffsets(shape, patch);
      const length = patch[patch.length - 1];
      const at = memory.stage((N + offsets.length) * 4);
      arena.u32(at, N).set(start);
      arena.u32(at + N * 4, offsets.length).set(offsets);
      const [begin, last] = extentOf(start);
      const end = last + offsets[offsets.length - 1] + length;
      const args = {
        starts: at,
        examples: N,
        offsets: at + N * 4,
        lines: offsets.length,
        length,
        Y: dense(Y).at,
        means: means ? dense(means).at : 0,
        sum: dense(sum).at,
        begin,
        end,
      };
      await pool.run("addWindows", args, Math.ceil((end - begin) / sampleBlock), 1);
    },
  };
}
