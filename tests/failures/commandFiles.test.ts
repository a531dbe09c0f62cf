/** Every command but `train` through its failure points in the file layer; `devices` uses no files. */

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { realFs } from "./failingFiles.js";
import { survivesEverywhere } from "./failurePoints.js";
import { runHere } from "./runHere.js";
import { leaveFolder, prepare, putBack, quick, takeSnapshot, workInNewFolder } from "./workFolder.js";

vi.mock("node:fs", async () => (await import("./failingFiles.js")).failingFs);
vi.mock("node:fs/promises", async () => (await import("./failingFiles.js")).failingPromises);

// Demo and experiments compute for long and use no files themselves: a small outcome stands for theirs.

vi.mock("../../src/experiments/demo/run.js", async (original) => {
  const real = await original<typeof import("../../src/experiments/demo/run.js")>();
  const { syntheticPictures } = await import("../../src/data/syntheticPictures.js");
  const { collect } = await import("../../src/learn/learners/learner.case.js");
  const pictures = syntheticPictures(1, 2, 32);
  const runDemo: typeof real.runDemo = async ({ seen }, kernels) => {
    const { model, reports } = await collect(seen, {
      patch: 16,
      examples: 64,
      epochs: 1,
      holdout: 10,
      kernels,
    });
    return {
      model,
      curve: reports,
      results: ["wavelets", "cropped wavelets", "learned"].map((name) => ({ name, rmse: 1 })),
    };
  };
  return { ...real, demoPictures: () => ({ seen: pictures, unseen: pictures }), runDemo: once(runDemo) };
});

vi.mock("../../src/experiments/demo/files.js", async (original) => {
  const { demoFiles } = await original<typeof import("../../src/experiments/demo/files.js")>();
  return { demoFiles: once(demoFiles) };
});

vi.mock("../../src/experiments/catalogue.js", async (original) => {
  const real = await original<typeof import("../../src/experiments/catalogue.js")>();
  const outcome = once(async () => {
    const haar = await real.findExperiment("fig3").prepare({});
    return haar({}, {} as Parameters<typeof haar>[1]);
  });
  const findExperiment = (): ReturnType<typeof real.findExperiment> => ({
    ...real.findExperiment("universal32"),
    patch: [4, 4],
    prepare: async () => async () => await outcome(),
  });
  return { ...real, findExperiment, experiments: [{ ...findExperiment(), name: "fig9" }] };
});

vi.mock("../../src/learn/checkpoints/node/heartbeat.js", async () => ({
  Heartbeat: (await import("./runHere.js")).NoHeartbeat,
}));

vi.mock("../../src/figures/node/rasterize.js", async (original) => {
  const { rasterizeSvg } = await original<typeof import("../../src/figures/node/rasterize.js")>();
  const known = new Map<string, ReturnType<typeof rasterizeSvg>>();
  return {
    rasterizeSvg(svg: Uint8Array) {
      const text = Buffer.from(svg).toString();
      const made = known.get(text) ?? rasterizeSvg(svg);
      known.set(text, made);
      return made;
    },
  };
});

/** A function whose first result is its only one. */
function once<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
  let made: { readonly result: Result } | undefined;
  return (...args) => {
    made ??= { result: work(...args) };
    return made.result;
  };
}

const counts = new Map<string, number>();
let folder: string;

beforeAll(async () => {
  folder = await workInNewFolder();
  const reference = "--device reference";
  await prepare(`encode photos/0.png -d dict.npz -o codes.npz ${reference}`);
  await prepare(`compress photos/0.png -d dict.npz -o small.tlt --psnr 20 ${reference}`);
  await prepare(`train photos --patch 4 ${quick} --force -o dict.npz --report run`);
  await prepare(`demo -o demo ${reference}`);
  for (const name of ["old.png", "old.npz", "old.svg", "old.tlt"]) realFs.writeFileSync(name, "old\n");
  realFs.symlinkSync("photos/0.png", "link.png");
  realFs.mkdirSync("more");
  realFs.copyFileSync("photos/0.png", "more/new.png");
  realFs.mkdirSync("mine");
  realFs.writeFileSync("mine/atoms.png", "mine\n");
});

afterAll(() => {
  console.info([...counts].map(([name, points]) => `${name}: ${points} failure points`).join("\n"));
  leaveFolder(folder);
});

/** Go through all points of a line, and put the folder back. */
async function survives(line: string, writes: string[], refused = false): Promise<void> {
  const before = takeSnapshot();
  const points = await survivesEverywhere({ line, writes, refused });
  putBack(before);
  const [name] = line.split(" ");
  counts.set(name, (counts.get(name) ?? 0) + points);
}

describe("when the file layer fails", () => {
  const learn = "--patch 4 --examples 40 --epochs 1 --batch 20 --base odct:1 --device reference";

  it.each([
    ["report run", "run/report.html"],
    ["atoms dict.npz -o old.png --device reference", "old.png"],
    ["score photos -d dict.npz --count 5 --device reference", "nothing"],
    ["info dict.npz codes.npz small.tlt photos array.npy --json", "nothing"],
    ["convert dict.npz -o old.npz --force", "old.npz"],
    ["convert dict.npz -o new.mat --force", "new.mat"],
    ["prune dict.npz -o old.npz --force --on photos --count 5 --device reference", "old.npz"],
    ["approximate photos -d dict.npz --count 5 -o old.svg --device reference", "old.svg"],
    ["encode array.npy -d dict.npz -o old.npz --device reference", "old.npz"],
    ["encode photos -d dict.npz -o new.npz --device reference", "new.npz"],
    ["decode codes.npz -d dict.npz -o old.png --device reference", "old.png"],
    ["compress photos/0.png -d dict.npz -o old.tlt --psnr 20 --device reference", "old.tlt"],
    ["decompress small.tlt -d dict.npz -o old.png", "old.png"],
    [`denoise photos/0.png --sigma 10 ${learn} -o old.png`, "old.png"],
    [`inpaint photos/0.png --mask photos/1.png --rounds 1 ${learn} -o old.png`, "old.png"],
    ["demo -o demo --device reference", "demo/"],
    ["reproduce fig9 --images photos --test more/new.png -o figure --device reference", "figure/"],
    ["reproduce all -o all --device reference", "all/"],
  ])("%s", (line, writes) => survives(line, [writes]));

  it("went through many points", () => {
    expect([...counts.values()].reduce((sum, points) => sum + points, 0)).toBeGreaterThan(1000);
  });
});

it("demo ends by naming the studio", async () => {
  const { stdout } = await runHere("demo -o demo --device reference");
  expect(stdout.trimEnd().split("\n").slice(-2)).toEqual([
    expect.stringMatching(/^done in \d:\d\d; open demo\/index\.html$/),
    "explore it, or watch one learn, in a browser: npx trainlets studio demo/dictionary.npz",
  ]);
});

describe("a check that cannot look lets nothing through", () => {
  it.each([
    "encode array.npy -d dict.npz -o dict.npz --device reference",
    "denoise photos/0.png --sigma 10 -o link.png --device reference",
    `train photos --patch 4 ${quick} -o old.npz --report mine`,
    `train photos --patch 4 ${quick} -o old.npz --checkpoint photos/run`,
    "demo -o mine --device reference",
  ])("%s", (line) => survives(line, [], true));
});
