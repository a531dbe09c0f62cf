/**
 * When Sparse ODL (sparseOdl.ts) updates its atoms, and how.
 *
 * An error falls fastest when atoms follow the sums closely, a little after every mini-batch. So a *move*, which costs a
 * sweep, G and some products with Φ, is made every few mini-batches: often enough that all moves take as many
 * multiply-adds as coding. Over a small coherent base thresholding alone loses some per cent. There *fits* are quick, and
 * make up for it: they take a quarter of the time of coding, and the run and each epoch that is long enough end with one.
 * Where a fit costs less than a sweep, every update is a fit and a move, which brings the fit closer still. Large atoms
 * with many non-zeros have no fits: fitting all atoms once would take as long as coding hundreds of mini-batches, and gains
 * little.
 */

import { baseCols, baseRows } from "../../../dictionaries/base.js";
import { expectedSparsity } from "../../../pursuit/encoder.js";
import { fitCost, quickFits } from "../../atoms/atomFits.js";
import type { LearnerOptions } from "../learner.js";

/** Mini-batches between two updates: the fewest, and the most. */
interface Interval {
  readonly shortest: number;
  readonly longest: number;
}

/** The waits between updates of both kinds. */
export interface UpdateIntervals {
  /** Undefined where there are fits alone. */
  readonly moves: Interval | undefined;
  /** Undefined where there are moves alone. */
  readonly fits: Interval | undefined;
}

/** When the atoms are updated. */
export interface UpdateSchedule extends UpdateIntervals {
  /** Mini-batches of an epoch, and of the run, where they are known. */
  readonly perEpoch: number;
  readonly total: number;
}

/** The mini-batches after which atoms were last updated, and last fitted. */
export interface LastUpdates {
  updated: number;
  fitted: number;
}

export type UpdateKind = "move" | "fit";

/** How the atoms are updated after this mini-batch, if they are. */
export function updateKind(
  step: number,
  { updated, fitted }: LastUpdates,
  { moves, fits, perEpoch, total }: UpdateSchedule,
): UpdateKind | undefined {
  if (fits && isFitDue(step, fitted, fits, { perEpoch, total })) return "fit";
  return moves && (step === total || step - updated >= waitOf(step, moves)) ? "move" : undefined;
}

/** Mini-batches from one update to the next: a quarter of those of the run so far, within bounds. */
function waitOf(step: number, { shortest, longest }: Interval): number {
  return Math.min(longest, Math.max(shortest, Math.floor(step / 4)));
}

function isFitDue(
  step: number,
  fitted: number,
  fits: Interval,
  { perEpoch, total }: Pick<UpdateSchedule, "perEpoch" | "total">,
): boolean {
  const wait = waitOf(step, fits);
  if (step === total) return true;
  if (total - step < wait / 2) return false; // soon at the end
  if (step - fitted >= wait) return true;
  return step % perEpoch === 0 && (perEpoch >= fits.longest || step - fitted >= wait / 2);
}

/** The time that updates may take, as a share of coding: moves, the fits beside them, and fits alone. */
const shares = { moves: 1, fits: 0.25, fitsAlone: 2 } as const;

/**
 * Mini-batches between two updates, from the multiply-adds of an update and of coding N examples. Fits alone, and moves, come
 * sooner at first: a sixth of the most, or less where they are quick.
 */
export function updateIntervals(options: LearnerOptions, N: number, mostGramAtoms: number): UpdateIntervals {
  const { base, atoms: m, atomSparsity: k, coding } = options;
  const [n, L] = [baseRows(base), baseCols(base)];
  const p = expectedSparsity(coding, n, m);
  const transform = base.factors.reduce(
    ({ size, cost }, { rows, cols }) => ({ size: (size / rows) * cols, cost: cost + size * cols }),
    { size: n, cost: 0 },
  ).cost;
  const coded = N * (2 * transform + m * (k + (p * p) / 2));
  const sweep = 1.5 * n * m; // with G, per atom
  const fit = fitCost({ n, L, k, m, mostGramAtoms });
  const every = (update: number, share: number) => Math.max(1, Math.ceil(update / (share * coded)));
  const rising = (update: number, share: number) => {
    const longest = every(update, share);
    return { shortest: Math.ceil(Math.min(longest / 6, update / quickFits)), longest };
  };
  const move = 8 * transform;
  if (fit <= sweep) return { moves: undefined, fits: rising(m * (sweep + fit + move), shares.fitsAlone) };
  const moves = rising(m * (sweep + move), shares.moves);
  if (m * fit > quickFits) return { moves, fits: undefined };
  const wait = every(m * (fit + sweep), shares.fits);
  return { moves, fits: { shortest: wait, longest: wait } };
}
