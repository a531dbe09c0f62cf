/**
 * Experiment 1 of the paper with the ODL that the paper used: `trainDL` of SPAMS, from the cropped wavelets, beside OSDL over
 * the same patches, with the same mini-batches and epochs. The settings are those of figure 5
 * (src/experiments/fig05-convergence), whose own ODL is ours. SPAMS codes by orthogonal least squares while it learns, which it
 * calls ORMP, OSDL by OMP; all test errors are by our OMP, and SPAMS' once more by its own coder. The table judges nothing: claims are
 * made of it by tests/docs/spamsClaims.ts.
 */

import type { Signal } from "../src/core/signal.js";
import { describeDistance } from "../src/experiments/fig05-convergence/claims.js";
import { fig5, type SizeSettings, shareToSparsity } from "../src/experiments/fig05-convergence/settings.js";
import type { Kernels } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { train } from "../src/learn/run/train.js";
import { codeAll } from "./jobs.js";
import { Peers, readDictionary, trainingJob } from "./peerProcess.js";
import type { Problem } from "./problems.js";
import { type Options, readPictures, splitSeed } from "./setting.js";
import { digits, table } from "./table.js";

/** How much is learned from, and tested on. */
interface Length {
  readonly examples: number;
  readonly epochs: number;
  readonly tested: number;
}

export async function benchPaperOdl(options: Options): Promise<string> {
  const { threads, quick } = options;
  const peers = await Peers.open(threads);
  if (!peers?.has("spams")) return "odl: SPAMS could not be installed; nothing to compare with\n";
  const pictures = await readPictures(options.images);
  const epochs = fig5.methods.find(({ id }) => id === "osdl")!.epochs;
  const length = { examples: fig5.examples, epochs, tested: fig5.testPatches };
  const used = quick ? { examples: length.examples / 20, epochs: 1, tested: length.tested / 10 } : length;
  const kernels = await createCpuKernels({ threads });
  const rows: string[][] = [];
  const counts = new Set<string>();
  for (const size of fig5.sizes) {
    const odl = await learnWithSpams(peers, size, pictures, used, options, kernels);
    counts.add(`${odl.used.examples} patches, tested on ${odl.used.tested} others`);
    const theirs = [odl.rmse, odl.ownRmse].map(shown);
    for (const share of size.atomShares) {
      const k = shareToSparsity(size, share);
      const osdl = await learnOsdl(size, k, pictures, odl.used, kernels);
      rows.push([
        ...[size.patch.join("×"), String(k), shown(osdl.rmse), digits(osdl.seconds)],
        ...[...theirs, digits(odl.seconds)],
        describeDistance(osdl.rmse, odl.rmse),
      ]);
    }
  }
  await kernels.close();
  peers.close();
  const header = [
    ...["patch", "k", "OSDL, test RMSE (OMP)", "OSDL, s"],
    ...["spams.trainDL, test RMSE (OMP)", "with its own coder", "spams.trainDL, s"],
    "OSDL beside SPAMS (OMP)",
  ];
  const { spams } = peers.versions;
  const told = `spams ${spams}; ${[...counts].join("; ")}; ${used.epochs} epochs in mini-batches of ${fig5.batch}; both start from the cropped wavelets.`;
  return `${told}\n\n${table(header, rows)}\n`;
}

/** With digits enough for differences of a hundredth of a per cent. */
function shown(rmse: number): string {
  return rmse.toFixed(4);
}

/** The error by our OMP and by the coder of SPAMS, the seconds of learning, and how many patches there were. */
async function learnWithSpams(
  peers: Peers,
  size: SizeSettings,
  pictures: readonly Signal[],
  { examples, epochs, tested }: Length,
  { threads }: Options,
  kernels: Kernels,
) {
  const problem = problemOf(size);
  const job = await trainingJob(problem, pictures, examples, tested);
  const used: Length = { examples: job.examples, epochs, tested: job.test.cols };
  const settings = { p: size.sparsity, batch: fig5.batch, epochs, threads };
  const { seconds, rmse: ownRmse } = await peers.run({ name: "spams.trainDL", ...job.files, ...settings });
  const { rmse } = await codeAll(readDictionary(job.files.learned), job.test, size.sparsity, kernels);
  return { seconds, rmse, ownRmse, used };
}

/** As many atoms as the base has. */
function problemOf({ patch, sparsity }: SizeSettings): Problem {
  const [height, width] = patch;
  return { name: patch.join("×"), patch: [height, width], sparsity, atomSparsity: 1, redundancy: 1 };
}

/** As `reproduce fig5` learns. */
async function learnOsdl(
  { patch, sparsity }: SizeSettings,
  atomSparsity: number,
  pictures: readonly Signal[],
  { examples, epochs, tested }: Length,
  kernels: Kernels,
) {
  const { base, batch } = fig5;
  const run = train(pictures, {
    ...{ patch, base, atomSparsity, coding: { sparsity }, examples, epochs, batch, seed: splitSeed },
    ...{
      holdout: tested,
      testEvery: examples * epochs,
      firstSteps: "paper",
      init: "base",
      keep: "last",
      kernels,
    },
  });
  await run.plan();
  const start = performance.now();
  let rmse = Number.NaN;
  for await (const { testRmse } of run) rmse = testRmse ?? rmse;
  return { rmse, seconds: (performance.now() - start) / 1000 - run.testSeconds };
}
