/** `train` with checkpoints through its failure points in the file layer: after a crash it resumes to the same bytes. */

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { survivesEverywhere } from "./failurePoints.js";
import { leaveFolder, quick, workInNewFolder } from "./workFolder.js";

vi.mock("node:fs", async () => (await import("./failingFiles.js")).failingFs);
vi.mock("node:fs/promises", async () => (await import("./failingFiles.js")).failingPromises);
vi.mock("../../src/learn/checkpoints/node/heartbeat.js", async () => ({
  Heartbeat: (await import("./runHere.js")).NoHeartbeat,
}));

describe("train --checkpoint --resume, when the file layer fails", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await workInNewFolder();
  });
  afterAll(() => leaveFolder(folder));

  it("from the start to the end", async () => {
    const line = `train array.npy --patch 4x4 ${quick} -o new.npz --checkpoint run --checkpoint-steps 1 --resume`;
    const points = await survivesEverywhere({ line, writes: ["new.npz", "run/"] });
    console.info(`train --checkpoint --resume: ${points} failure points`);
    expect(points).toBeGreaterThan(100);
  });
});
