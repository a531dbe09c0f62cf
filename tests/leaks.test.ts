/**
 * What nobody closed is given back when nobody can use it any more: threads, file handles and
 * address space, of runs that were planned and dropped, and of iterations that were left. In a
 * process of its own, which can ask for garbage collection.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcomeOf, wave, writeArray } from "./cliProcess.js";
import { skippedBecause } from "./missing.js";

const isLinux = process.platform === "linux";
const note = isLinux ? "" : skippedBecause("threads and handles are counted in /proc, which only Linux has");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-leaks-"));
  writeArray(join(folder, "a.npy"), [2, 64, 64], wave);
});
afterAll(() => rmSync(folder, { recursive: true }));

const entry = (name: string) => JSON.stringify(new URL(`../dist/${name}.js`, import.meta.url).href);

/** What a process holds before and after repeating something, once its garbage is collected. */
async function heldAfter(times: number, body: string): Promise<{ before: Held; after: Held }> {
  const script = `
import { readdirSync, readFileSync } from "node:fs";
import { chooseKernels, Model, syntheticPictures, train } from ${entry("index")};
import { CheckpointFolder, openSource, train as trainFiles } from ${entry("node")};
const pictures = syntheticPictures(1, 1, 32);
const options = { patch: [5, 5], base: "odct:1", examples: 300, epochs: 1, holdout: 20, batch: 50 };
const folder = ${JSON.stringify(folder)};
const threads = async () => (await chooseKernels("cpu", { threads: 2 })).kernels;
const settle = async () => {
  for (let i = 0; i < 8; i++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const held = () => ({
  threads: readdirSync("/proc/self/task").length,
  files: readdirSync("/proc/self/fd").length,
  gigabytes: Number(/VmSize:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 2 ** 20,
});
const once = async (i) => {
${body}
};
for (let i = 0; i < 3; i++) await once(i);
await settle();
const before = held();
for (let i = 0; i < ${times}; i++) await once(i);
await settle();
console.log(JSON.stringify({ before, after: held() }));
`;
  const path = join(folder, "script.mjs");
  writeFileSync(path, script);
  const { code, stdout, stderr } = await outcomeOf(spawn(process.execPath, ["--expose-gc", path]));
  expect(code, stderr).toBe(0); // and it ends by itself
  expect(stderr, "no warning of files closed by the garbage collector").toBe("");
  return JSON.parse(stdout);
}

interface Held {
  readonly threads: number;
  readonly files: number;
  readonly gigabytes: number;
}

/** Each repetition would leave at least one thread, one handle or 10 GiB of address space. */
const cases: readonly (readonly [title: string, times: number, body: string])[] = [
  ["runs that were planned and dropped", 50, "await train(pictures, options).plan();"],
  [
    "iterations that were left",
    50,
    "const reports = train(pictures, options)[Symbol.asyncIterator](); await reports.next(); await reports.next();",
  ],
  ["runs on files that were planned and dropped", 10, "await trainFiles(folder + '/a.npy', options).plan();"],
  [
    "iterations over files that were left",
    10,
    "const reports = trainFiles(folder + '/a.npy', { ...options, groupSamples: 2048 })[Symbol.asyncIterator](); await reports.next(); await reports.next();",
  ],
  ["sources that were dropped", 10, "await openSource(folder + '/a.npy', { patch: [5, 5] });"],
  ["kernels that were dropped", 10, "(await threads()).matrix(100, 100);"],
  [
    "coders that were dropped",
    10,
    "await Model.from([[1, 1], [1, -1]], [2], { coding: { sparsity: 1 } }).open();",
  ],
  ["folders of checkpoints that were dropped", 10, "await CheckpointFolder.open(folder + '/run' + i);"],
  [
    "everything that was closed by its symbol",
    10,
    `for (const thing of [
      await threads(),
      await Model.from([[1, 1], [1, -1]], [2], { coding: { sparsity: 1 } }).open(),
      await CheckpointFolder.open(folder + '/run' + i),
      await openSource(folder + '/a.npy', { patch: [5, 5] }),
      train(pictures, options),
      trainFiles(folder + '/a.npy', options),
    ]) {
      await thing.plan?.();
      await thing[Symbol.asyncDispose]();
      await thing[Symbol.asyncDispose]();
    }`,
  ],
];

describe.skipIf(!isLinux)(`what nobody closed is given back${note}`, () => {
  it.each(cases)("%s", { timeout: 120_000 }, async (_, times, body) => {
    const { before, after } = await heldAfter(times, body);
    expect(after.threads - before.threads, "threads").toBeLessThan(4);
    expect(after.files - before.files, "file handles").toBeLessThan(8);
    expect(after.gigabytes - before.gigabytes, "GiB of address space").toBeLessThan(25);
  });
});

it("kernels that compute are not closed, although nobody refers to them any more", async () => {
  const body = `
    const start = async () => {
      const kernels = await threads();
      const M = kernels.matrix(600, 600);
      const P = kernels.matrix(600, 600);
      return Promise.all(Array.from({ length: 6 }, () => kernels.correlate(M, M, P)));
    };
    const done = start();
    for (let turn = 0; turn < 20; turn++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await done;`;
  await heldAfter(1, body);
});
