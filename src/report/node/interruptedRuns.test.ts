/** Runs that are interrupted or killed anywhere and resumed: their metrics are those of a run that never was. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Rng } from "../../core/random/rng.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { checkpointFromBytes, checkpointToBytes } from "../../learn/checkpoints/checkpoint.js";
import { train } from "../../learn/run/train.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import { modelToBytes } from "../../model/files.js";
import { machine } from "../runLines.case.js";
import { type MetricsLine, planLine } from "../runRecord.js";
import { metricsName } from "./metricsFile.js";
import { recordRun } from "./recordRun.js";

// drawing pages and flushing them to the disk would take most of the time
vi.mock("../runPage.js", () => ({ runPage: () => "" }));
vi.mock("../atomsPicture.js", () => ({ atomsPicture: async () => undefined }));
vi.mock("./regularFile.js", async (original) => ({
  ...(await original<typeof import("./regularFile.js")>()),
  replaceRegular: async () => {},
}));

const kernels = createReferenceKernels();
const data = syntheticPictures(3, 2, 16);
const small = {
  patch: [4, 4],
  base: "odct:1",
  atomSparsity: 2,
  coding: { sparsity: 2 },
  batch: 20,
  examples: 130, // the last mini-batch of an epoch is smaller
  epochs: 3,
  holdout: 20,
  kernels,
} as const satisfies TrainOptions;

const root = mkdtempSync(join(tmpdir(), "trainlets-interrupted-"));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
const newFolder = () => {
  const folder = join(root, String(folders++));
  mkdirSync(folder);
  return folder;
};

const linesIn = (folder: string): MetricsLine[] =>
  readFileSync(join(folder, metricsName), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** What must not depend on interruptions: all reports, without times and memory, and how it ended. */
function resultOf(folder: string) {
  const lines = linesIn(folder);
  const reports = lines.flatMap((line) => {
    if (line.kind !== "report") return [];
    const { time: _, memory: __, seconds: ___, ...report } = line;
    return [report];
  });
  const last = lines.at(-1);
  return { reports, ended: last?.kind === "end" && last.ended };
}

/** A checkpoint, and the metrics when it was saved. */
interface Saved {
  readonly step: number;
  readonly checkpoint: Uint8Array;
  readonly metrics: Buffer;
}

interface PartOptions {
  readonly options?: Partial<TrainOptions>;
  readonly from?: Uint8Array | undefined;
  /** Interrupt the run after this step; 0 is before the first. */
  readonly abortAt?: number | undefined;
}

/** Run once with a report in a folder, from a checkpoint or from the beginning; all checkpoints of it. */
async function runPart(folder: string, { options, from, abortAt }: PartOptions = {}) {
  const saved: Saved[] = [];
  const controller = new AbortController();
  if (abortAt === 0) controller.abort();
  const resume = from && (await checkpointFromBytes(from, "a.tlc"));
  const run = train(data, {
    ...small,
    ...options,
    resume,
    signal: controller.signal,
    checkpoints: {
      due(step) {
        if (step === abortAt) controller.abort();
        return true;
      },
      async save(draft) {
        const metrics = readFileSync(join(folder, metricsName));
        saved.push({ step: draft.step, checkpoint: await checkpointToBytes(draft), metrics });
      },
    },
  });
  const plan = await run.plan();
  const at = resume?.header;
  await recordRun(run, plan, {
    kernels,
    memory: () => ({ process: 1 }),
    line: () => planLine(plan, { output: "d.npz", disk: [], machine, resumedAt: at?.position.examples }),
    resumed: at && { ...at.position, report: at.report },
    folder,
    pageEvery: 1e6,
    display: { show() {}, note() {}, clear() {} },
    save: async () => undefined,
    rescue: async (error) => error,
    onProblem(line) {
      throw new Error(line);
    },
  });
  return { saved, model: modelToBytes(await run.model()) };
}

