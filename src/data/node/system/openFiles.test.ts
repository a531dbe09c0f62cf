/** Files that stay open, and those that are closed to make room. */

import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../../core/errors.js";
import { OpenFiles } from "./openFiles.js";

let folder: string;
let files: OpenFiles;
const inFolder = (i: number) => join(folder, `${i}`);
const count = 200;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-open-"));
  files = new OpenFiles();
  for (let i = 0; i < count; i++) await writeFile(inFolder(i), Uint8Array.of(i, i + 1));
});

afterEach(async () => {
  await files.close();
  await rm(folder, { recursive: true });
});

async function firstByte(i: number): Promise<number> {
  const into = new Uint8Array(1);
  await files.read({ file: inFolder(i), offset: 0, length: 2 }, 0, into, `file ${i}`);
  return into[0];
}

const all = Array.from({ length: count }, (_, i) => i);

describe("OpenFiles", () => {
  it("reads any number of files, one after the other or at once, and again", async () => {
    for (const i of all) expect(await firstByte(i)).toBe(i);
    expect(await Promise.all(all.map(firstByte))).toEqual(all);
    expect(await Promise.all(all.toReversed().map(firstByte))).toEqual(all.toReversed());
  });

  it.skipIf(process.platform !== "linux")("keeps few of them open", async () => {
    const open = async () => (await readdir("/proc/self/fd")).length;
    const before = await open();
    for (const i of all) await firstByte(i);
    expect((await open()) - before).toBeLessThanOrEqual(64);
    await files.close();
    expect((await open()) - before).toBeLessThanOrEqual(0);
  });

  it("opens a file again only if it is the same", async () => {
    for (const i of all) await firstByte(i); // 0 and 1 are closed by now
    await writeFile(inFolder(0), Uint8Array.of(9, 9, 9));
    await utimes(inFolder(1), 1000, 1000);
    for (const i of [0, 1])
      await expect(firstByte(i)).rejects.toThrow(new InputError(`file ${i}: changed while it was in use`));
    expect(await firstByte(2)).toBe(2);
  });

  it("names a file that became shorter or is gone", async () => {
    await firstByte(5);
    await truncate(inFolder(5), 0);
    await expect(firstByte(5)).rejects.toThrow(new InputError("file 5: truncated: it became shorter"));
    await expect(firstByte(count)).rejects.toThrow(
      new InputError(`file ${count}: cannot be read (no such file)`),
    );
    await writeFile(inFolder(count), Uint8Array.of(7));
    expect(await firstByte(count)).toBe(7); // a failure is not remembered
  });
});
