/**
 * A⁰ of a sparse dictionary from examples: the sparse codes of examples over Φ, as unit
 * atoms (atomFits.ts).
 *
 *   examples   the first m examples that are not zero; random directions if there are too few
 *   both       the m atoms that are used most when further examples are coded over the
 *              atoms of the base (with the mixtures of initialAtoms.ts where m > L) and
 *              the atoms of the first m examples together, by OMP: OLS uses more of the
 *              examples, and atoms chosen by it begin with less error but end with more
 *
 * `both` lets the data choose: small patches take mostly examples, large ones mostly base
 * atoms. The examples that become atoms are not among those that are coded, in which each
 * would use itself. At most half of the examples become atoms.
 *
 * Memory   for `both`, the Gram matrix of all candidates, up to (L + m)², unless the kernels work without.
 */

import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { baseCols, baseRows } from "../../dictionaries/base.js";
import { SparseDictionary, unitColumns } from "../../dictionaries/dictionary.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { codingBytes, Encoder, resolveLimits } from "../../pursuit/encoder.js";
import type { LearnerOptions, MemoryOptions, MemoryPart } from "../learners/learner.js";
import { newAtomSparsity } from "./atomCare.js";
import { AtomFits, fitBytes } from "./atomFits.js";
import {
  codedExamples,
  exampleAtoms,
  initialAtoms,
  mostUsed,
  type StartSetting,
  startingFactor,
  takeExamples,
} from "./initialAtoms.js";

/** A⁰ of a learner of sparse atoms that can start from examples. */
export async function chosenFactor(setting: StartSetting): Promise<SparseColumns> {
  const { options, model } = setting;
  if (model || options.init === "base") return startingFactor(setting);
  if (options.init === "both") return mostUsedOfBoth(setting);
  return fitExamples(setting, await exampleAtoms(setting));
}

/** The non-zeros that an atom made of an example starts with. */
function startingSparsity({ atomSparsity }: LearnerOptions): number {
  return Math.min(atomSparsity, newAtomSparsity);
}

/** Unit examples as sparse atoms, with room for k non-zeros. */
async function fitExamples(
  { options, kernels }: StartSetting,
  examples: DenseMatrix,
): Promise<SparseColumns> {
  const { base, atomSparsity: k } = options;
  const fits = await AtomFits.create(base, startingSparsity(options), examples.cols, kernels);
  const U = kernels.matrix(examples.rows, examples.cols);
  const A = kernels.sparse(baseCols(base), examples.cols, k);
  await kernels.writeMatrix(U, examples);
  await fits.replace(U, A);
  const atoms = await kernels.readSparse(A);
  fits.free();
  kernels.free(U, A);
  return atoms;
}

/** The most used of the base atoms and the atoms of examples. */
async function mostUsedOfBoth(setting: StartSetting): Promise<SparseColumns> {
  const { options, rng } = setting;
  const { base, atoms: m, atomSparsity: k } = options;
  const L = baseCols(base);
  const own = initialAtoms(L, Math.max(L, m), k, rng);
  const { candidates, uses } = await countUses(setting, own);
  const A = new SparseColumns(L, m, k);
  mostUsed(uses, m).forEach((atom, j) => A.copyColumn(candidates, atom, j));
  return A;
}

/** Code examples over `own` atoms and those of the first examples; returns all of them, and how often each was used. */
async function countUses(
  setting: StartSetting,
  own: SparseColumns,
): Promise<{ candidates: SparseColumns; uses: Float32Array }> {
  const { options, firstExamples, kernels, onProgress } = setting;
  const most = mostAtoms(options.atoms, setting.examples);
  const all = startingExamples(options.atoms, setting.examples);
  onProgress?.(0);
  const examples = new DenseMatrix(baseRows(options.base), most);
  const rest = kernels.matrix(examples.rows, options.batch);
  let [seen, found, done] = [0, 0, 0];
  let coding: CandidateCoding | undefined;
  for await (const Y of firstExamples(most + codedExamples)) {
    const taken = Math.min(Y.cols, most - seen);
    seen += taken;
    done += Y.cols;
    if (taken > 0) found = takeExamples((await kernels.readMatrix(Y)).slice(0, taken), examples, found);
    if (seen < most || taken === Y.cols) continue;
    coding ??= await CandidateCoding.create(setting, own, unitColumns(examples.slice(0, found)));
    const y = kernels.head(rest, Y.cols - taken);
    await kernels.copyColumns(Y, taken, y);
    await coding.count(y);
    onProgress?.((done - most) / (all - most));
  }
  kernels.free(rest);
  if (!coding) return { candidates: own, uses: new Float32Array(own.cols) }; // nothing left to code
  return coding.end();
}

