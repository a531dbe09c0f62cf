/**
 * A learner that takes batches as they come, instead of a run that draws them: `partialFit` learns from one batch
 * and reports as a training run does.
 *
 * A batch is seen once, in mini-batches of `batch` examples, in an order that the seed and the number of the batch
 * decide. The first batch brings what a run finds in its data: the units (docs/decisions/0002-units.md) and the starting
 * atoms. How long learning will last is not known, so first steps are short by default, and there is no mean over a
 * last epoch. Learners of the whole set cannot learn this way.
 *
 * What follows from the options, the seed and the batches is the same on any number of threads, and the same after a
 * checkpoint as without.
 */

import { asyncDispose, type Closable, releaseWhenCollected } from "../../core/disposal.js";
import { InputError, onBehalfOf } from "../../core/errors.js";
import { EventLoopPause } from "../../core/eventLoop.js";
import { Rng } from "../../core/random/rng.js";
import { sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { PatchSampler } from "../../data/sampling/patchSampler.js";
import { chooseKernels } from "../../kernels/chooseDevice.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { HeldKernels } from "../../kernels/heldKernels.js";
import type { Model } from "../../model/model.js";
import { version } from "../../model/version.js";
import { codingError, type ExampleSet } from "../../pursuit/encoder.js";
import { AtomCare } from "../atoms/atomCare.js";
import { draftCheckpoint } from "../checkpoints/checkpoint.js";
import type { SavedReport } from "../checkpoints/checkpointHeader.js";
import { ResidentExamples } from "../examples/examples.js";
import { findUnusable, notUsable } from "../examples/usableSamples.js";
import type { Learner } from "../learners/learner.js";
import { BestModel } from "../run/bestModel.js";
import { planMemory, requireFits } from "../run/plan/memoryPlan.js";
import { describeRun, type RecordedPlan, withMeta } from "../run/runMeta.js";
import { RunIdentity } from "../run/runSettings.js";
import { createLearner, type ExampleSource, extractExamples, findScale, testWindows } from "../run/setup.js";
import {
  lastExamples,
  requireFiniteAtoms,
  requireFiniteError,
  type TrainReport,
} from "../run/trainingLoop.js";
import { batchSignals, type ExampleBatch } from "./batchSignals.js";
import { type OnlineOptions, resolveOnline } from "./onlineOptions.js";

/**
 * A learner for batches as they come.
 *
 * @example
 * const learner = openLearner({ patch: [8, 8], coding: { sparsity: 4 } });
 * for await (const batch of batches) console.log((await learner.partialFit(batch)).rmse);
 * const model = await learner.model();
 */
export function openLearner(options: OnlineOptions): OnlineLearner {
  return new OnlineLearner(options);
}

/** What is alive once the first batch has come. */
interface OpenLearning {
  readonly kernels: Kernels;
  readonly learner: Learner;
  readonly care: AtomCare | undefined;
  readonly Y: DeviceMatrix;
  readonly means: DeviceMatrix;
  /** Signals are multiplied by this for computing. */
  readonly scale: number;
  readonly test: ExampleSet | undefined;
}

export class OnlineLearner implements Closable {
  readonly #options: OnlineOptions;
  readonly #plan: RecordedPlan;
  readonly #test: readonly Signal[] | undefined;
  /** Known where there are checkpoints. */
  readonly #identity: RunIdentity | undefined;
  readonly #rng: Rng;
  readonly #best: BestModel;
  readonly #pause = new EventLoopPause();
  #held: HeldKernels | undefined;
  #open: OpenLearning | undefined;
  #latest: SavedReport | undefined;
  #tested: { readonly step: number; readonly testRmse: number } | undefined;
  /** Batches and examples so far. */
  #batches: number;
  #examples: number;
  #nextTest: number;
  #atomsReplaced = 0;
  /** Calls are done one after the other, also by callers that do not wait. */
  #last: Promise<unknown> = Promise.resolve();
  #model: Model | undefined;
  #ended: string | undefined;

  constructor(options: OnlineOptions) {
    const { plan, test } = resolveOnline(options);
    const { resume, checkpoints } = options;
    const at = resume?.header.position;
    this.#options = options;
    this.#plan = plan;
    this.#test = test;
    this.#rng = Rng.from(plan.seed);
    this.#best = new BestModel(plan.keep === "best", at?.tests);
    this.#latest = resume?.header.report;
    this.#batches = at?.epoch ?? 0;
    this.#examples = at?.examples ?? 0;
    this.#nextTest = at?.nextTest ?? 0;
    if (checkpoints || resume)
      this.#identity = onBehalfOf("openLearner", () => identify(plan, test, options));
  }

  /** Updates so far: mini-batches. */
  get step(): number {
    return this.#open?.learner.step ?? this.#options.resume?.header.position.step ?? 0;
  }

  /** Batches so far: after a checkpoint, those that must not be given again. */
  get batches(): number {
    return this.#batches;
  }

  /** Examples seen so far. */
  get examples(): number {
    return this.#examples;
  }

  /** Learn from a batch, once. The `epoch` of the report counts batches. */
  partialFit(batch: ExampleBatch): Promise<TrainReport> {
    return this.#inTurn(() => this.#learn(batch));
  }

  /** The test error of the current dictionary, in the units of the data. */
  test(): Promise<number> {
    return this.#inTurn(async () => {
      const { test } = await this.#opened("test");
      if (!test) throw new InputError("OnlineLearner.test: there is no test set: give test to openLearner");
      return this.#measure();
    });
  }

  /** The current dictionary. It changes nothing. */
  snapshot(): Promise<Model> {
    return this.#inTurn(async () => {
      await this.#opened("snapshot");
      return this.#current();
    });
  }

  /** Save a checkpoint now. */
  save(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#options.checkpoints)
        throw new InputError("OnlineLearner.save: needs the option checkpoints of openLearner");
      await this.#opened("save");
      await this.#save();
    });
  }

  /** End: save a checkpoint, test once more, free all memory, and return the best dictionary that was tested, or the last. */
  model(): Promise<Model> {
    return this.#inTurn(async () => {
      if (this.#model) return this.#model;
      await this.#opened("model");
      await this.#save();
      this.#model = await this.#end();
      this.#ended = "has ended";
      await this.#held?.release();
      return this.#model;
    });
  }

  /** Free all memory, without a last test or checkpoint. Closing twice does nothing. */
  close(): Promise<void> {
    const close = async () => {
      this.#ended ??= "was closed";
      await this.#held?.release();
    };
    this.#last = this.#last.then(close, close);
    return this.#last as Promise<void>;
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {}); // whoever called knows
    return result;
  }

  async #opened(method: string): Promise<OpenLearning> {
    if (this.#ended) throw new InputError(`OnlineLearner.${method}: the learner ${this.#ended}`);
    if (!this.#open) throw new InputError(`OnlineLearner.${method}: no batch has come yet`);
    return this.#open;
  }

  async #learn(batch: ExampleBatch): Promise<TrainReport> {
    if (this.#ended) throw new InputError(`OnlineLearner.partialFit: the learner ${this.#ended}`);
    const { base, nodata } = this.#plan;
    const signals = batchSignals("OnlineLearner.partialFit", batch, base.shape, nodata);
    const sampler = onBehalfOf("OnlineLearner.partialFit", () => this.#sampler(signals));
    this.#open ??= await this.#start(signals, sampler);
    try {
      await this.#update(this.#open, signals, sampler);
      return await this.#after(this.#open);
    } catch (error) {
      if (!(error instanceof InputError)) this.#ended = "failed";
      throw error;
    }
  }

  /** The windows of a batch in the order they are seen. */
  #sampler(signals: readonly Signal[]): PatchSampler {
    const { base, examples } = this.#plan;
    const rng = this.#batches === 0 ? this.#rng : this.#rng.split(`batch ${this.#batches}`);
    return new PatchSampler(signals, { patch: base.shape, holdout: 0, examples }, rng);
  }

  async #update(open: OpenLearning, signals: readonly Signal[], sampler: PatchSampler): Promise<void> {
    const { kernels, learner, care, scale } = open;
    const plan = this.#plan;
    requireUsable(signals, scale);
    const store = kernels.signals(signals, scale);
    const N = sampler.examples;
    try {
      for (let from = 0; from < N; from += plan.batch) {
        const windows = sampler.trainingWindows(0, from, Math.min(from + plan.batch, N));
        await this.#best.beforeChange(learner.step, () => this.#current());
        await learner.update(await extractExamples(open, plan, { store, windows }));
        await this.#pause.ifDue();
        this.#examples += windows.signal.length;
        if (care && plan.atomCare && learner.step % plan.atomCare.every === 0)
          this.#atomsReplaced += await care.replaceWeakAtoms(
            lastExamples({ ...open, plan }, { store, windows }),
          );
      }
    } catch (error) {
      this.#ended = "failed"; // in the middle of a batch
      throw error;
    } finally {
      kernels.free(store);
    }
    this.#batches++;
  }

  /** What is due after a batch: the report, a test, a checkpoint. */
  async #after({ learner, scale, test }: OpenLearning): Promise<TrainReport> {
    const [{ rmse, ...rest }] = await Promise.all([learner.report(), requireFiniteAtoms(learner, where)]);
    requireFiniteError(learner, rmse, where);
    const tests = test !== undefined && this.#examples >= this.#nextTest;
    const tested = tests ? { testRmse: await this.#measure() } : {};
    const progress = { epoch: this.#batches, examples: this.#examples, atomsReplaced: this.#atomsReplaced };
    this.#latest = { ...rest, rmse: rmse / scale, ...progress, ...tested };
    this.#atomsReplaced = 0;
    if (this.#options.checkpoints?.due(learner.step)) await this.#save();
    return this.#latest;
  }

  /** Measure the test error, and when to do so again. */
  async #measure(): Promise<number> {
    const { kernels, learner, scale, test } = this.#open as OpenLearning & { test: ExampleSet };
    const testRmse = (await codingError(learner.encoder, test, this.#plan.removeMean, kernels)) / scale;
    requireFiniteError(learner, testRmse, where);
    const { step } = learner;
    this.#best.note({ step, examples: this.#examples, testRmse });
    this.#tested = { step, testRmse };
    this.#nextTest = this.#examples + (this.#plan.testEvery ?? testShare * test.windows.signal.length);
    return testRmse;
  }

  #current(): Promise<Model> {
    const { learner } = this.#open as OpenLearning;
    const meta = this.#meta(this.#examples);
    return learner.snapshot ? learner.snapshot(meta) : learner.model(meta);
  }

  #meta(examples: number) {
    return describeRun({ ...this.#plan, examples: Math.max(1, examples) }, examples);
  }

  /** The model that is kept, once nothing more is to be learned. */
  async #end(): Promise<Model> {
    const { learner, test } = this.#open as OpenLearning;
    const { keep } = this.#plan;
    const { step } = learner;
    if (test && keep === "best" && this.#tested?.step !== step) {
      await learner.finish?.(false);
      await this.#measure();
    }
    const earlier = keep === "best" ? this.#best.earlier : undefined;
    if (!earlier)
      return this.#tested?.step === step ? this.#current() : learner.model(this.#meta(this.#examples));
    const kept = { step: earlier.test.step, of: step };
    return withMeta(earlier.model, { ...this.#meta(earlier.test.examples), kept });
  }

  async #save(): Promise<void> {
    const { checkpoints } = this.#options;
    if (!checkpoints || !this.#latest) return;
    const { learner, scale } = this.#open as OpenLearning;
    await requireFiniteAtoms(learner, where);
    const position = {
      ...{ step: learner.step, epoch: this.#batches, examples: this.#examples, nextTest: this.#nextTest },
      ...{ atomsReplaced: 0, best: Infinity, sinceBest: 0, seconds: 0 },
      tests: this.#best.record,
    };
    const { settings = {}, data = {} } = this.#identity ?? {};
    const header = { library: version, settings, data, scale, position, report: this.#latest };
    const parts = [...learner.savable.parts(), ...this.#best.parts()];
    await checkpoints.save(draftCheckpoint(header, parts));
  }

  // — before the first update ————————————————————————————————————————————————

  async #start(signals: readonly Signal[], sampler: PatchSampler): Promise<OpenLearning> {
    const given = this.#options.kernels;
    const held = new HeldKernels(given ?? (await chooseKernels()).kernels, given === undefined);
    this.#held = held;
    releaseWhenCollected(this, () => held.release());
    try {
      const open = await this.#makeLearner(signals, sampler, held.kernels);
      this.#open = open;
      if (this.#options.resume) await this.#restore(open);
      else if (open.test) await this.#measure();
      return open;
    } catch (error) {
      this.#open = undefined;
      await held.release();
      throw error;
    }
  }

  async #makeLearner(
    signals: readonly Signal[],
    sampler: PatchSampler,
    kernels: Kernels,
  ): Promise<OpenLearning> {
    const options = this.#plan;
    const samples = [...signals, ...(this.#test ?? [])].reduce((sum, { data }) => sum + data.length, 0);
    requireFits("openLearner", planMemory(options, samples, kernels), kernels.memory.limit);
    const n = sizeOf(options.base.shape);
    const [Y, means] = [kernels.matrix(n, options.batch), kernels.matrix(1, options.batch)];
    const examples = new ResidentExamples(signals, sampler, kernels);
    const { resume } = this.#options;
    const source: ExampleSource = {
      ...{ kernels, sampler, examples, options, Y, means },
      resumes: resume !== undefined,
    };
    const scale = resume?.header.scale ?? (await findScale(source, signals));
    requireUsable(signals, scale); // before anything is made from them
    examples.scaleBy(scale);
    const learner = await createLearner(source, scale, this.#rng);
    await examples.free();
    const { replaceable } = learner;
    const care =
      options.atomCare && replaceable ? new AtomCare(replaceable, options.atomCare, kernels) : undefined;
    const test = this.#test && {
      store: kernels.signals(this.#test, scale),
      windows: testWindows(this.#test, options, this.#rng),
    };
    return { kernels, learner, care, Y, means, scale, test };
  }

  async #restore({ learner }: OpenLearning): Promise<void> {
    const { resume } = this.#options;
    if (!resume) return;
    const { step } = resume.header.position;
    await learner.savable.restore(resume);
    await this.#best.restore(resume, step);
    const { testRmse } = resume.header.report;
    if (testRmse !== undefined) this.#tested = { step, testRmse };
  }
}

/** What messages of a learner that has diverged begin with. */
const where = "OnlineLearner";

/** Reject samples that this learner cannot use. */
function requireUsable(signals: readonly Signal[], scale: number): void {
  const unusable = findUnusable(signals, scale);
  if (unusable) throw notUsable(unusable).by("OnlineLearner.partialFit");
}

/** Examples between two tests by default, as a multiple of those tested: tests then take about a tenth of the time. */
const testShare = 10;

function identify(
  plan: RecordedPlan,
  test: readonly Signal[] | undefined,
  { resume }: OnlineOptions,
): RunIdentity {
  const identity = new RunIdentity(plan, resume?.header);
  identity.addBatches();
  if (test) identity.addSignals("the test data", test);
  return identity;
}
