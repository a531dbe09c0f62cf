/**
 * Families of atoms that show the same pattern at different places, as in figure 10 of
 * [Sulam16]: a dictionary learned from patches at all positions has some patterns
 * several times over.
 *
 * The pattern d of an atom is what it shows around its centre (atomPattern.ts). Two
 * patterns are alike if their normalised cross-correlation is large at some shift:
 *
 *     ρ(d, e) = max over s of |Σ_x d_x e_{x+s}|,   ‖d‖ = ‖e‖ = 1
 *
 * The Fourier transform F⁻¹(D̄E) of patterns padded with zeros computes all shifts at
 * once; since patterns are real, two pairs share one transform. Many pairs need none:
 * ρ is at most Σ|D||E| / N, whatever the shift.
 *
 * Only localised atoms have a place. The `candidates` are those whose pattern has the
 * largest share of their energy and is neither at the border nor only a few samples
 * wide. A family is a first atom and the atoms like it at other places. The largest
 * family is taken first; atoms somewhat like its first atom start no other family.
 *
 * Cost     candidates² / 2 products of spectra, and a transform for some of them
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §V-D.
 */

import {
  byRule,
  matrix,
  number,
  type OptionTypes,
  requireArgument,
  requireOptions,
} from "../../core/arguments/argumentTypes.js";
import type { DenseMatrix } from "../../core/matrix.js";
import { requireFinite, requireInteger } from "../../core/require.js";
import { requireShape, type Shape, sizeOf } from "../../core/shape.js";
import { type AtomPattern, PatternFinder, patternWindow } from "./atomPattern.js";
import { PatternCorrelator } from "./patternCorrelator.js";

export interface FamilyOptions {
  /** The largest number of families. */
  readonly count?: number;
  /** The smallest number of atoms per family. */
  readonly minAtoms?: number;
  /** The largest number of atoms per family. */
  readonly maxAtoms?: number;
  /** The smallest ρ between the first atom of a family and each other. */
  readonly correlation?: number;
  /** How many of the most localised atoms are compared. */
  readonly candidates?: number;
}

export const familyDefaults = {
  count: 8,
  minAtoms: 4,
  maxAtoms: 8,
  correlation: 0.75,
  candidates: 400,
} as const satisfies FamilyOptions;

const familyOptionTypes: OptionTypes<FamilyOptions> = {
  count: byRule,
  minAtoms: byRule,
  maxAtoms: byRule,
  correlation: number,
  candidates: byRule,
};

/** Atoms with one pattern; the others are like the first. */
export type AtomFamily = readonly FamilyMember[];

export interface FamilyMember {
  readonly atom: number;
  /** −1 if it shows the pattern of the first negated. */
  readonly sign: 1 | -1;
  /** From the pattern of the first to its own, in samples along each axis. */
  readonly shift: readonly number[];
  readonly correlation: number;
}

/** A similar atom, by its index among the candidates. */
interface Likeness extends Omit<FamilyMember, "atom"> {
  readonly other: number;
}

/** Atoms with at least this ρ with the first of a family start no other. */
const sameKind = 0.5;

/** Families in the columns of `atoms`, signals of this shape; the largest first. */
export function atomFamilies(atoms: DenseMatrix, shape: Shape, options: FamilyOptions = {}): AtomFamily[] {
  requireArgument("atomFamilies", "atoms", atoms, matrix);
  requireOptions("atomFamilies", options, familyOptionTypes);
  const settings = { ...familyDefaults, ...options };
  requireInteger("atomFamilies", "count", settings.count, 1);
  requireInteger("atomFamilies", "maxAtoms", settings.maxAtoms, 2);
  requireInteger("atomFamilies", "candidates", settings.candidates, 1);
  requireShape("atomFamilies", "shape", shape);
  requireInteger("atomFamilies", "rows of the atoms", atoms.rows, sizeOf(shape), sizeOf(shape));
  requireInteger("atomFamilies", "minAtoms", settings.minAtoms, 2);
  requireFinite("atomFamilies", "atoms", atoms.data);
  const patterns = chooseCandidates(atoms, shape, settings.candidates);
  const correlator = new PatternCorrelator(patterns, patternWindow(shape));
  const alike = likenesses(patterns, correlator, settings.correlation);
  const families = gatherFamilies(alike, correlator, shape, settings);
  return families.map((family) =>
    family.map(({ other, ...rest }) => ({ atom: patterns[other].atom, ...rest })),
  );
}

/** The most localised atoms that are neither at the border nor single spikes. */
function chooseCandidates(atoms: DenseMatrix, shape: Shape, count: number): AtomPattern[] {
  const finder = new PatternFinder(shape);
  const isInside = (coordinate: number, axis: number): boolean => {
    const margin = Math.floor(shape[axis] / 8);
    return coordinate >= margin && coordinate < shape[axis] - margin;
  };
  const found: AtomPattern[] = [];
  for (let j = 0; j < atoms.cols; j++) {
    const pattern = finder.find(j, atoms.column(j));
    if (pattern && pattern.extent >= atoms.rows / 64 && pattern.centre.every(isInside)) found.push(pattern);
  }
  return found.sort((a, b) => b.share - a.share || a.atom - b.atom).slice(0, count);
}

/** For each candidate, the others whose ρ with it is at least `minCorrelation`, the most similar first. */
function likenesses(
  patterns: readonly AtomPattern[],
  correlator: PatternCorrelator,
  minCorrelation: number,
): Likeness[][] {
  const alike: Likeness[][] = patterns.map(() => []);
  correlator.eachPair(minCorrelation, (a, b, { value, shift }) => {
    const sign = value < 0 ? -1 : 1;
    const correlation = Math.abs(value);
    alike[a].push({ other: b, sign, correlation, shift });
    alike[b].push({ other: a, sign, correlation, shift: shift.map((step) => -step) });
  });
  for (const list of alike) list.sort((a, b) => b.correlation - a.correlation || a.other - b.other);
  return alike;
}

/** The largest families, one after the other; no atom is in two of them. */
function gatherFamilies(
  alike: readonly (readonly Likeness[])[],
  correlator: PatternCorrelator,
  shape: Shape,
  { count, minAtoms, maxAtoms }: Required<FamilyOptions>,
): Likeness[][] {
  const minDistance = Math.max(2, Math.min(...shape) / 10);
  const used = new Set<number>();
  const notFirst = new Set<number>();
  const gatherAround = (first: number): Likeness[] => {
    const family: Likeness[] = [{ other: first, sign: 1, correlation: 1, shift: shape.map(() => 0) }];
    for (const one of alike[first]) {
      const isElsewhere = family.every(({ shift }) => distance(shift, one.shift) >= minDistance);
      if (family.length < maxAtoms && isElsewhere && !used.has(one.other)) family.push(one);
    }
    return family;
  };
  const families: Likeness[][] = [];
  while (families.length < count) {
    const firsts = Array.from(alike.keys()).filter((one) => !used.has(one) && !notFirst.has(one));
    const best = firsts.map(gatherAround).reduce<Likeness[]>((a, b) => (weight(b) > weight(a) ? b : a), []);
    if (best.length < minAtoms) break;
    for (const { other } of best) used.add(other);
    correlator.eachWith(best[0].other, sameKind, (other) => notFirst.add(other));
    families.push(best);
  }
  return families;
}

/** The number of members counts most, then how similar they are. */
function weight(family: readonly Likeness[]): number {
  return family.reduce((sum, { correlation }) => sum + correlation, 0);
}

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((value, axis) => value - b[axis]));
}
