import { defineConfig } from "vitest/config";
import { softwareGpuEnv } from "./tests/softwareGpu.js";

/** A busy machine makes tests slow, not red: only a test that hangs takes this long (in milliseconds). */
const patience = 10 * 60_000;

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    testTimeout: patience,
    hookTimeout: patience,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 120_000 } },
    pool: "forks", // processes of their own, which start with `env`
    env: softwareGpuEnv(),
    maxWorkers: 2,
  },
});
