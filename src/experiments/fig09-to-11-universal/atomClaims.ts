/**
 * What the paper sees in the figures of the atoms (9, 10 and 11c), counted: how far atoms spread over samples and
 * frequencies, and families of atoms with one pattern at different places. The six kinds of atoms that the paper names are
 * not told apart. Learning starts from base atoms: they, too, are of several kinds, which are counted beside, and wavelets
 * recur at every place by construction, so atoms that are still base atoms are left out of families.
 */

import { counted } from "../../core/formatText.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import {
  type AtomFamily,
  atomFamilies,
  type FamilyMember,
  familyDefaults,
} from "../../figures/atoms/atomFamilies.js";
import { type AtomSpread, atomSpreads } from "../../figures/atoms/atomSpread.js";
import type { Kernels } from "../../kernels/contract.js";
import { Model } from "../../model/model.js";
import type { Claim } from "../shared/experiment.js";

/** What was seen, as numbers of a result. */
export interface SeenAtoms {
  /** The share of the atoms of each kind, by its name, and the same of the base atoms. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly baseKinds: Readonly<Record<string, number>>;
  readonly families: readonly AtomFamily[];
}

/** An atom is local if this share of its samples has nine tenths of its energy; its frequencies are few by the same rule. */
const localShare = 0.25;
const fewShare = 0.1;
/** "Very different types": each of the four kinds that this makes has at least this share of the atoms. */
const kindShare = 0.05;
/** An atom with an entry of A that has over this share of the energy of its column is that base atom. */
const baseAtomShare = 0.9;

const kinds = [
  { name: "local with few frequencies", isLocal: true, isFew: true },
  { name: "local with many", isLocal: true, isFew: false },
  { name: "spread out with few frequencies", isLocal: false, isFew: true },
  { name: "spread out with many", isLocal: false, isFew: false },
] as const;

/** What the atoms of a model show. */
export async function seeAtoms(model: Model, atoms: DenseMatrix, kernels: Kernels): Promise<SeenAtoms> {
  const untrained = new Model(model.base, SparseColumns.identity(model.A.rows, 1), model.meta);
  return {
    kinds: shareOfKinds(atomSpreads(atoms, model.shape)),
    baseKinds: shareOfKinds(atomSpreads(await untrained.atoms(kernels), model.shape)),
    families: learnedFamilies(model, atoms),
  };
}

/** Families among the atoms that are no base atoms. */
function learnedFamilies({ A, shape }: Model, atoms: DenseMatrix): AtomFamily[] {
  const columns = Array.from({ length: atoms.cols }, (_, j) => j).filter((j) => !isBaseAtom(A, j));
  if (columns.length === 0) return [];
  const chosen = DenseMatrix.build(atoms.rows, columns.length, (i, j) => atoms.at(i, columns[j]));
  return atomFamilies(chosen, shape).map((family) =>
    family.map((member) => ({ ...member, atom: columns[member.atom] })),
  );
}

export function shareOfKinds(spreads: readonly AtomSpread[]): Record<string, number> {
  return Object.fromEntries(
    kinds.map(({ name, isLocal, isFew }) => {
      const own = spreads.filter(
        ({ samples, frequencies }) => samples <= localShare === isLocal && frequencies <= fewShare === isFew,
      );
      return [name, own.length / spreads.length];
    }),
  );
}

/** Whether one entry of a column has nearly all of its energy. */
export function isBaseAtom({ values, width, counts }: SparseColumns, column: number): boolean {
  const energies = Array.from(
    values.subarray(column * width, column * width + counts[column]),
    (value) => value ** 2,
  );
  const all = energies.reduce((sum, energy) => sum + energy, 0);
  return Math.max(...energies) > baseAtomShare * all;
}

/** The statements, which need no numbers. */
export const atomTexts = {
  "kinds-of-atoms": `each of four kinds has at least ${100 * kindShare} % of the atoms: local (nine tenths of the energy in at most ${100 * localShare} % of the samples) or spread out, with few frequencies (nine tenths in at most ${100 * fewShare} % of them) or many; the six kinds that the paper names are not told apart`,
  "recurring-patterns": `there are families of at least ${familyDefaults.minAtoms} atoms with the same pattern (a normalised cross-correlation of at least ${familyDefaults.correlation} with the first) at different places, base atoms left out (an entry of A with over ${100 * baseAtomShare} % of the energy)`,
} as const;

/** Families in numbers: how many there are, the atoms of the smallest and of the largest, and the largest distance in one, in samples. */
export interface FamilySummary {
  readonly count: number;
  readonly least: number;
  readonly most: number;
  readonly farthest: number;
}

export function summarizeFamilies(families: readonly AtomFamily[]): FamilySummary {
  const sizes = families.map(({ length }) => length);
  const distances = families.map(widest);
  const largest = (values: readonly number[]) => Math.max(0, ...values);
  return {
    count: families.length,
    least: sizes.length === 0 ? 0 : Math.min(...sizes),
    most: largest(sizes),
    farthest: largest(distances),
  };
}

/** Figures 9, 10 and 11c: the atoms are of many kinds, and patterns recur. */
export function atomClaims({ kinds: shares, baseKinds, families }: SeenAtoms): Claim[] {
  return [kindsClaim(shares, baseKinds), patternsClaim(summarizeFamilies(families))];
}

export function kindsClaim(shares: SeenAtoms["kinds"], baseShares: SeenAtoms["baseKinds"]): Claim {
  return {
    ...{ id: "kinds-of-atoms", source: "§V-D, figures 9 and 11c", text: atomTexts["kinds-of-atoms"] },
    paper: "very different types of patterns",
    measured: `${describeKinds(shares)} (of the base atoms ${Object.values(baseShares).map(percent).join(", ")})`,
    holds: Object.values(shares).every((share) => share >= kindShare),
  };
}

export function patternsClaim(summary: FamilySummary): Claim {
  return {
    ...{ id: "recurring-patterns", source: "§V-D, figure 10", text: atomTexts["recurring-patterns"] },
    paper: "similar patterns may appear in different atoms at different locations",
    measured: describeFamilies(summary),
    holds: summary.farthest > 0,
  };
}

function describeKinds(shares: SeenAtoms["kinds"]): string {
  return Object.entries(shares)
    .map(([name, share]) => `${name} ${percent(share)}`)
    .join(", ");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

/** `5 families of 4 to 8 atoms, up to 12 samples apart`. */
function describeFamilies({ count, least, most, farthest }: FamilySummary): string {
  if (count === 0) return "no family";
  const atoms = least === most ? `${most} atoms` : `${least} to ${most} atoms`;
  return `${counted(count, "family", "families")} of ${atoms}, up to ${farthest.toFixed(0)} samples apart`;
}

/** The largest distance between two atoms of a family, in samples. */
function widest(family: readonly FamilyMember[]): number {
  return Math.max(
    ...family.flatMap((one) =>
      family.map((other) => Math.hypot(...one.shift.map((shift, axis) => shift - other.shift[axis]))),
    ),
  );
}