/** Reports that come often, at other steps than tests and the ends of epochs; and the usual ones. */
const schedules: readonly [string, Partial<TrainOptions>][] = [
  ["every third step", { reportEvery: 3, testEvery: 70 }],
  ["by default", { testEvery: 50 }],
  ["without tests", { reportEvery: 2, holdout: 0 }],
];

describe.each(schedules)("a run that reports %s", (_, options) => {
  let whole: ReturnType<typeof resultOf>;
  let all: Awaited<ReturnType<typeof runPart>>;
  beforeAll(async () => {
    const folder = newFolder();
    all = await runPart(folder, { options });
    whole = resultOf(folder);
  });

  it("makes one checkpoint per step here, and reports at some of them", () => {
    expect(all.saved.map(({ step }) => step)).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
    expect(whole.reports.length).toBeGreaterThan(6);
    expect(whole.ended).toBe("epochs");
  });

  it("has the same metrics and the same model, interrupted at any step", async () => {
    for (let step = 0; step <= 21; step++) {
      const folder = newFolder();
      const part = await runPart(folder, { options, abortAt: step });
      const ended = linesIn(folder).at(-1);
      expect(ended).toMatchObject({ kind: "end", ended: step < 21 ? "aborted" : "epochs" });
      const { model } = await runPart(folder, { options, from: part.saved.at(-1)!.checkpoint });
      expect(resultOf(folder), `interrupted at step ${step}`).toEqual(whole);
      expect(model).toEqual(all.model);
    }
  });

  it("has the same metrics, killed after any checkpoint: at once, before the next one, or in mid-line", async () => {
    for (const [i, { step, checkpoint, metrics }] of all.saved.entries()) {
      const later = all.saved[i + 1]?.metrics ?? metrics;
      for (const left of [metrics, later, Buffer.concat([later, Buffer.from('{"kind":"rep')])]) {
        const folder = newFolder();
        writeFileSync(join(folder, metricsName), left);
        await runPart(folder, { options, from: checkpoint });
        expect(resultOf(folder), `killed after step ${step}`).toEqual(whole);
      }
    }
  });

  it("has the same metrics after many interruptions and kills in a row", async () => {
    const rng = Rng.from(1);
    for (let trial = 0; trial < 10; trial++) {
      let folder = newFolder();
      let from: Uint8Array | undefined;
      const story: string[] = [];
      for (let breaks = 0, step = 0; breaks < 6 && step < 20; breaks++) {
        step += rng.below(5); // also before the first step after a break
        const killed = rng.below(2) === 0;
        story.push(`${killed ? "killed" : "interrupted"} at ${step}`);
        const { saved } = await runPart(folder, { options, from, abortAt: step });
        const last = saved.at(-1); // none, if it ended before its first step
        if (killed && last) {
          const copy = newFolder();
          cpSync(folder, copy, { recursive: true });
          writeFileSync(join(copy, metricsName), last.metrics);
          folder = copy;
        }
        from = last?.checkpoint ?? from;
      }
      const { model } = await runPart(folder, { options, from });
      expect(resultOf(folder), story.join(", ")).toEqual(whole);
      expect(model).toEqual(all.model);
    }
  });
});

it("a run that stopped without improvement, or at a limit of time, has the metrics of one without the limit", async () => {
  const firstSteps = "paper"; // by default, a run that may end early takes short ones
  const options = { reportEvery: 3, testEvery: 20, epochs: 3, firstSteps } as const;
  const folder = newFolder();
  await runPart(folder, { options });
  const whole = resultOf(folder);
  for (const limit of [{ patience: 1 }, { minutes: 1e-9 }]) {
    const limited = newFolder();
    const { saved } = await runPart(limited, { options: { ...options, ...limit } });
    expect(resultOf(limited).ended).not.toBe("epochs");
    await runPart(limited, { options, from: saved.at(-1)!.checkpoint });
    expect(resultOf(limited)).toEqual(whole);
  }
});
