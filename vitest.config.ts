import { defineConfig } from "vitest/config";
import { softwareGpuEnv } from "./tests/softwareGpu.js";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    testTimeout: 60_000,
    pool: "forks", // processes of their own, which start with `env`
    env: softwareGpuEnv(),
    maxWorkers: 2,
  },
});
