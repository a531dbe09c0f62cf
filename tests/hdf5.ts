/** Whether the optional package that reads HDF5 files is installed; without it, tests that need it are skipped. */

import { skippedBecause } from "./missing.js";

export const hasHdf5 = await import("h5wasm/node").then(
  () => true,
  () => false,
);

/** For the title of a test: empty, or why it is skipped. */
export const hdf5Note = hasHdf5 ? "" : skippedBecause("the optional package h5wasm is not installed");
