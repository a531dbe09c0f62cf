/**
 * Families of atoms that show the same pattern at different places, as figure 10 of
 * [Sulam16]: what is learned from patches at all positions has some patterns several
 * times over.
 *
 * The pattern d of an atom is what it shows around its centre (atomPattern.ts). Two
 * of them are alike where their normalised cross-correlation is large at some shift:
 *
 *     ρ(d, e) = max over s of |Σ_x d_x e_{x+s}|,   ‖d‖ = ‖e‖ = 1
 *
 * All shifts come at once from the Fourier transform, F⁻¹(D̄E), of patterns extended by
 * zeros; two pairs share one transform, being real. Many pairs need none: ρ is at
 * most Σ|D||E| / N, which no shift changes.
 *
 * Only localised atoms have a place: the `candidates` whose pattern has the largest
 * share of their energy, is neither at the border nor only a few samples wide. A
 * family is an atom with those like it at places of their own; the largest is taken
 * first, and atoms somewhat like its first do not start another one.
 *
 * Cost     candidates² / 2 products of spectra, and a transform for some of them
 *
 * [Sulam16] J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary
 *           Learning in High Dimensions. IEEE TSP 64(12), 2016, §V-D.
 */

import type { DenseMatrix } from "../../core/matrix.js";
import { requireFinite, requireInteger } from "../../core/require.js";
import { requireShape, type Shape, sizeOf } from "../../core/shape.js";
import { type AtomPattern, PatternFinder, windowOf } from "./atomPattern.js";
import { PatternCorrelator } from "./patternCorrelator.js";

export interface FamilyOptions {
  /** Families at most. */
  readonly count?: number;
  /** Atoms of a family at least, and at most. */
  readonly least?: number;
  readonly most?: number;
  /** ρ of the first atom of a family with each other, at least. */
  readonly correlation?: number;
  /** Atoms that are looked at. */
  readonly candidates?: number;
}

export const familyDefaults = {
  count: 8,
  least: 4,
  most: 8,
  correlation: 0.75,
  candidates: 400,
} as const satisfies FamilyOptions;

/** Atoms with one pattern, the first of them the one that the others are like. */
export type AtomFamily = readonly FamilyMember[];

export interface FamilyMember {
  readonly atom: number;
  /** −1 where it shows the pattern of the first negated. */
  readonly sign: 1 | -1;
  /** How far its pattern is from that of the first, in samples along each axis. */
  readonly shift: readonly number[];
  readonly correlation: number;
}

/** An atom alike, by its number among the candidates. */
interface Likeness extends Omit<FamilyMember, "atom"> {
  readonly other: number;
}

/** Atoms this much like the first of a family start no other. */
const otherKind = 0.5;

/** Families in the columns of `atoms`, signals of this shape; the largest first. */
export function atomFamilies(atoms: DenseMatrix, shape: Shape, options: FamilyOptions = {}): AtomFamily[] {
  const settings = { ...familyDefaults, ...options };
  requireShape("atomFamilies", "shape", shape);
  requireInteger("atomFamilies", "rows of the atoms", atoms.rows, sizeOf(shape), sizeOf(shape));
  requireInteger("atomFamilies", "least", settings.least, 2);
  requireFinite("atomFamilies", "atoms", atoms.data);
  const patterns = chooseCandidates(atoms, shape, settings.candidates);
  const correlator = new PatternCorrelator(patterns, windowOf(shape));
  const alike = likenesses(patterns, correlator, settings.correlation);
  const families = gather(alike, correlator, shape, settings);
  return families.map((family) =>
    family.map(({ other, ...rest }) => ({ atom: patterns[other].atom, ...rest })),
  );
}

/** The most localised atoms that are not at the border and not mere spikes. */
function chooseCandidates(atoms: DenseMatrix, shape: Shape, count: number): AtomPattern[] {
  const finder = new PatternFinder(shape);
  const isInside = (place: number, axis: number): boolean => {
    const margin = Math.floor(shape[axis] / 8);
    return place >= margin && place < shape[axis] - margin;
  };
  const found: AtomPattern[] = [];
  for (let j = 0; j < atoms.cols; j++) {
    const pattern = finder.find(j, atoms.column(j));
    if (pattern && pattern.extent >= atoms.rows / 64 && pattern.centre.every(isInside)) found.push(pattern);
  }
  return found.sort((a, b) => b.share - a.share || a.atom - b.atom).slice(0, count);
}

/** For each candidate, those whose ρ with it is at least `floor`, most alike first. */
function likenesses(
  patterns: readonly AtomPattern[],
  correlator: PatternCorrelator,
  floor: number,
): Likeness[][] {
  const alike: Likeness[][] = patterns.map(() => []);
  correlator.eachPair(floor, (a, b, { value, shift }) => {
    const [sign, correlation] = [value < 0 ? -1 : 1, Math.abs(value)] as const;
    alike[a].push({ other: b, sign, correlation, shift });
    alike[b].push({ other: a, sign, correlation, shift: shift.map((step) => -step) });
  });
  for (const list of alike) list.sort((a, b) => b.correlation - a.correlation || a.other - b.other);
  return alike;
}

/** The largest families, one after the other, without an atom twice. */
function gather(
  alike: readonly (readonly Likeness[])[],
  correlator: PatternCorrelator,
  shape: Shape,
  { count, least, most }: Required<FamilyOptions>,
): Likeness[][] {
  const apart = Math.max(2, Math.min(...shape) / 10);
  const used = new Set<number>();
  const notFirst = new Set<number>();
  const familyOf = (first: number): Likeness[] => {
    const family: Likeness[] = [{ other: first, sign: 1, correlation: 1, shift: shape.map(() => 0) }];
    for (const one of alike[first]) {
      const hasPlace = family.every(({ shift }) => distance(shift, one.shift) >= apart);
      if (family.length < most && hasPlace && !used.has(one.other)) family.push(one);
    }
    return family;
  };
  const families: Likeness[][] = [];
  while (families.length < count) {
    const firsts = Array.from(alike.keys()).filter((one) => !used.has(one) && !notFirst.has(one));
    const best = firsts.map(familyOf).reduce<Likeness[]>((a, b) => (weight(b) > weight(a) ? b : a), []);
    if (best.length < least) break;
    for (const { other } of best) used.add(other);
    correlator.eachWith(best[0].other, otherKind, (other) => notFirst.add(other));
    families.push(best);
  }
  return families;
}

/** Many members count first, how alike they are second. */
function weight(family: readonly Likeness[]): number {
  return family.reduce((sum, { correlation }) => sum + correlation, 0);
}

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((value, axis) => value - b[axis]));
}
