/**
 * Online Sparse Dictionary Learning (OSDL): Algorithm 2 of [Sulam16].
 *
 * Learns the sparse factor A of a double-sparsity dictionary D = ΦA from a
 * stream of mini-batches, by projected stochastic gradient descent on
 *
 *     min ½‖Y − ΦAX‖²_F   s.t.   ‖xᵢ‖₀ ≤ p ∀i,   ‖aⱼ‖₀ ≤ k ∀j               (3)
 *
 * One call to `osdlUpdate` is one iteration of Algorithm 2:
 *
 *     X   ← SparseCode(Y, Φ, A, G)                        encoder.encode
 *     S   ← the atoms X uses                              tally.count
 *     ∇   = Φᵀ(ΦAX − Y)X_Sᵀ                               residual, gradient
 *     η   = ‖∇‖_F / ‖Φ∇X_S‖_F                    (13)     movedEnergy, normRatio
 *     U_S ← γ U_S + η∇,  A_S ← P_k[A_S − U_S]    (12)     kernels.moveAtoms
 *     G   ← refresh rows and columns S                    dictionary.refresh
 *
 * An update reads nothing back to the host, but for one that refines the base and those of a short start up to the first
 * mini-batch with codes. `osdlReport` reads a few numbers.
 *
 * Shapes   Φ n×L   A L×m   Y n×N   X m×N   U L×m   G m×m   S ⊂ {0 … m−1}
 * Cost     O(N n²(√m + k) + m² log m) per mini-batch, §IV-D.
 * Memory   U, ∇ and G are dense. At 64×64 pixels (L ≈ m ≈ 10⁴) each is 400 MB
 *          in f32, so all three are changed in place and never copied.
 *
 * Departures from the text, each with a test of the same name in osdl.test.ts:
 *   D0 at most k   (3) asks for exactly k non-zeros per atom; here at most k: an atom may
 *                  start with fewer, or lose one to a zero.
 *   D1 sign        Under (9) the text calls H*(E − Ha) the gradient; that is −∇f.
 *                  Here ∇f(A) = Φᵀ(ΦAX − Y)Xᵀ, so that (12) descends.
 *   D2 unit atoms  The pursuit sees atoms scaled to ‖Φaⱼ‖₂ = 1, and its codes are
 *                  scaled back. A itself is never normalised: its growth adapts the
 *                  step of (13). Algorithm 2 does not mention this.
 *   D3 idle atoms  Columns of U outside S are left alone, as printed. (The
 *                  authors' MATLAB release decays every column.)
 *   D4 short start Only with `firstSteps: "short"`: the starting atoms are scaled, and γ rises
 *                  from 0, so that the first steps are near the line search (shortStart.ts).
 *   D5 refined base Only with `refineBase`: between the codes and the gradient of some
 *                  mini-batches the factors of Φ are refined (baseRefinement.ts).
 *
 * An option that is not in the text: `average` ends a run with the mean of the iterates of
 * its last epoch, or of the second half of a single one (iterateAverage.ts).
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §IV-C.
 */

import {
  byRule,
  deviceMatrix,
  dictionary as dictionaryType,
  flag,
  having,
  kernels as kernelsType,
  type OptionTypes,
  record,
  requireArgument,
  requireArguments,
  required,
  requireOptions,
} from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import { requireFraction, requireInteger } from "../../core/require.js";
import { baseCols, baseRows } from "../../dictionaries/base.js";
import { SparseDictionary } from "../../dictionaries/dictionary.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../kernels/contract.js";
import { type CodingRule, Encoder, expectedSparsity, resolveLimits } from "../../pursuit/encoder.js";
import { atomCareMemory, NewAtoms } from "../atoms/atomCare.js";
import { BaseRefinement, refinementMemory, requireRefinable } from "../atoms/baseRefinement.js";
import { startMemory } from "../atoms/exampleStart.js";
import { IterateAverage } from "../atoms/iterateAverage.js";
import { type Savable, savableMatrix, savableNumbers } from "../checkpoints/checkpointParts.js";
import {
  correlationsOf,
  gramMemory,
  type LearnerKind,
  type LearnerReport,
  type ReplaceableAtoms,
} from "./learner.js";
import { type FirstSteps, requireFirstSteps, risingMomentum, scaleStart, startDelay } from "./shortStart.js";
import { type SparseState, sparseLearner, Tally } from "./tally.js";

