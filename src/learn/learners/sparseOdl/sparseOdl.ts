/**
 * Sparse ODL: online learning of the sparse atoms of D = ΦA with the sums of ODL
 * [Mairal10], from a stream of mini-batches, by stochastic minimisation of
 *
 *     min ½‖Y − ΦAX‖²_F   s.t.   ‖xᵢ‖₀ ≤ p ∀i,   ‖aⱼ‖₀ ≤ k,  ‖Φaⱼ‖₂ = 1 ∀j
 *
 * which is (3) of [Sulam16] with unit atoms. Unlike OSDL it does not search for a step size: with the codes
 * fixed, past examples enter the cost only through B = Σ yᵢxᵢᵀ and C = Σ xᵢxᵢᵀ, and
 *
 *     f(D) = ½ tr(DᵀDC) − tr(DᵀB)
 *
 * is minimised atom by atom in closed form. One mini-batch:
 *
 *     X ← SparseCode(Y, D)                                     codeBatch
 *     B ← βₜB + YXᵀ,   C ← βₜC + XXᵀ                           kernels.addMoments
 *     every few mini-batches (`updateKind`), from U = D:       updateAtoms
 *         for each atom in turn                                kernels.descendAtoms
 *             v = uⱼ + ω(bⱼ − Ucⱼ)/Cⱼⱼ,  uⱼ ← v/‖v‖₂
 *         a move: aⱼ ← one step of hard thresholding           AtomFits.approach
 *             pursuit towards uⱼ, where closer
 *         or, where it is quick, a fit: aⱼ ← OLS_k(Φ_I, uⱼ),   AtomFits.improve
 *             with unit ‖Φaⱼ‖, where closer; and a move,
 *             where all updates are fits
 *         G ← DᵀD                                              dictionary.refresh
 *
 * I is all base atoms; where that would take long, it is those of aⱼ and half as many others, those most correlated with
 * uⱼ − Φaⱼ (atomFits.ts).
 *
 * When it descends. A sweep lowers f at every atom, over dense unit atoms. As a function of one unit atom, f is a
 * constant plus (Cⱼⱼ/2 + …)‖d − u*‖² around its minimiser u*, and uⱼ lies on the way to it. So sparse atoms should come
 * closer to uⱼ, and moves and fits are taken only if they do. But a sweep counts on changes that sparse atoms do not make
 * in full, and closer to uⱼ is not always closer to u*: f may rise. Where atoms have few non-zeros, every update is a fit,
 * and fits stay far from uⱼ. There the atoms are updated in up to six parts: those of one part are swept beside the sparse
 * atoms of all others.
 *
 * How often. Coding, moves and fits share the time of a run (updateSchedule.ts).
 *
 * Shapes   Y n×N   X m×N   Φ n×L   A L×m   U, B n×m   C, G m×m
 * Cost     as the pursuit of OSDL per mini-batch, without its gradient and its step; every
 *          update n·m² for the sweep, n·m²/2 for G, and m·k²·|I|/2 for fits.
 * Memory   C, G and the Gram matrix of Φ are dense: 400 MB each at 64×64 (L ≈ m ≈ 10⁴).
 *
 * What it adds to ODL, each with a test of the same name in sparseOdl.test.ts:
 *   S1 start        A⁰ is chosen from base atoms and examples (exampleStart.ts).
 *   S2 weight       The starting atoms count as much as four mini-batches that use all atoms
 *                   equally: B⁰ = τD⁰, C⁰ = τI. Otherwise the first update replaces each atom by
 *                   the two or three examples that used it. An atom that atom care replaces has
 *                   no past (atoms/sumsOfPast.ts), and counts as much from then on.
 *   S3 closer fits  A move or a fit that is farther from uⱼ than the old atom is not taken; so an atom
 *                   that no example uses stays as it is.
 *   S4 refined base Only with `refineBase`: before some updates of the atoms the factors of Φ are
 *                   refined to the mini-batch (baseRefinement.ts), and the atoms scaled to unit norm.
 *   S5 forgetting   βₜ = (1 − 1/t)^ρ: the codes of mini-batch s weigh (s/t)^ρ, those of ODL about s/t. Codes over earlier
 *                   atoms hold an atom back, but few codes are noisy: ρ is 1 until an atom was used twice per non-zero,
 *                   then such that the last t/ρ mini-batches use it that often, up to 3; once the last third uses it
 *                   four times per non-zero, ρ grows with the root of t.
 *   S6 step         A sweep goes only a part of the way, ω = 1/(1 + p/50): the more atoms share an example, the more their
 *                   changes add up, and codes change with them.
 *
 * [Mairal10] J. Mairal, F. Bach, J. Ponce, G. Sapiro. Online Learning for Matrix
 *            Factorization and Sparse Coding. JMLR 11, 2010.
 * [Sulam16]  J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *            Learning in High Dimensions. IEEE TSP 64(12), 2016.
 */

