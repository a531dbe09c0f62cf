/** Windows of signals as columns, and back, on the device. */

import { extentOf, lineOffsets, type Shape, sizeOf } from "../../core/shape.js";
import type { ExampleOperations } from "../contract.js";
import { dense, type GpuSignals, runsOf, signals } from "./handles.js";
import type { GpuQueue } from "./queue.js";

export function exampleOperations(queue: GpuQueue): ExampleOperations {
  return {
    async extract(list, windows, patch, Y, means) {
      const store = signals(list);
      const y = dense(Y);
      const { buffer: table, startOf } = lineTable(queue, store, patch);
      const words = new Uint32Array(4 * y.cols);
      for (let i = 0; i < y.cols; i++) {
        const signal = windows.signal[i];
        words[4 * i] = store.panelOf[signal];
        words[4 * i + 1] = store.firstOf[signal] + windows.start[i];
        words[4 * i + 2] = startOf[signal];
      }
      const places = queue.scratch("windows", words.byteLength);
      queue.write(places, 0, words);
      const length = patch[patch.length - 1];
      const lines = sizeOf(patch) / length;
      const removed = means ? dense(means) : undefined;
      for (const { first, count, parts } of runsOf(y)) {
        store.panels.forEach((panel, p) => {
          const target = removed?.buffer ?? queue.scratch("none", 16);
          const params = {
            examples: count,
            lines,
            length,
            stride: y.stride,
            panel: p,
            first,
            centre: removed ? 1 : 0,
            meanStride: removed?.stride ?? 0,
          };
          queue.dispatch("extract", params, [panel, places, table, parts[0].buffer, target], [count]);
        });
      }
    },

    async addWindows(Y, means, start, patch, shape, sum) {
      const y = dense(Y);
      if (y.cols === 0) return;
      const lines = lineOffsets(shape, patch);
      const length = patch[patch.length - 1];
      const [first, last] = extentOf(start);
      const places = new Uint32Array(lines.length + last - first + 1);
      places.set(lines);
      start.forEach((at, i) => (places[lines.length + at - first] = i + 1));
      const list = queue.scratch("places of windows", places.byteLength);
      queue.write(list, 0, places);
      const samples = last - first + lines[lines.length - 1] + length;
      const added = means ? dense(means) : undefined;
      for (const { first: begin, count, parts } of runsOf(y)) {
        const params = {
          samples,
          first,
          starts: last - first + 1,
          lines: lines.length,
          length,
          stride: y.stride,
          begin,
          count,
          adds: added ? 1 : 0,
          meanStride: added?.stride ?? 0,
        };
        const buffers = [
          parts[0].buffer,
          added?.buffer ?? queue.scratch("none", 16),
          list,
          dense(sum).buffer,
        ];
        queue.dispatch("addWindows", params, buffers, [Math.ceil(samples / 64)]);
      }
    },
  };
}

/** The offsets of the lines of a window from its first sample, for every shape among the signals. */
function lineTable(queue: GpuQueue, store: GpuSignals, patch: Shape) {
  const key = patch.join();
  const known = store.tables.get(key);
  if (known) return known;
  const starts = new Map<string, number>();
  const offsets: number[] = [];
  const startOf = Uint32Array.from(store.shapes, (shape) => {
    const name = shape.join();
    const start = starts.get(name) ?? offsets.length;
    if (!starts.has(name)) offsets.push(...lineOffsets(shape, patch));
    starts.set(name, start);
    return start;
  });
  const buffer = queue.buffer(offsets.length * 4);
  queue.write(buffer, 0, Uint32Array.from(offsets));
  const table = { buffer, startOf };
  store.tables.set(key, table);
  return table;
}
