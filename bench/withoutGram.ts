/**
 * Coding with the Gram matrix of the atoms and without: time and error per example, both ways on the same patches,
 * and the share of codes with the same atoms. Sizes that one way has no memory for are measured the other way alone.
 */

import { SparseColumns } from "../src/core/matrix.js";
import { Rng } from "../src/core/random/rng.js";
import { sizeOf } from "../src/core/shape.js";
import type { Signal } from "../src/core/signal.js";
import { baseCols, createBase } from "../src/dictionaries/base.js";
import { SparseDictionary } from "../src/dictionaries/dictionary.js";
import type { Kernels } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { createGpuKernels } from "../src/kernels/gpu/index.js";
import { Encoder } from "../src/pursuit/encoder.js";
import { fastestRun, makePatches, type Options, readPictures, upload } from "./setting.js";
import { digits, table } from "./table.js";

interface Case {
  readonly side: number;
  readonly m: number;
  readonly k: number;
  readonly p: number;
  readonly pursuit: "omp" | "ols";
}

const both: readonly Case[] = [
  { side: 32, m: 3136, k: 64, p: 20, pursuit: "omp" },
  { side: 32, m: 3136, k: 64, p: 20, pursuit: "ols" },
  { side: 64, m: 10_000, k: 128, p: 60, pursuit: "omp" },
];
const large: Case = { side: 64, m: 65_536, k: 128, p: 60, pursuit: "omp" };

export async function benchWithoutGram(options: Options): Promise<string> {
  const pictures = await readPictures(options.images);
  const isGpu = options.device === "gpu";
  const rows: string[][] = [];
  for (const one of isGpu && !options.quick ? [...both, large] : both) {
    const count = isGpu ? 2048 : options.quick ? 64 : 512;
    const ways = [];
    for (const mostGramAtoms of [undefined, 1]) {
      const kernels = await open(options, mostGramAtoms);
      if (mostGramAtoms === 1 || one.m <= kernels.mostGramAtoms)
        ways.push(await measure(one, pictures, count, kernels));
      await kernels.close();
    }
    rows.push(rowOf(one, ways, count));
  }
  const header = [
    "patches, m, k, p",
    "ms with G",
    "ms without",
    "ratio",
    "RMSE with G",
    "RMSE without",
    "same atoms",
  ];
  return `Random sparse atoms; per example, on ${options.device}\n\n${table(header, rows)}\n`;
}

async function open({ device, threads }: Options, mostGramAtoms: number | undefined): Promise<Kernels> {
  if (device !== "gpu") return createCpuKernels({ threads, mostGramAtoms });
  const kernels = await createGpuKernels(mostGramAtoms === undefined ? {} : { mostGramAtoms });
  if ("unavailable" in kernels) throw new Error(`bench: ${kernels.unavailable}`);
  return kernels;
}

interface Way {
  readonly keepsGram: boolean;
  readonly ms: number;
  readonly rmse: number;
  readonly codes: SparseColumns;
}

async function measure(
  one: Case,
  pictures: readonly Signal[],
  count: number,
  kernels: Kernels,
): Promise<Way> {
  const { side, p, pursuit } = one;
  const patch = [side, side] as const;
  const problem = { name: "", patch, sparsity: p, atomSparsity: one.k, redundancy: 1 };
  const Y = await upload(kernels, await makePatches(problem, pictures, count));
  const base = createBase("cropped:sym8", patch);
  const dictionary = await SparseDictionary.create(base, randomAtoms(baseCols(base), one), kernels);
  const limits = { sparsity: p, residualEnergy: 0, pursuit };
  const encoder = new Encoder(dictionary, limits, count, kernels);
  const seconds = await fastestRun(3, async () => kernels.readSparse(await encoder.encode(Y)));
  const X = await encoder.encode(Y);
  const codes = await kernels.readSparse(X);
  const total = kernels.matrix(1, 1);
  await encoder.residual(Y, X, Y);
  await kernels.addSquaredNorm(Y, total, 0);
  const energy = (await kernels.readMatrix(total)).data[0];
  const keepsGram = dictionary.gram !== undefined;
  return {
    keepsGram,
    ms: (1000 * seconds) / count,
    rmse: Math.sqrt(energy / (count * sizeOf(patch))),
    codes,
  };
}

/** One large entry and k − 1 small ones, at random. */
function randomAtoms(L: number, { m, k }: Case): SparseColumns {
  const rng = Rng.from(1);
  const A = new SparseColumns(L, m, k);
  for (let j = 0; j < m; j++) {
    const rows = rng.distinct(k, L).sort((a, b) => a - b);
    A.setColumn(
      j,
      rows,
      rows.map((_, i) => (i === j % k ? 3 : 0.3) * rng.normal()),
    );
  }
  return A;
}

function rowOf({ side, m, k, p, pursuit }: Case, ways: readonly Way[], count: number): string[] {
  const gram = ways.find(({ keepsGram }) => keepsGram);
  const bare = ways.find(({ keepsGram }) => !keepsGram);
  const same = gram && bare ? sameCodes(gram.codes, bare.codes) : Number.NaN;
  return [
    `${side}×${side}, ${m}, ${k}, ${p}, ${pursuit}`,
    digits(gram?.ms ?? Number.NaN),
    digits(bare?.ms ?? Number.NaN),
    digits((bare?.ms ?? Number.NaN) / (gram?.ms ?? Number.NaN)),
    digits(gram?.rmse ?? Number.NaN),
    digits(bare?.rmse ?? Number.NaN),
    Number.isNaN(same) ? "—" : `${same} of ${count}`,
  ];
}

/** Codes with the same atoms in the same order. */
function sameCodes(one: SparseColumns, other: SparseColumns): number {
  let same = 0;
  for (let i = 0; i < one.cols; i++) {
    const [from, to] = [i * one.width, (i + 1) * one.width];
    if (one.indices.subarray(from, to).every((atom, s) => atom === other.indices[from + s])) same++;
  }
  return same;
}
