/**
 * A run of the learning worker: it can be paused, taken step by step and stopped, sends what it learns to the page as often
 * as the page can draw it, and keeps checkpoints.
 *
 * Drawing takes at most a fifth of the time, and waits until the page has drawn the picture before.
 */

import { Model, modelToBytes, type TrainingRun, type TrainReport } from "trainlets";
import type { Kernels } from "trainlets/parts";
import { type Gallery, galleryFile, galleryOf } from "./learnGallery";

/** One report, as the curves show it. */
export interface Point {
  readonly examples: number;
  /** NaN before the first mini-batch. */
  readonly rmse: number;
  readonly testRmse?: number;
  readonly stepSize: number;
  readonly atomsUsed: number;
}

/** What the page gets while a run learns. */
export interface RunNews {
  readonly points: readonly Point[];
  readonly step: number;
  readonly seconds: number;
  /** Examples per second. */
  readonly rate: number;
  readonly gallery?: Gallery;
}

/** How a run begins: it learns, waits, or takes one mini-batch and waits. */
export type Beginning = "going" | "paused" | "one step";

/** Milliseconds between two pictures: at least, and at most unless one step takes longer. */
const pace = { least: 70, most: 190 } as const;
/** Drawing takes one part in this many of the time, at most. */
const drawingShare = 5;
/** Milliseconds over which the rate is measured. */
const rateWindow = 1000;

type Request = () => Promise<void>;

export class LearnRun {
  readonly #kernels: Kernels;
  readonly #send: (news: RunNews, transfer: Transferable[]) => void;
  readonly #abort = new AbortController();
  #run: TrainingRun | undefined;
  #paused: boolean;
  /** Mini-batches that a paused run may still take. */
  #steps = 0;
  readonly #requests: Request[] = [];
  #wake: () => void = () => {};
  #isDrawn = true;
  #ended: Model | undefined;
  // time, without pauses
  #seconds: number;
  #since = performance.now();
  #mark = { at: 0, examples: 0, rate: 0 };
  #drawnAt = -Infinity;
  #drawingTakes = 0;
  #sentAt = -Infinity;
  #points: Point[] = [];
  #last: TrainReport | undefined;
  /** All examples of the run. */
  total = 0;

  constructor(
    kernels: Kernels,
    send: (news: RunNews, transfer: Transferable[]) => void,
    { begins, seconds }: { readonly begins: Beginning; readonly seconds: number },
  ) {
    this.#kernels = kernels;
    this.#send = send;
    this.#paused = begins !== "going";
    this.#steps = begins === "one step" ? 1 : 0;
    this.#seconds = seconds;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Seconds of learning so far. */
  get seconds(): number {
    return this.#seconds + (performance.now() - this.#since) / 1000;
  }

  get examples(): number {
    return this.#last?.examples ?? 0;
  }

  get paused(): boolean {
    return this.#paused;
  }

  pause(): void {
    this.#paused = true;
  }

  go(): void {
    this.#paused = false;
    this.#wake();
  }

  /** One mini-batch more, then pause. */
  step(): void {
    this.#paused = true;
    this.#steps++;
    this.#wake();
  }

  stop(): void {
    this.#abort.abort();
    this.#wake();
  }

  /** The page has drawn the last picture. */
  drawn(): void {
    this.#isDrawn = true;
  }

  /** Follow a run to its end; its model. A run that was stopped gives a model that says so. */
  async follow(run: TrainingRun): Promise<{ readonly model: Model; readonly report: TrainReport }> {
    this.#run = run;
    this.#since = performance.now();
    for await (const report of run) {
      this.#last = report;
      const { examples, rmse, testRmse, stepSize, atomsUsed } = report;
      const tested = testRmse === undefined ? {} : { testRmse };
      this.#points.push({ examples, rmse, stepSize, atomsUsed, ...tested });
      if (!report.ended) await this.#show(run, report);
      if (!report.ended) await this.#between();
    }
    const report = this.#last as TrainReport;
    const model = this.#marked(await run.model(), report);
    this.#ended = model;
    await this.#answer();
    this.#report(report, await galleryOf(model, this.#kernels));
    return { model, report };
  }

  /** The bytes of the model so far, and a picture of all its atoms. */
  file(kind: "npz" | "png"): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const make = async (): Promise<void> => {
        const model = this.#ended ?? (await this.#snapshot());
        resolve(kind === "npz" ? modelToBytes(model) : await galleryFile(model, this.#kernels));
      };
      this.#requests.push(() => make().catch(reject));
      this.#wake();
      if (this.#ended) void this.#answer();
    });
  }

  async #snapshot(): Promise<Model> {
    const model = await (this.#run as TrainingRun).snapshot();
    return partial(model, this.examples, this.total);
  }

  #marked(model: Model, { ended, examples }: TrainReport): Model {
    return ended === "epochs" ? model : partial(model, examples, this.total);
  }

  /** Between two mini-batches: files that are asked for, and pauses. */
  async #between(): Promise<void> {
    await this.#answer();
    while (this.#paused && this.#steps === 0 && !this.signal.aborted) {
      this.#seconds = this.seconds;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (this.#requests.length > 0) resolve();
      });
      this.#since = performance.now();
      this.#mark = { ...this.#mark, at: this.#since, examples: this.examples };
      await this.#answer();
    }
    if (this.#paused) this.#steps = Math.max(0, this.#steps - 1);
  }

  async #answer(): Promise<void> {
    for (let request = this.#requests.shift(); request; request = this.#requests.shift()) await request();
  }

  /** Draw the atoms when it is time for it; send numbers more often. */
  async #show(run: TrainingRun, report: TrainReport): Promise<void> {
    const now = performance.now();
    const wait = Math.min(pace.most, Math.max(pace.least, drawingShare * this.#drawingTakes));
    const isFirst = this.#drawnAt === -Infinity;
    if (isFirst || this.#paused || (this.#isDrawn && now - this.#drawnAt >= wait)) {
      const gallery = await galleryOf(await run.snapshot(), this.#kernels);
      this.#drawnAt = performance.now();
      this.#drawingTakes = this.#drawnAt - now;
      this.#report(report, gallery);
    } else if (now - this.#sentAt >= pace.most) this.#report(report);
  }

  #report({ step, examples }: TrainReport, gallery?: Gallery): void {
    const now = performance.now();
    this.#sentAt = now;
    if (this.#mark.at === 0) this.#mark = { at: now, examples, rate: 0 };
    const passed = now - this.#mark.at;
    const rate = (1000 * (examples - this.#mark.examples)) / Math.max(passed, 1);
    if (passed > rateWindow) this.#mark = { at: now, examples, rate };
    const points = this.#points;
    this.#points = [];
    const shown = this.#mark.rate === 0 ? rate : this.#mark.rate;
    const news = { points, step, seconds: this.seconds, rate: shown };
    if (gallery) this.#isDrawn = false;
    this.#send(gallery ? { ...news, gallery } : news, gallery ? [gallery.pixels.data.buffer] : []);
  }
}

/** The model of a run that has not come to its end, marked as the command line marks it. */
function partial({ base, A, meta, uses, norms, dictionary }: Model, examples: number, of: number): Model {
  return new Model(base, A, { ...meta, partial: { examples, of } }, { uses, norms }, dictionary);
}