import { SparseColumns } from "../../../core/matrix.js";
import { baseCols, baseRows } from "../../../dictionaries/base.js";
import { identityColumns, SparseDictionary } from "../../../dictionaries/dictionary.js";
import type { AtomRange, DeviceMatrix, DeviceSet, DeviceSparse, Kernels } from "../../../kernels/contract.js";
import { Model, type ModelMeta } from "../../../model/model.js";
import { Encoder, expectedSparsity, resolveLimits } from "../../../pursuit/encoder.js";
import { atomCareMemory, NewAtoms } from "../../atoms/atomCare.js";
import { AtomFits, fitBytes, movedTogether } from "../../atoms/atomFits.js";
import { BaseRefinement, refinementMemory, requireRefinable } from "../../atoms/baseRefinement.js";
import { startMemory } from "../../atoms/exampleStart.js";
import { forgetAtoms, forgettingBytes, type SumsOfPast } from "../../atoms/sumsOfPast.js";
import { savableMatrix, savableNumbers, savableSymmetric } from "../../checkpoints/checkpointParts.js";
import {
  correlationsOf,
  gramMemory,
  type LearnerKind,
  type LearnerOptions,
  type LearnerSetting,
  type ReplaceableAtoms,
} from "../learner.js";
import { codeBatch, type SparseState, sparseLearner, Tally } from "../tally.js";
import {
  type LastUpdates,
  type UpdateKind,
  type UpdateSchedule,
  updateIntervals,
  updateKind,
} from "./updateSchedule.js";

interface SparseOdlState extends SparseState, SumsOfPast, LastUpdates {
  readonly schedule: UpdateSchedule;
  /** U: dense atoms, n × m. */
  readonly atoms: DeviceMatrix;
  /** The identity, m × m, which makes U from A. */
  readonly identity: DeviceSparse;
  readonly all: DeviceSet;
  readonly fits: AtomFits;
  /** ω. */
  readonly sweepStep: number;
  /** How often an example uses an atom, per non-zero of the atom: p/(mk). */
  readonly usesPerEntry: number;
  /** Examples so far. */
  seen: number;
  /** τ: the weight of an atom without a past. */
  weight: number;
}

async function createSparseOdl(setting: LearnerSetting): Promise<SparseOdlState> {
  const { options, start, examples: batch, updates, kernels } = setting;
  const { base, atomSparsity: k, coding } = options;
  const dictionary = await SparseDictionary.create(base, start, kernels, k);
  await scaleToUnit(dictionary, start, kernels);
  const { rows: n, cols: m } = dictionary;
  const p = expectedSparsity(coding, n, m);
  const identity = kernels.sparse(m, m, 1);
  const all = kernels.set(m);
  await kernels.writeSparse(identity, identityColumns(m, 0, m));
  await kernels.writeSet(
    all,
    Uint32Array.from({ length: m }, (_, j) => j),
  );
  return {
    dictionary,
    refinement: options.refineBase ? new BaseRefinement(dictionary, kernels) : undefined,
    encoder: new Encoder(dictionary, resolveLimits("train", coding, n, m), batch, kernels),
    tally: new Tally(m, kernels),
    residual: kernels.matrix(n, batch),
    schedule: {
      ...{ perEpoch: Infinity, total: Infinity, ...updates },
      ...updateIntervals(options, batch, kernels.mostGramAtoms),
    },
    B: kernels.matrix(n, m),
    C: kernels.matrix(m, m),
    atoms: kernels.matrix(n, m),
    identity,
    all,
    replaced: kernels.set(m),
    fits: await AtomFits.create(base, k, m, kernels, { together: movedTogether(baseCols(base), m) }),
    usesPerEntry: p / (m * k),
    seen: 0,
    sweepStep: 1 / (1 + p / sharedBy),
    weight: 0,
    updated: 0,
    fitted: 0,
  };
}

/** The atoms of a model may have any norm, and so may mixtures of base atoms. */
async function scaleToUnit(D: SparseDictionary, A: SparseColumns, kernels: Kernels): Promise<void> {
  const scale = (await kernels.readMatrix(D.scale)).data;
  if (scale.every((s) => s === 0 || Math.abs(s - 1) < 1e-6)) return;
  await D.replace(scaledColumns(A, scale));
}

