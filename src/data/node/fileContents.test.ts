/** What files contain: whole small files, samples of large ones, members of archives. */

import { mkdir, mkdtemp, open, rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeNpy, writeNpy } from "../formats/npy.js";
import { writeNpz } from "../formats/npz.js";
import { type DataContents, digestOf } from "../sampling/dataContents.js";
import { fileContents } from "./fileContents.js";
import { openSource } from "./openSource.js";

let folder: string;
const inFolder = (name: string) => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainlets-contents-"));
});

afterEach(() => rm(folder, { recursive: true }));

async function save(name: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(inFolder(name)), { recursive: true });
  await writeFile(inFolder(name), content);
}

const array = (value: number) => makeNpy([16, 16], new Float32Array(256).fill(value));

async function contents(data: string, limit?: number): Promise<DataContents> {
  const source = await openSource(inFolder(data), { patch: [8, 8], onSkip: () => {} });
  try {
    return await source.contents!(limit);
  } finally {
    await source.close();
  }
}

describe("the contents of files", () => {
  it("differ for every bit of a small file, and name it", async () => {
    await save("a/one.npy", writeNpy(array(1)));
    await save("a/two.npy", writeNpy(array(2)));
    const before = await contents("a");
    expect(before.names).toEqual([inFolder("a/one.npy"), inFolder("a/two.npy")]);
    const bytes = writeNpy(array(2));
    for (const at of [128, 700, bytes.length - 1]) {
      await save("a/two.npy", bytes.with(at, bytes[at] ^ 1));
      const after = await contents("a");
      expect(after.digests[0]).toBe(before.digests[0]);
      expect(after.digests[1]).not.toBe(before.digests[1]);
    }
    await save("a/two.npy", bytes);
    await rename(inFolder("a"), inFolder("moved"));
    expect((await contents("moved")).digests).toEqual(before.digests);
    await rename(inFolder("moved/one.npy"), inFolder("moved/other.npy"));
    expect(digestOf(await contents("moved"))).not.toBe(digestOf(before));
  });

  it("of a file larger than the limit come from its start, its end and between; its time is noted", async () => {
    const length = 2 ** 20;
    await save("large", new Uint8Array(length));
    await utimes(inFolder("large"), 1000, 1000);
    const compared = () => fileContents([{ path: inFolder("large"), length }], [], 2 ** 16);
    const before = await compared();
    expect(before.times).toEqual([1000]);
    const digestWith = async (at: number) => {
      const handle = await open(inFolder("large"), "r+");
      await handle.write(Uint8Array.of(1), 0, 1, at);
      const { digests } = await compared();
      await handle.write(Uint8Array.of(0), 0, 1, at);
      await handle.close();
      return digests[0];
    };
    for (const at of [0, length - 1]) expect(await digestWith(at)).not.toBe(before.digests[0]);
    expect(await digestWith(10_000)).toBe(before.digests[0]); // between two blocks
    const all = await fileContents([{ path: inFolder("large"), length }], []);
    expect(all.times).toEqual([undefined]);
  });

  it("of archives are those of their members", async () => {
    const archive = (second: number) =>
      writeNpz([
        ["x", array(1)],
        ["y", array(second)],
      ]);
    await save("data.npz", archive(2));
    const before = await contents("data.npz");
    expect(before.names).toEqual([inFolder("data.npz[x]"), inFolder("data.npz[y]")]);
    await save("data.npz", archive(3));
    const after = await contents("data.npz");
    expect(after.digests[0]).toBe(before.digests[0]);
    expect(after.digests[1]).not.toBe(before.digests[1]);
  });

  it("of a file that cannot be read are not those of the file", async () => {
    await save("one", new Uint8Array(5000));
    const file = { path: inFolder("one"), length: 5000 };
    const [digest] = (await fileContents([file], [])).digests;
    await truncate(inFolder("one"), 100);
    const [cut] = (await fileContents([file], [])).digests;
    await rm(inFolder("one"));
    const [gone] = (await fileContents([file], [])).digests;
    expect(cut).not.toBe(digest);
    expect(gone).toBe(cut);
  });
});