/** The most examples, of this many, that become atoms. */
function mostAtoms(atoms: number, examples: number): number {
  return Math.min(atoms, Math.floor(examples / 2));
}

/** How many of the examples of an epoch are fitted or coded to find the starting atoms of `both`. */
export function startingExamples(atoms: number, examples: number): number {
  return Math.min(examples, mostAtoms(atoms, examples) + codedExamples);
}

/** A pursuit over all candidates that counts their uses. */
class CandidateCoding {
  readonly candidates: SparseColumns;
  readonly #encoder: Encoder<SparseDictionary>;
  readonly #uses: DeviceMatrix;
  readonly #kernels: Kernels;

  private constructor(
    candidates: SparseColumns,
    dictionary: SparseDictionary,
    { coding, batch }: LearnerOptions,
    kernels: Kernels,
  ) {
    const limits = resolveLimits("train", { ...coding, pursuit: "omp" }, dictionary.rows, dictionary.cols);
    this.candidates = candidates;
    this.#encoder = new Encoder(dictionary, limits, batch, kernels);
    this.#uses = kernels.matrix(dictionary.cols, 1);
    this.#kernels = kernels;
  }

  static async create(
    setting: StartSetting,
    own: SparseColumns,
    examples: DenseMatrix,
  ): Promise<CandidateCoding> {
    const { options, kernels } = setting;
    const fitted = await fitExamples(setting, examples);
    const candidates = new SparseColumns(own.rows, own.cols + fitted.cols, own.width);
    for (let j = 0; j < own.cols; j++) candidates.copyColumn(own, j, j);
    for (let j = 0; j < fitted.cols; j++) candidates.copyColumn(fitted, j, own.cols + j);
    const dictionary = await SparseDictionary.create(options.base, candidates, kernels);
    return new CandidateCoding(candidates, dictionary, options, kernels);
  }

  async count(Y: DeviceMatrix): Promise<void> {
    await this.#kernels.countUses(await this.#encoder.encode(Y), this.#uses);
  }

  async end(): Promise<{ candidates: SparseColumns; uses: Float32Array }> {
    const { data: uses } = await this.#kernels.readMatrix(this.#uses);
    this.#encoder.free();
    this.#encoder.dictionary.free();
    this.#kernels.free(this.#uses);
    return { candidates: this.candidates, uses };
  }
}

/** The memory that making A⁰ takes beyond that of the learner, which is not there yet. */
export function startMemory(options: MemoryOptions, learning: readonly MemoryPart[]): MemoryPart {
  const later = learning.reduce((sum, { bytes }) => sum + bytes, 0);
  return { what: "starting atoms", bytes: Math.max(0, startBytes(options) - later) };
}

/** The atoms that those of `both` are chosen from: the base atoms, with mixtures of them where m > L, and examples. */
export function candidateAtoms(L: number, m: number): number {
  return Math.max(L, m) + m;
}

/** The bytes that making A⁰ takes. */
function startBytes(options: MemoryOptions): number {
  const { base, atoms: m, batch, coding, init, mostGramAtoms } = options;
  const [n, L] = [baseRows(base), baseCols(base)];
  const k = startingSparsity(options);
  const all = candidateAtoms(L, m);
  const p = coding.sparsity ?? Math.min(n, init === "both" ? all : m);
  const codes = 4 * batch * (n + 2 * p + 1);
  if (init === "base") return m < L ? codingBytes(L, batch, mostGramAtoms) + codes + 20 * L : 0;
  const fitting = fitBytes(options, k, m) + 4 * m * (n + 2 * options.atomSparsity);
  const counting = codingBytes(all, batch, mostGramAtoms) + 8 * all * options.atomSparsity + codes;
  return init === "both" ? Math.max(fitting, counting) : fitting;
}