/** A diag(scale). */
function scaledColumns(A: SparseColumns, scale: Float32Array): SparseColumns {
  const scaled = A.copy();
  for (let s = 0; s < scaled.values.length; s++) scaled.values[s] *= scale[Math.floor(s / scaled.width)];
  return scaled;
}

/** One mini-batch. Changes `state` in place; only the first one with codes, and one that refines the base, reads anything back. */
async function sparseOdlUpdate(state: SparseOdlState, Y: DeviceMatrix, kernels: Kernels): Promise<void> {
  const { tally, B, C } = state;
  const { X } = await codeBatch(state, Y, kernels);
  tally.step += 1;
  state.seen += Y.cols;
  const first = state.weight === 0;
  if (first) await weighStart(state, X, kernels); // S2
  await kernels.addMoments(first ? 1 : sumDecay(tally.step, state.seen * state.usesPerEntry), Y, X, B, C); // S5
  const kind = updateKind(tally.step, state, state.schedule);
  if (!kind) return;
  if (state.refinement?.isDue(tally.step)) await refineBase(state, Y, X, kernels); // S4
  await updateAtoms(state, kind, kernels);
}

/** The fewest uses of an atom per non-zero to learn it from; ρ of S5 for most of a run; and uses that are enough for it to grow. */
const fewestUses = 2;
const usualForgetting = 3;
const enoughUses = 4;

/** βₜ of S5 for mini-batch t, if an atom was used `uses` times per non-zero of it so far. */
export function sumDecay(t: number, uses: number): number {
  const most = usualForgetting * Math.max(1, Math.sqrt(uses / usualForgetting / enoughUses));
  return (1 - 1 / t) ** Math.min(most, Math.max(1, uses / fewestUses));
}

/** Refine the base, and scale the atoms to unit norm again; the Gram matrix is left to `updateAtoms`. */
async function refineBase(
  { dictionary: D, refinement, tally, all }: SparseOdlState,
  Y: DeviceMatrix,
  X: DeviceSparse,
  kernels: Kernels,
): Promise<void> {
  await refinement?.refine(tally.step, Y, X);
  await kernels.refreshGram(D.phi, D.A, all, null, D.scale);
  const [A, scale] = await Promise.all([kernels.readSparse(D.A), kernels.readMatrix(D.scale)]); // one round trip
  await kernels.writeSparse(D.A, scaledColumns(A, scale.data));
}

/** A ← sparse atoms nearer to those that lower f. */
async function updateAtoms(state: SparseOdlState, kind: UpdateKind, kernels: Kernels): Promise<void> {
  const { dictionary: D, B, C, atoms: U, identity, fits, tally } = state;
  for (const part of state.schedule.moves ? [{ first: 0, count: D.cols }] : partsOf(D.cols)) {
    await kernels.reconstruct(D.phi, D.A, identity, U);
    await kernels.descendAtoms(B, C, U, state.sweepStep, part); // S6
    if (kind === "fit") await fits.improve(U, D, part); // S3
    if (kind === "move" || !state.schedule.moves) await fits.approach(U, D, part);
  }
  await D.refresh(state.all);
  state.updated = tally.step;
  if (kind === "fit") state.fitted = tally.step;
}

/** Parts that the atoms are updated in, one after the other, where there are fits alone; and the fewest atoms of one. */
const parts = { most: 6, atoms: 128 } as const;

/** m atoms in equal parts, but for the last. */
function partsOf(m: number): AtomRange[] {
  const size = Math.max(parts.atoms, Math.ceil(m / parts.most));
  const firsts = Array.from({ length: Math.ceil(m / size) }, (_, part) => part * size);
  return firsts.map((first) => ({ first, count: Math.min(size, m - first) }));
}

/** Atoms per code at which ω of S6 is a half. */
const sharedBy = 50;

/** Mini-batches that the starting atoms count as. */
const startWeight = 4;

/** B ← τD and C ← τI, with τ a multiple of the mean energy of the coefficients of an atom in the codes X. */
async function weighStart(state: SparseOdlState, X: DeviceSparse, kernels: Kernels): Promise<void> {
  const { values } = await kernels.readSparse(X);
  const energy = values.reduce((sum, x) => sum + x * x, 0);
  state.weight = (startWeight * energy) / state.dictionary.cols;
  await addWeight(state, identityColumns(X.rows, 0, X.rows), kernels);
}