export interface OsdlOptions {
  /** Non-zeros kept in each column of A: `k` in (3). */
  readonly atomSparsity: number;
  /** How each example is coded: at most `sparsity` atoms (`p` in (3)), or down to an `error`. */
  readonly coding: CodingRule;
  /** Momentum `γ`, in [0, 1). */
  readonly momentum?: number;
  /** The first steps as printed, or shortened (D4). */
  readonly firstSteps?: FirstSteps;
  /** Refine the factors of the base (D5). */
  readonly refineBase?: boolean;
  /** The most examples per mini-batch: `N`. */
  readonly batch?: number;
}

/** The default options of OSDL. They are written only here: the docs and `--help` are made from them. */
export const osdlDefaults = {
  momentum: 0.9,
  firstSteps: "paper",
  refineBase: false,
  batch: 512,
} as const satisfies Partial<OsdlOptions>;

/** All that is carried from one mini-batch to the next (A, U, the tally, and where a short start is), and the workspace of an update. */
export interface OsdlState extends SparseState {
  readonly options: Required<OsdlOptions>;
  /** U. */
  readonly momentum: DeviceMatrix;
  /** ΦᵀR, L × N. */
  readonly coefficients: DeviceMatrix;
  /** ∇f(A_S) in its first |S| columns, L × m. */
  readonly gradient: DeviceMatrix;
  /** ‖∇‖², ‖Φ∇X_S‖² and η, where the kernels compute. */
  readonly scalars: DeviceMatrix;
  /** Whether a short start has scaled the atoms: by the first mini-batch with codes. */
  scaled: boolean;
  /** Examples so far. */
  seen: number;
}

/** What the mini-batches since the last report did; `stepSize` is η of (13). The data of figures 5 and 6. */
export type OsdlReport = LearnerReport;

/** Places in `scalars`. */
const slot = { gradient: 0, moved: 1, eta: 2, count: 3 } as const;

const osdlOptionTypes: OptionTypes<OsdlOptions> = {
  atomSparsity: byRule,
  coding: required(record),
  momentum: byRule,
  firstSteps: byRule,
  refineBase: flag,
  batch: byRule,
};

const osdlState = having("a state, as createOsdl returns it", [], ["dictionary", "momentum", "scalars"]);

function requireState(where: string, state: OsdlState, kernels: Kernels): void {
  requireArguments(where, { state: [state, osdlState], kernels: [kernels, kernelsType] });
}

/** Check the options against the dictionary and start with U = 0. */
export function createOsdl(dictionary: SparseDictionary, options: OsdlOptions, kernels: Kernels): OsdlState {
  requireArguments("createOsdl", {
    dictionary: [dictionary, dictionaryType],
    kernels: [kernels, kernelsType],
  });
  requireOptions("createOsdl", options, osdlOptionTypes);
  const resolved = { ...osdlDefaults, ...options };
  const { rows: n, cols: m } = dictionary;
  const L = dictionary.phi.cols;
  requireInteger("createOsdl", "atomSparsity", resolved.atomSparsity, 1, Math.min(L, dictionary.A.width));
  requireFraction("createOsdl", "momentum", resolved.momentum);
  requireFirstSteps("createOsdl", resolved.firstSteps);
  requireInteger("createOsdl", "batch", resolved.batch, 1);
  if (resolved.refineBase) requireRefinable("createOsdl", dictionary.base);
  const limits = resolveLimits("createOsdl", resolved.coding, n, m);
  return {
    options: resolved,
    dictionary,
    refinement: resolved.refineBase ? new BaseRefinement(dictionary, kernels) : undefined,
    encoder: new Encoder(dictionary, limits, resolved.batch, kernels),
    tally: new Tally(m, kernels),
    momentum: kernels.matrix(L, m),
    residual: kernels.matrix(n, resolved.batch),
    coefficients: kernels.matrix(L, resolved.batch),
    gradient: kernels.matrix(L, m),
    scalars: kernels.matrix(slot.count, 1),
    scaled: false,
    seen: 0,
  };
}

