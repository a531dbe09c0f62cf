/** `train` through its failure points in the file layer. */

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { survivesEverywhere } from "./failurePoints.js";
import { leaveFolder, putBack, quick, takeSnapshot, workInNewFolder } from "./workFolder.js";

vi.mock("node:fs", async () => (await import("./failingFiles.js")).failingFs);
vi.mock("node:fs/promises", async () => (await import("./failingFiles.js")).failingPromises);

describe("train, when the file layer fails", () => {
  let folder: string;
  let points = 0;
  beforeAll(async () => {
    folder = await workInNewFolder();
  });
  afterAll(() => leaveFolder(folder));

  it.each([
    [`train photos --patch 4 ${quick} --force -o new.npz`, "new.npz"],
    [`train 'photos/*.png' --patch 4 ${quick} --force -o dict.npz`, "dict.npz"],
    [`train array.npy --patch 4x4 ${quick} --force -o dict.npz --report run`, "dict.npz run/"],
    [`train packed.npz --patch 4x4 ${quick} --test array.npy --force -o dict.npz`, "dict.npz"],
  ])("%s", async (line, writes) => {
    const before = takeSnapshot();
    points += await survivesEverywhere({ line, writes: writes.split(" ") });
    putBack(before);
  });

  it("went through many points", () => {
    console.info(`train: ${points} failure points`);
    expect(points).toBeGreaterThan(300);
  });
});