/** B ← B + τdⱼ and Cⱼⱼ ← Cⱼⱼ + τ for atoms with a one in a column each. */
async function addWeight(state: SparseOdlState, chosen: SparseColumns, kernels: Kernels): Promise<void> {
  const { dictionary: D, atoms, B, C, weight } = state;
  const X = kernels.sparse(chosen.rows, chosen.cols, 1);
  const Y = kernels.head(atoms, chosen.cols);
  chosen.values.fill(Math.sqrt(weight));
  await kernels.writeSparse(X, chosen);
  await kernels.reconstruct(D.phi, D.A, X, Y);
  await kernels.addMoments(1, Y, X, B, C);
  kernels.free(X);
}

/** The atoms as atom care sees them; new ones have no past but their weight (S2). */
function sparseOdlAtoms(
  state: SparseOdlState,
  { atomSparsity }: LearnerOptions,
  kernels: Kernels,
): ReplaceableAtoms & { free(): void } {
  const { dictionary: D, tally, residual, atoms: U, identity, fits } = state;
  const newAtoms = new NewAtoms(D, atomSparsity, kernels, fits.phi);
  const replace = async (atoms: readonly number[], Y: DeviceMatrix) => {
    const chosen = Uint32Array.from(atoms).sort();
    await kernels.reconstruct(D.phi, D.A, identity, U);
    await forgetAtoms(state, chosen, U, kernels);
    await newAtoms.replace(atoms, Y);
    const ones = new Uint32Array(chosen.length).fill(1);
    const columns = new SparseColumns(D.cols, chosen.length, 1, chosen, undefined, ones);
    await addWeight(state, columns, kernels);
  };
  const coherence = (target: DeviceMatrix) => D.coherence(target);
  return { uses: tally.uses, residual, coherence, replace, free: () => newAtoms.free() };
}

export const sparseOdl: LearnerKind = {
  name: "sparse-odl",
  summary: "online learning of sparse atoms with the sums of odl",
  takes: "mini-batches",
  ownOptions: ["atomSparsity", "init", "refineBase"],
  defaults: { init: "both" },

  check({ base, refineBase }) {
    if (refineBase) requireRefinable("train", base);
  },

  memory(options, N) {
    const { base, atoms: m, atomSparsity: k, coding } = options;
    const n = baseRows(base);
    const p = coding.sparsity ?? Math.min(n, m);
    const parts = [
      ...gramMemory(options),
      { what: "sums", bytes: 4 * m * (n + m) + (options.hasAtomCare ? forgettingBytes(m) : 0) },
      { what: "fits", bytes: fitBytes(options, k, m, movedTogether(baseCols(base), m)) + 4 * m * n },
      { what: "mini-batch", bytes: 4 * N * (3 * n + correlationsOf(options) + 2 * p + 4) },
      { what: "atoms", bytes: 8 * (k + 6) * m },
      atomCareMemory(options, true),
      ...(options.refineBase ? [refinementMemory(base, N)] : []),
    ];
    return [...parts, startMemory(options, parts)];
  },

  baseSparsity: ({ atomSparsity }) => atomSparsity,

  async create(setting) {
    const { options, kernels } = setting;
    const state = await createSparseOdl(setting);
    const { dictionary, encoder, tally, fits, B, C } = state;
    const replaceable = sparseOdlAtoms(state, options, kernels);
    const finish = async () => {
      const { schedule, fitted, updated } = state;
      const [kind, last] = schedule.fits ? (["fit", fitted] as const) : (["move", updated] as const);
      if (last < tally.step) await updateAtoms(state, kind, kernels); // a run that ended early
    };
    const snapshot = async (meta: ModelMeta) => Model.of(dictionary, meta, kernels, await tally.readUses());
    return sparseLearner(state, kernels, {
      replaceable,
      savable: [
        savableMatrix("B", B, kernels),
        savableSymmetric("C", C, kernels),
        savableNumbers(
          "progress",
          () => [state.updated, state.fitted, state.weight, state.seen],
          ([updated, fitted, weight, seen]) => Object.assign(state, { updated, fitted, weight, seen }),
        ),
      ],
      update: (Y) => sparseOdlUpdate(state, Y, kernels),
      finish,
      async model(meta) {
        await finish();
        return snapshot(meta);
      },
      snapshot,
      free() {
        replaceable.free();
        fits.free();
        kernels.free(B, C, state.atoms, state.residual, state.identity, state.all, state.replaced);
        tally.free();
        encoder.free();
        dictionary.free();
      },
    });
  },
};