/** One iteration of Algorithm 2. Changes `state` in place and reads nothing back, except at a short start and where it refines the base. */
export async function osdlUpdate(state: OsdlState, Y: DeviceMatrix, kernels: Kernels): Promise<void> {
  requireState("osdlUpdate", state, kernels);
  requireArgument("osdlUpdate", "Y", Y, deviceMatrix);
  const { dictionary: D, encoder, tally, refinement, momentum: U, gradient: grad, scalars } = state;
  const { atomSparsity: k, momentum, firstSteps, batch } = state.options;
  const startsShort = firstSteps === "short"; // D4
  const gamma = startsShort ? risingMomentum(momentum, state.seen / batch, delayOf(state, batch)) : momentum;

  const X = await encoder.encode(Y);
  if (startsShort && !state.scaled) state.scaled = await scaleStart(D, X, delayOf(state, Y.cols), kernels);
  const refines = refinement?.isDue(tally.step + 1) === true;
  if (refines) await refinement.refine(tally.step + 1, Y, X); // D5
  const R = kernels.head(state.residual, Y.cols);
  const W = kernels.head(state.coefficients, Y.cols);
  await D.residual(Y, X, R, W); // W = Φᵀ(Y − ΦAX)
  await tally.count(X, R);
  const S = tally.used;

  await kernels.gradient(W, X, S, grad, { scalars, slot: slot.gradient }); // D1
  await stepSize(state, X, kernels);
  await kernels.moveAtoms(k, U, S, D.A, { gamma, scalars, eta: slot.eta, grad }); // D3, (12)
  await (refines ? D.refreshAll() : D.refresh(S));
  tally.step += 1;
  state.seen += Y.cols;
}

/** T of the short start (D4), in mini-batches of this many examples. */
function delayOf({ dictionary: D, options }: OsdlState, batch: number): number {
  const { atomSparsity, coding } = options;
  const sparsity = expectedSparsity(coding, D.rows, D.cols);
  return startDelay({ atoms: D.cols, atomSparsity, sparsity, batch });
}

/** η = ‖∇‖_F / ‖Φ∇X_S‖_F (13); 0 at a stationary point. It stays on the device. */
async function stepSize(state: OsdlState, X: DeviceSparse, kernels: Kernels): Promise<void> {
  const { dictionary, tally, gradient: grad, scalars } = state;
  await kernels.movedEnergy(dictionary.phi, grad, tally.used, X, scalars, slot.moved);
  await kernels.normRatio(scalars, slot.gradient, slot.moved, slot.eta);
}

/** What happened since the last report. */
export async function osdlReport(state: OsdlState, kernels: Kernels): Promise<OsdlReport> {
  requireState("osdlReport", state, kernels);
  const reads = [state.tally.report(), kernels.readMatrix(state.scalars)] as const; // one round trip
  const [report, scalars] = await Promise.all(reads);
  return { ...report, stepSize: scalars.data[slot.eta] };
}

/**
 * One mini-batch and its report. The caller owns the loop, and so decides when to
 * stop, log, save or draw.
 *
 * @example
 * const state = createOsdl(dictionary, { atomSparsity: 25, coding: { sparsity: 10 } }, kernels);
 * for await (const Y of batches) console.log((await osdlStep(state, Y, kernels)).rmse);
 */
export async function osdlStep(state: OsdlState, Y: DeviceMatrix, kernels: Kernels): Promise<OsdlReport> {
  requireState("osdlStep", state, kernels);
  await osdlUpdate(state, Y, kernels);
  return osdlReport(state, kernels);
}

/** Free everything but the dictionary. */
export function freeOsdl(state: OsdlState, kernels: Kernels): void {
  requireState("freeOsdl", state, kernels);
  const { momentum, residual, coefficients, gradient, scalars } = state;
  kernels.free(momentum, residual, coefficients, gradient, scalars);
  state.tally.free();
  state.encoder.free();
}

