/** A small folder on the real disk: filled with data, remembered with all its files, and put back. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { vi } from "vitest";
import { makeNpy, writeNpy } from "../../src/data/formats/npy.js";
import { syntheticPictures } from "../../src/data/syntheticPictures.js";
import { encodePng } from "../../src/figures/png.js";
import { Disk, realFs, useDisk } from "./failingFiles.js";
import { runHere } from "./runHere.js";

/** Flags of a run of two updates. */
export const quick =
  "--device reference --base odct:1 --atom-sparsity 3 --sparsity 2 --examples 60 --epochs 1 --batch 30 --holdout 10";

/** Pixels per side of a picture. */
const size = 12;

/**
 * Make a folder with pictures (photos/), arrays (array.npy, packed.npz) and a dictionary (dict.npz), and work in it. The
 * clock stands still, so that the same run writes the same bytes.
 */
export async function workInNewFolder(): Promise<string> {
  const folder = realFs.mkdtempSync(join(realFs.realpathSync(tmpdir()), "trainlets-failures-"));
  process.chdir(folder);
  vi.stubEnv("TMPDIR", join(folder, "tmp"));
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.UTC(2024, 0, 1) });
  vi.spyOn(process.memoryUsage, "rss").mockReturnValue(2 ** 27);
  for (const name of ["tmp", "photos"]) realFs.mkdirSync(name);
  const pictures = syntheticPictures(7, 2, size);
  pictures.forEach(({ data }, p) => {
    const grey = Uint8Array.from(data, (value) => Math.min(255, Math.max(0, value)));
    const png = encodePng({ width: size, height: size, channels: 1, data: grey });
    realFs.writeFileSync(`photos/${p}.png`, png);
  });
  const samples = new Float32Array(pictures.flatMap(({ data }) => [...data]));
  const array = writeNpy(makeNpy([2, size, size], samples));
  realFs.writeFileSync("array.npy", array);
  realFs.writeFileSync("packed.npz", zipSync({ "array.npy": array }));
  await prepare(`train photos --patch 4 ${quick} -o dict.npz`);
  return folder;
}

/** Leave and remove it. */
export function leaveFolder(folder: string): void {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  process.chdir(tmpdir());
  realFs.rmSync(folder, { recursive: true });
}

/** Run a line without failures. */
export async function prepare(line: string): Promise<void> {
  const disk = useDisk(new Disk());
  const { code, stderr } = await runHere(line);
  await disk.end();
  if (code !== 0) throw new Error(`${line}\n${stderr}`);
}

/** The files of a folder by their paths in it, with their bytes; folders end in a slash and have none. */
export type Snapshot = ReadonlyMap<string, Uint8Array>;

export function takeSnapshot(below = ""): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const entry of realFs.readdirSync(below || ".", { withFileTypes: true })) {
    const path = `${below}${entry.name}`;
    if (entry.isDirectory()) {
      found.set(`${path}/`, new Uint8Array());
      for (const [name, bytes] of takeSnapshot(`${path}/`)) found.set(name, bytes);
    } else found.set(path, realFs.readFileSync(path));
  }
  return found;
}

/** Paths whose bytes differ, or that only one of them has. */
export function differences(a: Snapshot, b: Snapshot, same: typeof sameBytes = sameBytes): string[] {
  const paths = new Set([...a.keys(), ...b.keys()]);
  return [...paths].filter((path) => !same(a.get(path), b.get(path), path)).sort();
}

export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined, _path?: string): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
}

/** Make the folder what it was. */
export function putBack(before: Snapshot): void {
  const now = takeSnapshot();
  for (const path of [...now.keys()].sort().reverse())
    if (!before.has(path)) realFs.rmSync(path, { recursive: true });
  for (const [path, bytes] of before) {
    if (sameBytes(bytes, now.get(path))) continue;
    if (path.endsWith("/")) realFs.mkdirSync(path, { recursive: true });
    else realFs.writeFileSync(path, bytes);
  }
}
