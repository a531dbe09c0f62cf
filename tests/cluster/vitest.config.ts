/** For tests that vitest runs on every rank of a cluster: in a thread of the process that the launcher started. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/cluster/*.mpi.ts"],
    testTimeout: 5 * 60_000,
    hookTimeout: 5 * 60_000,
    pool: "threads",
    maxWorkers: 1,
    reporters: ["default"],
  },
});
