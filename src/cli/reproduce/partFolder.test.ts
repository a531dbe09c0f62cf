import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PartFolder } from "./partFolder.js";

const identity = { settings: "1", data: "2", program: "0.1.0", device: "cpu" };
let folder: string;
let notes: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-parts-"));
  notes = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (changes: Partial<typeof identity> = {}) =>
  PartFolder.open(folder, { ...identity, ...changes }, (line) => notes.push(line));
const bytes = Uint8Array.of(1, 2, 250);

test("keeps parts for the same run, and says that they were found", async () => {
  const parts = await open();
  expect(await parts.read("odl.npz")).toBeUndefined();
  await parts.write("odl.npz", bytes);
  await parts.write("odl.json", new Uint8Array());
  const again = await open();
  expect(await again.read("odl.npz")).toEqual(bytes);
  expect(await again.read("odl.json")).toEqual(new Uint8Array());
  expect(notes).toEqual(["resuming: 2 finished parts found"]);
  await again.remove();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["settings", "other settings"],
  ["data", "other data"],
  ["program", "another version of trainlets (0.1.0)"],
  ["device", "another device (cpu)"],
])("starts again with other %s, and says why", async (what, words) => {
  await (await open()).write("a.json", bytes);
  const parts = await open({ [what]: "else" });
  expect(await parts.read("a.json")).toBeUndefined();
  expect(notes).toEqual([`starting again: the parts found are of ${words}`]);
});

test("a damaged part counts as missing, a damaged list of settings as another run", async () => {
  const parts = await open();
  await parts.write("a.json", bytes);
  const path = join(folder, "parts/a.json.part");
  const file = readFileSync(path);
  file[file.length - 1] ^= 1;
  writeFileSync(path, file);
  expect(await parts.read("a.json")).toBeUndefined();
  expect(notes).toEqual([`${path} is damaged: it is made again`]);
  writeFileSync(join(folder, "parts/run.json"), "{");
  await open();
  expect(notes.at(-1)).toBe("starting again: the parts found are of other settings");
});

test("leaves files of others alone", async () => {
  mkdirSync(join(folder, "parts"));
  writeFileSync(join(folder, "parts/diary.txt"), "mine");
  const parts = await open();
  await parts.write("a.json", bytes);
  await parts.remove();
  expect(existsSync(join(folder, "parts/diary.txt"))).toBe(true);
  expect(readdirSync(join(folder, "parts"))).toEqual(["diary.txt"]);
});
