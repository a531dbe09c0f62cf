/** Whole jobs: coding and training, and the gain of a second thread. */

import type { DenseMatrix } from "../src/core/matrix.js";
import type { Signal } from "../src/core/signal.js";
import { SparseDictionary } from "../src/dictionaries/dictionary.js";
import type { Kernels, PursuitName } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { train } from "../src/learn/run/train.js";
import { Encoder } from "../src/pursuit/encoder.js";
import { type Problem, problems } from "./problems.js";
import { type Dictionary, type Options, readPictures } from "./setting.js";
import { digits, table } from "./table.js";

/** Examples coded at a time. */
const examplesAtOnce = 2048;

/** Code patches over ΦA: Gram matrix, projection, pursuit and reading the codes all count; the RMSE does not. */
export async function codeAll(
  { base, A }: Dictionary,
  patches: DenseMatrix,
  p: number,
  kernels: Kernels,
  pursuit: PursuitName = "omp",
) {
  const start = performance.now();
  const D = await SparseDictionary.create(base, A, kernels);
  const encoder = new Encoder(D, { sparsity: p, residualEnergy: 0, pursuit }, examplesAtOnce, kernels);
  const Y = kernels.matrix(patches.rows, examplesAtOnce);
  const total = kernels.matrix(1, 1);
  let seconds = 0;
  for (let from = 0; from < patches.cols; from += examplesAtOnce) {
    const to = Math.min(from + examplesAtOnce, patches.cols);
    const y = kernels.head(Y, to - from);
    await kernels.writeMatrix(y, patches.slice(from, to));
    const X = await encoder.encode(y);
    await kernels.readSparse(X);
    const pause = performance.now();
    await encoder.residual(y, X, y); // measuring quality is not part of the job
    await kernels.addSquaredNorm(y, total, 0);
    seconds -= (performance.now() - pause) / 1000;
  }
  seconds += (performance.now() - start) / 1000;
  const rmse = Math.sqrt((await kernels.readMatrix(total)).data[0] / patches.data.length);
  encoder.free();
  D.free();
  kernels.free(Y, total);
  return { seconds, rmse };
}

/** One epoch of OSDL or ODL: seconds of the updates, without the tests before and after, and the test RMSE at the end. */
export async function trainEpoch(
  problem: Problem,
  pictures: readonly Signal[],
  examples: number,
  kernels: Kernels,
  learner: "osdl" | "odl" = "osdl",
) {
  const { patch, sparsity, redundancy } = problem;
  const own = learner === "osdl" ? { atomSparsity: problem.atomSparsity } : {};
  const length = { examples, epochs: 1, batch: 512, testEvery: examples, keep: "last" } as const; // one epoch, tested at its ends
  const options = { patch, redundancy, coding: { sparsity }, learner, ...length, ...own };
  const clock = new UpdateClock(kernels);
  const run = train(pictures, { ...options, kernels: clock.kernels });
  await run.plan();
  let start = performance.now();
  let rmse = Number.NaN;
  for await (const report of run) {
    if (report.testRmse !== undefined) rmse = report.testRmse;
    if (report.examples === 0) start = performance.now();
  }
  return { seconds: (clock.end - start) / 1000, rmse };
}

/** When the last Gram matrix was ready: every update ends with it, and tests need no new one. */
class UpdateClock {
  readonly kernels: Kernels;
  end = 0;

  constructor(kernels: Kernels) {
    const ended = () => {
      this.end = performance.now();
    };
    this.kernels = {
      ...kernels,
      get memory() {
        return kernels.memory;
      },
      refreshGram: (...given) => kernels.refreshGram(...given).then(ended),
      correlate: (D, Y, P) => (D === Y ? kernels.correlate(D, Y, P).then(ended) : kernels.correlate(D, Y, P)),
    };
  }
}

export async function benchJobs(options: Options): Promise<string> {
  const pictures = await readPictures(options.images);
  const scale = options.quick ? 10 : 1;
  const rows: string[][] = [];
  for (const [problem, examples] of [
    [problems.small, 200_000 / scale],
    [problems.lena32, 20_480 / scale],
  ] as const) {
    const times: number[] = [];
    for (const threads of [1, 2]) {
      const kernels = await createCpuKernels({ threads });
      const { seconds, rmse } = await trainEpoch(problem, pictures, examples, kernels);
      await kernels.close();
      times.push(seconds);
      const gain = threads === 1 ? "" : `${(times[0] / seconds).toFixed(2)}×`;
      rows.push([
        `OSDL ${problem.name}, ${examples} examples`,
        String(threads),
        digits(seconds),
        digits(examples / seconds),
        rmse.toFixed(3),
        gain,
      ]);
    }
  }
  return table(["job", "threads", "s", "examples/s", "test RMSE", "against 1 thread"], rows);
}
