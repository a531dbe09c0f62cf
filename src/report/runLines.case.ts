/** Lines of metrics that tests begin with: a plan, a report and an end. */

import type { EndLine, Machine, PlanLine, ReportLine } from "./runRecord.js";

const time = "2026-01-02T03:04:05.678Z";

export const machine: Machine = {
  device: "gpu",
  description: "WebGPU",
  processor: "P",
  cores: 4,
  memory: 2 ** 34,
  system: "S",
  node: "v20",
};

export const plan: PlanLine = {
  kind: "plan",
  time,
  version: "1.2.3",
  output: "<dict>.npz",
  settings: {
    patch: [8, 8],
    base: "odct:1",
    minutes: 1,
    learner: "osdl",
    atoms: 64,
    atomSparsity: 3,
    coding: { sparsity: 2, error: 1.5 },
    batch: 100,
    examplesAtOnce: 100,
    epochs: 2,
    examples: 1000,
    available: 5000,
    steps: 20,
    momentum: 0.9,
    stepDecay: 20,
    seed: 1,
    holdout: 50,
    testEvery: 1000,
    atomCare: null,
    removeMean: true,
  },
  machine,
  memory: [{ what: "Gram matrix", bytes: 3 * 2 ** 20 }],
  disk: [{ what: "dictionary", bytes: 2048 }],
};

export const report: ReportLine = {
  kind: "report",
  step: 10,
  epoch: 1,
  examples: 1000,
  rmse: 3.21,
  testRmse: 4.56,
  stepSize: 0,
  atomsUsed: 60,
  atomsReplaced: 2,
  seconds: 20,
  time,
  memory: { process: 2 ** 28, device: 3 * 2 ** 29 },
};

export const end: EndLine = { kind: "end", time, ended: "epochs", examples: 1000, seconds: 20 };