/** The atoms as atom care sees them; new ones start without momentum. */
export function osdlAtoms(state: OsdlState, kernels: Kernels): ReplaceableAtoms & { free(): void } {
  requireState("osdlAtoms", state, kernels);
  const { dictionary, tally, residual, options } = state;
  const newAtoms = new NewAtoms(dictionary, options.atomSparsity, kernels);
  const replace = async (atoms: readonly number[], Y: DeviceMatrix) => {
    await newAtoms.replace(atoms, Y);
    const S = kernels.set(dictionary.cols);
    await kernels.writeSet(S, Uint32Array.from(atoms).sort());
    await kernels.clearColumns(S, state.momentum);
    kernels.free(S);
  };
  return {
    uses: tally.uses,
    residual,
    coherence: (coherence) => dictionary.coherence(coherence),
    replace,
    free: () => newAtoms.free(),
  };
}

/** How far a short start is, for checkpoints. Where there is no such part, the first update scaled the atoms. */
function savableStart(state: OsdlState): Savable {
  const numbers = savableNumbers(
    "start",
    () => [Number(state.scaled), state.seen],
    ([scaled, seen]) => Object.assign(state, { scaled: scaled !== 0, seen }),
  );
  return {
    parts: numbers.parts,
    async restore(saved) {
      if (saved.has("start")) await numbers.restore(saved);
      else
        Object.assign(state, { scaled: state.tally.step > 0, seen: state.tally.step * state.options.batch });
    },
  };
}

/** The atoms as atom care sees them; the average forgets those that are replaced. */
function forgetting(atoms: ReplaceableAtoms, average: IterateAverage): ReplaceableAtoms {
  return {
    ...atoms,
    async replace(replaced, Y) {
      await atoms.replace(replaced, Y);
      average.forget(replaced);
    },
  };
}

/** OSDL as the training loop sees it. */
export const osdl: LearnerKind = {
  name: "osdl",
  summary: "online sparse dictionary learning, Algorithm 2",
  takes: "mini-batches",
  ownOptions: ["atomSparsity", "momentum", "firstSteps", "init", "average", "refineBase"],
  defaults: { init: "base" },

  check({ base, refineBase, average }) {
    if (!refineBase) return;
    requireRefinable("train", base);
    if (average)
      throw new InputError(
        (nameOf) => `${nameOf("average")} and ${nameOf("refineBase")} must not both be given`,
        { where: "train", argument: "average" },
      );
  },

  memory(options, N) {
    const { base, atoms: m, atomSparsity: k, coding } = options;
    const n = baseRows(base);
    const L = baseCols(base);
    const p = coding.sparsity ?? Math.min(n, m);
    const parts = [
      ...gramMemory(options),
      { what: "momentum", bytes: 4 * L * m },
      { what: "gradient", bytes: 4 * L * m },
      atomCareMemory(options),
      { what: "mini-batch", bytes: 4 * N * (3 * n + L + correlationsOf(options) + 2 * p) },
      { what: "atoms", bytes: 8 * k * m },
      ...(options.refineBase ? [refinementMemory(base, N)] : []),
    ];
    return [...parts, startMemory(options, parts)];
  },

  async create({ options, start, examples: batch, updates, kernels }) {
    const { base, atomSparsity, momentum, firstSteps, refineBase = false, coding, atoms } = options;
    const dictionary = await SparseDictionary.create(base, start, kernels, atomSparsity);
    const state = createOsdl(
      dictionary,
      { atomSparsity, momentum, firstSteps, refineBase, batch, coding },
      kernels,
    );
    const replaceable = osdlAtoms(state, kernels);
    const average =
      options.average && updates ? new IterateAverage(baseCols(base), atoms, updates) : undefined;
    return sparseLearner(state, kernels, {
      replaceable: average ? forgetting(replaceable, average) : replaceable,
      savable: [
        savableMatrix("U", state.momentum, kernels),
        savableStart(state),
        ...(average ? [average.savable] : []),
      ],
      async update(Y) {
        await osdlUpdate(state, Y, kernels);
        if (average?.takes(state.tally.step)) average.add(await kernels.readSparse(dictionary.A));
      },
      async finish(complete) {
        if (!average || !complete) return;
        await dictionary.replace(average.mean(await kernels.readSparse(dictionary.A), atomSparsity));
      },
      report: () => osdlReport(state, kernels),
      free() {
        replaceable.free();
        freeOsdl(state, kernels);
        dictionary.free();
      },
    });
  },
};
