/**
 * Universal dictionaries: learn one, approximate patches of other pictures by its
 * atoms and by wavelets, look for patterns that recur in it, and draw all of it.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import type { Signal } from "../../core/signal.js";
import { atomFamilies } from "../../figures/atoms/atomFamilies.js";
import type { Kernels } from "../../kernels/contract.js";
import { type LearnerName, learners } from "../../learn/learners/registry.js";
import { train } from "../../learn/run/train.js";
import { resolveTraining, type TrainOptions } from "../../learn/run/trainOptions.js";
import { approximatorOf, samplePatches } from "../../tasks/approximate/mTerm.js";
import { type Contender, type MTermCurve, mTermCurves } from "../../tasks/approximate/mTermCurves.js";
import type {
  ExperimentData,
  ExperimentOptions,
  ExperimentRun,
  ExperimentTools,
  Outcome,
} from "../shared/experiment.js";
import { learnAndTest } from "../shared/pageParts.js";
import type { Rival, UniversalConfig } from "./config.js";
import { judge } from "./expected.js";
import { universalFiles } from "./files.js";
import { type Learned, type LearningPoint, learned } from "./result.js";

/** The experiment with these options, checked. */
export function prepareUniversal(config: UniversalConfig, options: ExperimentOptions): ExperimentRun {
  const { quick, batch, ...given } = options;
  const small = quick ? { ...config.quick, margin: undefined } : {};
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const batches = batch === undefined ? {} : { batch: { gpu: batch, other: batch } };
  const resolved: UniversalConfig = { ...config, ...small, ...said, ...batches };
  resolveTraining(trainOptions(resolved, "cpu"));
  return (data, tools) => runUniversal(resolved, data, tools);
}

/** Measure what there is, learn, measure again, draw. */
export async function runUniversal(
  config: UniversalConfig,
  data: ExperimentData,
  tools: ExperimentTools,
): Promise<Outcome> {
  const start = performance.now();
  const { kernels, onStage = () => {} } = tools;
  const { images, test, sources } = learnAndTest(config.pictures, config.seed, data);
  const { patch, testPatches: count, seed } = config;
  const patches = await samplePatches(test, { patch, count, seed, kernels });
  const analytic = await compare(config, analyticContenders(config), patches, tools); // first: it may not fit
  const results = await learnAll(config, images, test, tools);
  const contenders = results.map(({ label, model }) => ({ label, make: () => model }));
  const curves = [...analytic, ...(await compare(config, contenders, patches, tools))];
  const { model } = results.at(-1)!;
  onStage("looking for recurring patterns");
  const atoms = await model.atoms(kernels);
  const families = atomFamilies(atoms, model.shape);
  onStage("drawing");
  const device = `${kernels.name}: ${kernels.description}`;
  const seconds = (performance.now() - start) / 1000;
  const tested = patches.cols;
  const result = {
    config,
    model,
    atoms,
    learned: results,
    tested,
    curves,
    families,
    sources,
    device,
    seconds,
  };
  const claims = judge(config, curves, results);
  return {
    header: ["PSNR (dB) with M terms", ...config.terms.map((M) => `M = ${M}`)],
    rows: curves.map(({ label, psnr }) => [label, ...config.terms.map((M) => psnr[M].toFixed(2))]),
    claims,
    values: {
      terms: config.terms,
      psnr: Object.fromEntries(curves.map(({ label, psnr }) => [label, psnr])),
      seconds: Object.fromEntries(results.map((one) => [one.label, one.seconds])),
    },
    files: universalFiles(result, claims),
  };
}

/** Measurements of the test error during learning. */
const tests = 20;

function trainOptions(
  config: UniversalConfig,
  device: Kernels["name"],
  learner: LearnerName = "osdl",
): TrainOptions {
  const { patch, base, atoms, atomSparsity, sparsity, examples, epochs, batch, seed, testPatches } = config;
  return {
    patch,
    base,
    atoms,
    learner,
    ...(learners[learner].ownOptions.includes("atomSparsity") ? { atomSparsity } : {}),
    coding: { sparsity },
    examples,
    epochs,
    batch: device === "gpu" ? batch.gpu : batch.other,
    seed,
    holdout: testPatches,
    testEvery: Math.ceil((examples * epochs) / tests) || 1,
  };
}

/** The rivals that were learned to their end, and the dictionary as the last: it is learned first. */
async function learnAll(
  config: UniversalConfig,
  images: readonly Signal[],
  test: readonly Signal[],
  tools: ExperimentTools,
): Promise<Learned[]> {
  const one = (rival: Rival) => {
    tools.onStage?.(`learning: ${rival.label}`);
    return learn(config, rival, images, test, tools);
  };
  const ours = await one({ label: learned, learner: "osdl" });
  const rivals: Learned[] = [];
  for (const rival of config.rivals) {
    const theirs = tools.signal?.aborted ? undefined : await one(rival);
    if (theirs && !tools.signal?.aborted) rivals.push(theirs);
  }
  return [...rivals, ours];
}

async function learn(
  config: UniversalConfig,
  { label, learner }: Rival,
  images: readonly Signal[],
  testSignals: readonly Signal[],
  { kernels, signal, follow }: ExperimentTools,
): Promise<Learned> {
  const start = performance.now();
  const options = { ...trainOptions(config, kernels.name, learner), testSignals, kernels, signal };
  const learning: LearningPoint[] = [];
  const run = train(images, options);
  const watched = {
    plan: () => run.plan(),
    async *[Symbol.asyncIterator]() {
      for await (const report of run) {
        const { examples, testRmse } = report;
        if (testRmse !== undefined) learning.push({ examples, testRmse });
        yield report;
      }
    },
  };
  if (follow) await follow(watched);
  else for await (const _ of watched);
  return { label, model: await run.model(), learning, seconds: (performance.now() - start) / 1000 };
}

function analyticContenders({ patch, comparisons }: UniversalConfig): Contender[] {
  return comparisons.map(({ label, approximator }) => ({
    label,
    make: () => approximatorOf(approximator, patch),
  }));
}

/** The test patches, approximated by each. */
function compare(
  { terms }: UniversalConfig,
  contenders: readonly Contender[],
  patches: DenseMatrix,
  { kernels, onStage, onProgress }: ExperimentTools,
): Promise<MTermCurve[]> {
  return mTermCurves(contenders, patches, {
    most: terms.at(-1)!,
    kernels,
    onProgress(label, done) {
      if (done === 0) onStage?.(`approximating ${patches.cols} test patches: ${label}`);
      else onProgress?.(`${label}: ${done} of ${patches.cols} test patches`);
    },
  });
}
