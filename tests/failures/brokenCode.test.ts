/**
 * The tests of failures, tested: files are written in ways that lose data, hide a failure or leave
 * something behind, and the failure points of a command must show each of them.
 */

import { open, rename, truncate, unlink, writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { InputError } from "../../src/core/errors.js";
import type * as files from "../../src/data/node/files.js";
import { failEverywhere, problemsIn } from "./failurePoints.js";
import { leaveFolder, prepare, quick, workInNewFolder } from "./workFolder.js";

vi.mock("node:fs", async () => (await import("./failingFiles.js")).failingFs);
vi.mock("node:fs/promises", async () => (await import("./failingFiles.js")).failingPromises);
vi.mock("../../src/learn/checkpoints/node/heartbeat.js", async () => ({
  Heartbeat: (await import("./runHere.js")).NoHeartbeat,
}));

type WriteFile = typeof files.writeFileAtomic;
type WritePieces = typeof files.writePiecesAtomic;

/** How files are written now; the real way if undefined. */
const broken = vi.hoisted(() => ({
  file: undefined as ((path: string, bytes: Uint8Array, real: WriteFile) => Promise<void>) | undefined,
  pieces: undefined as WritePieces | undefined,
}));

vi.mock("../../src/data/node/files.js", async (original) => {
  const real = await original<typeof files>();
  const writeFileAtomic: WriteFile = (path, bytes) =>
    broken.file ? broken.file(path, bytes, real.writeFileAtomic) : real.writeFileAtomic(path, bytes);
  const writePiecesAtomic: WritePieces = (path, pieces) =>
    (broken.pieces ?? real.writePiecesAtomic)(path, pieces);
  return { ...real, writeFileAtomic, writePiecesAtomic };
});

let folder: string;
beforeAll(async () => {
  folder = await workInNewFolder();
  await prepare("encode photos/0.png -d dict.npz -o codes.npz --device reference");
  await prepare("decode codes.npz -d dict.npz -o old.png --device reference");
  await writeFile("old.png", "old\n");
});
afterEach(() => {
  broken.file = undefined;
  broken.pieces = undefined;
});
afterAll(() => leaveFolder(folder));

/** What the failure points of `decode` show. */
async function problems(): Promise<string> {
  const line = "decode codes.npz -d dict.npz -o old.png --device reference";
  return problemsIn(await failEverywhere({ line, writes: ["old.png"] })).join("\n");
}

/** Write to a temporary file and rename it; each step may be left out. */
async function replace(
  path: string,
  bytes: Uint8Array,
  { all = true, close = true, clean = true },
): Promise<void> {
  const temporary = `.trainlets-${process.pid}-0.tmp`;
  try {
    const handle = await open(temporary, "w");
    try {
      let at = (await handle.write(bytes, 0, bytes.length)).bytesWritten;
      while (all && at < bytes.length) at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
    } finally {
      if (close) await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    if (clean) await unlink(temporary).catch(() => {});
    throw new Error(`${path}: cannot be written`, { cause: error });
  }
}

describe("what the failure points show", () => {
  it("nothing, where files are written as they should be", async () => {
    expect(await problems()).toBe("");
    broken.file = (path, bytes) => replace(path, bytes, {});
    expect(await problems()).not.toMatch(/neither|removed|changed|still open|exit code/);
  });

  it.each<[string, NonNullable<typeof broken.file>, RegExp]>([
    ["a file written in place", (path, bytes) => writeAll(path, bytes), /old\.png is neither the old file/],
    [
      "the old file emptied first",
      async (path, bytes, real) => {
        await truncate(path, 0);
        await real(path, bytes);
      },
      /old\.png is neither the old file nor a new one \(0 bytes\)/,
    ],
    [
      "the old file removed first",
      async (path, bytes, real) => {
        await unlink(path);
        await real(path, bytes);
      },
      /old\.png was removed/,
    ],
    [
      "a write that does less than it is asked for, taken as done",
      (path, bytes) => replace(path, bytes, { all: false }),
      /old\.png is neither .*half at write/,
    ],
    [
      "a failure that nobody hears of",
      (path, bytes, real) => real(path, bytes).catch(() => {}),
      /exit code 0 without a word, but old\.png differ/,
    ],
    [
      "a full disk as a mistake of the user",
      (path, bytes, real) =>
        real(path, bytes).catch((error: Error) => {
          throw new InputError(error.message);
        }),
      /exit code 2 for a failure of the disk/,
    ],
    [
      "a temporary file left behind",
      (path, bytes) => replace(path, bytes, { clean: false }),
      /a temporary file is left/,
    ],
    [
      "a file never closed",
      (path, bytes) => replace(path, bytes, { close: false }),
      /still open: \.trainlets-/,
    ],
    [
      "a message of the system",
      async (path, bytes) => await writeFile(path, bytes),
      /unclear: decode: ENOSPC: no space left on device/,
    ],
    [
      "a copy beside the output",
      async (path, bytes, real) => {
        await real(`${path}.bak`, bytes);
        await real(path, bytes);
      },
      /old\.png\.bak was changed/,
    ],
  ])("%s", async (_, write, shown) => {
    broken.file = write;
    expect(await problems()).toMatch(shown);
  });

  it("a checkpoint that has its name before it is whole", async () => {
    broken.pieces = async (path, pieces) => {
      const handle = await open(path, "w");
      try {
        for await (const piece of pieces) await handle.write(piece, 0, piece.length);
      } finally {
        await handle.close();
      }
    };
    const line = `train array.npy --patch 4x4 ${quick} -o new.npz --checkpoint run --checkpoint-steps 1 --resume`;
    const ofCheckpoint = ({ path, operation }: { path: string; operation: string }) =>
      path.endsWith("checkpoint-000001.tlc") && operation === "write";
    const points = await failEverywhere({ line, writes: ["new.npz", "run/"] }, ofCheckpoint);
    expect(problemsIn(points).join("\n")).toMatch(/checkpoint-000001\.tlc is neither the old file/);
  });
});

async function writeAll(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, "w");
  try {
    for (let at = 0; at < bytes.length; )
      at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
  } finally {
    await handle.close();
  }
}
