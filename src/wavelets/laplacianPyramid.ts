/**
 * One level of the Laplacian pyramid of pictures on a torus, with the 9-7 filters.
 *
 *     c = Hx,   d = x − Gc          analysis: a coarse picture with a quarter of the samples, and the missing details
 *     x = G(c − Hd) + d             synthesis
 *
 * H filters with h (9 taps) along both axes and keeps every second sample; G puts zeros between samples and filters
 * with g (7 taps). The filters are biorthogonal, HG = I, so GH is a projection and synthesis undoes analysis:
 * Gc − GHd + d = GHx + (I − GH)(I − GH)x = x. Of other d only (I − GH)d counts, and so an atom of the details is
 * (I − GH)d. This is synthesis by the dual frame; Gc + d would invert analysis as well [Do, Vetterli 2003].
 *
 * The filters, the "9-7" of [Cohen, Daubechies, Feauveau 1992]: with y = sin²(ω/2) they are
 *
 *     G = √2 (1 − y)² (1 − y/r),   H = √2 (1 − y)² q(y)/q(0),   20(y − r)q(y) = 1 + 4y + 10y² + 20y³
 *
 * (r the real root), computed to 40 digits; the doubles nearest to them are below.
 *
 * Shapes   x rows×columns, both even; c half of each; d as x
 */

/** A picture that wraps around at its edges, row-major. */
export interface Torus {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float64Array;
}

/** Taps from the middle outwards: h₀, h±₁, … */
export const analysisTaps = [
  0.8526986790094034, 0.37740285561265374, -0.1106244044184234, -0.02384946501938, 0.03782845550699546,
] as const;
export const synthesisTaps = [
  0.7884856164056644, 0.4180922732222122, -0.04068941760955844, -0.06453888262893843,
] as const;

/** The two parts of a picture. */
export interface PyramidLevel {
  readonly coarse: Torus;
  readonly detail: Torus;
}

/** c = Hx, d = x − Gc. */
export function pyramidAnalysis(picture: Torus): PyramidLevel {
  const coarse = reduce(picture);
  return { coarse, detail: combine(picture, -1, expand(coarse)) };
}

/** x = G(c − Hd) + d. */
export function pyramidSynthesis({ coarse, detail }: PyramidLevel): Torus {
  return combine(detail, 1, expand(combine(coarse, -1, reduce(detail))));
}

/** H: filter with h and keep every second sample, along both axes. */
function reduce(picture: Torus): Torus {
  const { rows, columns } = picture;
  return alongColumns(alongColumns(picture, rows / 2, halve), columns / 2, halve);
}

/** G: zeros between samples, then filter with g, along both axes. */
export function expand(picture: Torus): Torus {
  const { rows, columns } = picture;
  return alongColumns(alongColumns(picture, 2 * rows, double), 2 * columns, double);
}

/** Change each column of a picture to one of another length, and transpose. Applied twice, it works along both axes. */
function alongColumns(
  { rows, columns, data }: Torus,
  length: number,
  change: (line: Float64Array) => Float64Array,
): Torus {
  const line = new Float64Array(rows);
  const result = torus(columns, length);
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) line[row] = data[row * columns + column];
    result.data.set(change(line), column * length);
  }
  return result;
}

function halve(line: Float64Array): Float64Array {
  const half = new Float64Array(line.length / 2);
  for (let k = 0; k < half.length; k++) {
    analysisTaps.forEach((tap, t) => {
      half[k] += tap * line[wrap(2 * k + t, line.length)];
      if (t > 0) half[k] += tap * line[wrap(2 * k - t, line.length)];
    });
  }
  return half;
}

function double(line: Float64Array): Float64Array {
  const twice = new Float64Array(2 * line.length);
  for (let k = 0; k < line.length; k++) {
    if (line[k] === 0) continue;
    synthesisTaps.forEach((tap, t) => {
      twice[wrap(2 * k + t, twice.length)] += tap * line[k];
      if (t > 0) twice[wrap(2 * k - t, twice.length)] += tap * line[k];
    });
  }
  return twice;
}

/** a + weight · b. */
function combine(a: Torus, weight: number, b: Torus): Torus {
  return { ...a, data: a.data.map((value, i) => value + weight * b.data[i]) };
}

export function torus(rows: number, columns: number): Torus {
  return { rows, columns, data: new Float64Array(rows * columns) };
}

/** i modulo n, from 0 to n − 1. */
export function wrap(i: number, n: number): number {
  const rest = i % n;
  return rest < 0 ? rest + n : rest;
}
