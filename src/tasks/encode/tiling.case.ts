/** Grids of windows over signals, for property tests. */

import fc from "fast-check";

/** One to three axes; a signal at least as large as the patch, and strides at most the patch. */
export const grids = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(6), fc.integer({ min: 1, max: 5 })), {
    minLength: 1,
    maxLength: 3,
  })
  .map((axes) => ({
    patch: axes.map(([size]) => size),
    shape: axes.map(([size, more]) => size + more),
    stride: axes.map(([size, , step]) => Math.min(size, step)),
  }));
