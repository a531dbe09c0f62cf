/**
 * The directional filter bank of contourlets: pictures on a torus as 2^l bands, each of one range of directions,
 * with as many coefficients as samples [Bamberger, Smith 1992; Do, Vetterli 2005].
 *
 * It is a binary tree. A node has a picture on a lattice with the basis b₁, b₂ (at the root, all samples), and divides
 * its frequencies ω by a fan: with ν = (b₁·ω, b₂·ω), into |ν₁| > |ν₂| and the rest. Its children have the sublattice
 * of points m₁b₁ + m₂b₂ with even m₁ + m₂. The root has the unit vectors as its basis and divides the square of
 * frequencies into |ω₀| > |ω₁| and the rest. Below it, a node covers a double wedge along a leading axis, with slopes
 * from s to s + δ (at first −1 to 1), and its basis is
 *
 *     b₁ = 2/δ (s + δ, −1),   b₂ = 2/δ (−s, 1)      in the order (leading axis, other axis)
 *
 * Since b₁ is orthogonal to one edge of the wedge and b₂ to the other, ν₁ = ν₂ is the ray of slope s + δ/2: the fan
 * halves the wedge. All entries are integers. At the leaves, the lattice has every second sample along the leading
 * axis and every 2^(l−1)-th along the other.
 *
 * The two channels are a ladder [Phoong et al. 1995]. With x₀ the samples at even m₁ + m₂, x₁ those at odd ones,
 *
 *     s = (x₀ + Px₁)/√2,   d = √2 x₁ − Ps      and back      x₁ = (d + Ps)/√2,   x₀ = √2 s − Px₁
 *
 * so reconstruction is perfect for any P. Here P interpolates half-way between samples along both diagonals,
 * (Px)(m) = Σ_{a,b} (−1)^((a+b)/2) β_|a| β_|b| x(m + (a+b, a−b)/2) over odd a and b; the signs move the pass-band from the
 * diamond around 0 to the fan. β is the 12-tap filter of that paper, with its four printed digits.
 *
 * Shapes   a picture rows×columns, both divisible by 2^(l−1), and by 2; 2^l bands of rows·columns/2^l coefficients
 * Cost     288 multiply-adds per sample and level of the tree
 *
 * [Phoong95] S.-M. Phoong, C. W. Kim, P. P. Vaidyanathan, R. Ansari. A New Class of Two-Channel Biorthogonal
 *            Filter Banks and Wavelet Bases. IEEE TSP 43(3), 1995.
 */

import { type Torus, torus, wrap } from "./laplacianPyramid.js";

/** β₁, β₃, … β₁₁: weights of the samples at distances ½, 3/2, … from the interpolated point. */
const halfSampleTaps = [0.63, -0.193, 0.0972, -0.0526, 0.0272, -0.0144] as const;

type Vector = readonly [row: number, column: number];

/** The coefficients of one range of directions. */
export interface DirectionalBand {
  /** Where the coefficients are: flat indices of a lattice of the picture, ascending from 0. All other samples are zero. */
  readonly points: Uint32Array;
  readonly picture: Torus;
}

/** A node of the tree: how its picture is divided in two. */
interface Fan {
  readonly rows: number;
  readonly columns: number;
  /** From points with even m₁ + m₂ to points with odd m₁ + m₂. */
  readonly step: Vector;
  /** Points with even m₁ + m₂: the lattice of both children. */
  readonly even: Uint32Array;
  readonly odd: Uint32Array;
  readonly taps: readonly { readonly at: Vector; readonly weight: number }[];
  /** One for |ν₁| > |ν₂| and one for the rest, if they are divided further. */
  readonly children: readonly [Fan, Fan] | undefined;
}

/** A bank of 2^levels directions for pictures of one size; with 0 levels it changes nothing. */
export class DirectionalBank {
  readonly rows: number;
  readonly columns: number;
  readonly #root: Fan | undefined;

  constructor(rows: number, columns: number, levels: number) {
    this.rows = rows;
    this.columns = columns;
    this.#root =
      levels === 0
        ? undefined
        : makeFan(rows, columns, [1, 0], [0, 1], () =>
            levels === 1 ? undefined : [wedge(this, 0, -1, 2, levels - 1), wedge(this, 1, -1, 2, levels - 1)],
          );
  }

