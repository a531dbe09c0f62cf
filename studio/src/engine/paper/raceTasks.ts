/**
 * Figure 5 in the worker: several learners on the same picture. All start from the same base, see the same patches in the
 * same order, and are tested on the same other patches. They take turns: the one that has used the least time is next, up
 * to its next test. The seconds of a learner are those of its own updates; tests, pictures and the set-up do not count.
 */

import {
  atomGallery,
  makeSignal,
  orderAtoms,
  type Picture,
  type TrainingRun,
  type TrainOptions,
  train,
} from "trainlets";
import type { Kernels } from "trainlets/parts";
import { kernelsFor } from "../devices";
import type { Task } from "../protocol";
import type { Racer } from "./settings";

export interface RaceInput {
  /** A grey picture. */
  readonly shape: readonly number[];
  readonly data: Float32Array;
  /** Pixels along a side of a patch. */
  readonly side: number;
  readonly learners: readonly Racer[];
  /** Non-zeros per atom, in percent of the pixels of a patch. */
  readonly share: number;
  /** Patches of an epoch. */
  readonly examples: number;
  /** Seconds of each learner. */
  readonly seconds: number;
}

export interface RaceNews {
  readonly learner: Racer;
  readonly seconds: number;
  readonly examples: number;
  /** The error of the test patches. */
  readonly testRmse: number;
  /** Some of its atoms, at most once a second. */
  readonly picture?: Picture;
}

/** Every learner with these options. */
function raceOptions(
  { side, share, examples, shape }: Pick<RaceInput, "side" | "share" | "examples" | "shape">,
  learner: Racer,
): Omit<TrainOptions, "kernels" | "signal"> {
  const windows = (shape[0] - side + 1) * (shape[1] - side + 1);
  return {
    patch: [side, side],
    base: "cropped:sym8",
    learner,
    coding: { sparsity: Math.max(2, Math.round((side * side) / 36)) }, // 4 at 12×12, as in the paper
    examples: Math.min(examples, Math.floor(0.8 * windows)),
    epochs: 10_000,
    batch: 128,
    holdout: Math.min(500, Math.floor(0.2 * windows)),
    testEvery: 1536,
    reportEvery: 1_000_000,
    keep: "last",
    seed: 1,
    ...(learner === "odl" ? {} : { atomSparsity: `${share}%` as const }),
    ...(learner === "niht" || learner === "sparse-ksvd" ? {} : { init: "base" as const }),
  };
}

/** A learner in its lane. */
interface Lane {
  readonly learner: Racer;
  readonly run: TrainingRun;
  readonly reports: AsyncIterator<{ readonly examples: number; readonly testRmse?: number }>;
  seconds: number;
  started: boolean;
  drawnAt: number;
}

const paperRace: Task<RaceInput, void, RaceNews> = async (input, { signal, report }) => {
  const { kernels } = await kernelsFor();
  const picture = makeSignal("picture", input.shape, input.data);
  const lanes = input.learners.map((learner): Lane => {
    const run = train([picture], { ...raceOptions(input, learner), kernels });
    return {
      learner,
      run,
      reports: run[Symbol.asyncIterator](),
      seconds: 0,
      started: false,
      drawnAt: -Infinity,
    };
  });
  try {
    for (let next = lanes[0]; next.seconds < input.seconds && !signal.aborted; ) {
      const news = await turn(next, kernels);
      if (news) report(news, news.picture ? [news.picture.data.buffer as ArrayBuffer] : []);
      next = lanes.reduce((least, lane) => (lane.seconds < least.seconds || !lane.started ? lane : least));
    }
  } finally {
    for (const { run } of lanes) await run.close();
  }
};

/** One learner until its next test. */
async function turn(lane: Lane, kernels: Kernels): Promise<RaceNews | undefined> {
  const { run, learner } = lane;
  const [start, tests] = [performance.now(), run.testSeconds];
  const { value, done } = await lane.reports.next();
  const seconds = (performance.now() - start) / 1000 - (run.testSeconds - tests);
  if (lane.started) lane.seconds += seconds; // the first report comes before the first update
  lane.started = true;
  if (done) lane.seconds = Infinity;
  if (done || value.testRmse === undefined) return undefined;
  const news = { learner, seconds: lane.seconds, examples: value.examples, testRmse: value.testRmse };
  if (performance.now() - lane.drawnAt < 1000) return news;
  const drawn = await drawAtoms(run, kernels);
  lane.drawnAt = performance.now();
  return { ...news, picture: drawn };
}

/** The most used atoms. */
async function drawAtoms(run: TrainingRun, kernels: Kernels): Promise<Picture> {
  const model = await run.snapshot();
  const atoms = await model.atoms(kernels);
  const order = model.uses ? orderAtoms(atoms, "use", { uses: model.uses }) : orderAtoms(atoms, "entropy");
  return atomGallery(atoms, model.shape, { order, count: 48, columns: 8, magnify: 2, gap: 2 });
}

export const raceTasks = { paperRace };