  /** The bands of a picture by direction: from one diagonal to the other, then the other half. */
  analyze(picture: Torus): DirectionalBand[] {
    if (!this.#root) return [{ points: allPoints(picture), picture }];
    return analyzeFan(this.#root, picture);
  }

  /** The picture with these bands. */
  synthesize(bands: readonly Torus[]): Torus {
    return this.#root ? synthesizeFan(this.#root, bands) : bands[0];
  }

  /** Where the coefficients of each band are. */
  bandPoints(): Uint32Array[] {
    return this.#root ? pointsBelow(this.#root) : [allPoints(this)];
  }
}

/** The node of a double wedge along an axis, with slopes from s to s + δ and `levels` levels below it. */
function wedge(
  size: { readonly rows: number; readonly columns: number },
  axis: 0 | 1,
  s: number,
  delta: number,
  levels: number,
): Fan {
  const inOrder = (leading: number, other: number): Vector =>
    axis === 0 ? [leading, other] : [other, leading];
  const b1 = inOrder((2 / delta) * (s + delta), -2 / delta);
  const b2 = inOrder((-2 / delta) * s, 2 / delta);
  const half = delta / 2;
  return makeFan(size.rows, size.columns, b1, b2, () =>
    levels === 1
      ? undefined
      : [wedge(size, axis, s, half, levels - 1), wedge(size, axis, s + half, half, levels - 1)],
  );
}

function makeFan(
  rows: number,
  columns: number,
  b1: Vector,
  b2: Vector,
  children: () => Fan["children"],
): Fan {
  const along = (m1: number, m2: number): Vector => [
    wrap(m1 * b1[0] + m2 * b2[0], rows),
    wrap(m1 * b1[1] + m2 * b2[1], columns),
  ];
  const odds = halfSampleTaps.flatMap((weight, t) => [
    { a: 2 * t + 1, weight },
    { a: -2 * t - 1, weight },
  ]);
  const taps = odds.flatMap((first) =>
    odds.map((second) => {
      const m1 = (first.a + second.a) / 2;
      const sign = m1 % 2 === 0 ? 1 : -1;
      return { at: along(m1, (first.a - second.a) / 2), weight: sign * first.weight * second.weight };
    }),
  );
  const even = latticePoints(rows, columns, along(1, 1), along(1, -1));
  const step = along(1, 0);
  const odd = even.map((point) => shifted(point, step, rows, columns));
  return { rows, columns, step, even, odd, taps, children: children() };
}

/** All points of a torus that two vectors generate, ascending. */
function latticePoints(rows: number, columns: number, first: Vector, second: Vector): Uint32Array {
  const seen = new Set([0]);
  for (const point of seen) {
    seen.add(shifted(point, first, rows, columns));
    seen.add(shifted(point, second, rows, columns));
  }
  return Uint32Array.from(seen).sort();
}

function shifted(point: number, [row, column]: Vector, rows: number, columns: number): number {
  const r = (Math.floor(point / columns) + row) % rows;
  return r * columns + (((point % columns) + column) % columns);
}

function analyzeFan(fan: Fan, x: Torus): DirectionalBand[] {
  const { even, odd, rows, columns } = fan;
  const s = torus(rows, columns);
  const d = torus(rows, columns);
  for (const point of even) s.data[point] = Math.SQRT1_2 * (x.data[point] + interpolate(fan, x, point));
  even.forEach((point, i) => {
    d.data[point] = Math.SQRT2 * x.data[odd[i]] - interpolate(fan, s, odd[i]);
  });
  const parts = [s, d];
  if (!fan.children) return parts.map((picture) => ({ points: even, picture }));
  return fan.children.flatMap((child, i) => analyzeFan(child, parts[i]));
}

function synthesizeFan(fan: Fan, bands: readonly Torus[]): Torus {
  const half = bands.length / 2;
  const [s, d] = [bands.slice(0, half), bands.slice(half)].map((part, i) =>
    fan.children ? synthesizeFan(fan.children[i], part) : part[0],
  );
  const x = torus(fan.rows, fan.columns);
  fan.even.forEach((point, i) => {
    const at = fan.odd[i];
    x.data[at] = Math.SQRT1_2 * (d.data[point] + interpolate(fan, s, at));
  });
  for (const point of fan.even) x.data[point] = Math.SQRT2 * s.data[point] - interpolate(fan, x, point);
  return x;
}

/** (Px)(m) at one point. */
function interpolate({ taps, rows, columns }: Fan, x: Torus, point: number): number {
  const row = Math.floor(point / columns);
  const column = point % columns;
  let sum = 0;
  for (const { at, weight } of taps) {
    let r = row + at[0];
    let c = column + at[1];
    if (r >= rows) r -= rows;
    if (c >= columns) c -= columns;
    sum += weight * x.data[r * columns + c];
  }
  return sum;
}

function pointsBelow({ children, even }: Fan): Uint32Array[] {
  return children ? children.flatMap(pointsBelow) : [even, even];
}

function allPoints({ rows, columns }: { readonly rows: number; readonly columns: number }): Uint32Array {
  return Uint32Array.from({ length: rows * columns }, (_, i) => i);
}
