/**
 * The space that SeDiL searches: factors with unit columns, which is a product of spheres,
 * and codes X without constraint. Its inner product, tangent spaces and retraction.
 */

import { DenseMatrix } from "../../../core/matrix.js";
import { Matrix64, norm } from "../../../linalg/matrix64.js";

/** A point of the space, or a direction in it: the factors, and the codes (L × N). */
export interface SedilPoint {
  readonly factors: readonly Matrix64[];
  readonly X: DenseMatrix;
}

/** ⟨a, b⟩, in which codes count 1/N (S1). */
export function inner(a: SedilPoint, b: SedilPoint): number {
  const codes = dotCodes(a.X.data, b.X.data) / Math.max(1, a.X.cols);
  return a.factors.reduce((total, { data }, axis) => total + dot(data, b.factors[axis].data), codes);
}

/** ⟨g, g⟩, ⟨g, previous⟩, ⟨g, h⟩ and ⟨previous, h⟩: in one pass, since codes are long. */
export function innerProducts(g: SedilPoint, previous: SedilPoint, h: SedilPoint) {
  const [x, y, z] = [g.X.data, previous.X.data, h.X.data];
  let [energy, overlap, along, before] = [0, 0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    energy += x[i] * x[i];
    overlap += x[i] * y[i];
    along += x[i] * z[i];
    before += y[i] * z[i];
  }
  const N = Math.max(1, g.X.cols);
  const total = (codes: number, a: SedilPoint, b: SedilPoint) =>
    a.factors.reduce((sum, { data }, axis) => sum + dot(data, b.factors[axis].data), codes / N);
  return {
    energy: total(energy, g, g),
    overlap: total(overlap, g, previous),
    along: total(along, g, h),
    before: total(before, previous, h),
  };
}

/** The part of `slope` that is tangent to the spheres at `point`: of each column, what is orthogonal to it. */
export function tangent(point: SedilPoint, slope: SedilPoint): SedilPoint {
  const factors = slope.factors.map((factor, axis) =>
    mapColumns(factor, (g, j) => {
      const d = point.factors[axis].column(j);
      const along = dot(g, d);
      return g.map((value, r) => value - along * d[r]);
    }),
  );
  return { factors, X: slope.X };
}

/** The retraction (S2): (d + th)/‖d + th‖ for each column, X + th for the codes, in `room` if there is some. */
export function retract(point: SedilPoint, h: SedilPoint, t: number, room?: DenseMatrix): SedilPoint {
  const factors = point.factors.map((factor, axis) =>
    mapColumns(factor, (d, j) => {
      const direction = h.factors[axis].column(j);
      const next = d.map((value, r) => value + t * direction[r]);
      const size = norm(next); // at least 1: h is orthogonal to d
      return next.map((value) => value / size);
    }),
  );
  return { factors, X: addCodes(1, point.X, t, h.X, room) };
}

/** −a. */
export function negate(a: SedilPoint): SedilPoint {
  return add(-1, a, 0, a);
}

/** pa + qb; its codes are written to `room`, if there is some, which may be those of a or b. */
export function add(p: number, a: SedilPoint, q: number, b: SedilPoint, room?: DenseMatrix): SedilPoint {
  const factors = a.factors.map(({ rows, cols, data }, axis) => {
    const other = b.factors[axis].data;
    return new Matrix64(
      rows,
      cols,
      data.map((value, i) => p * value + q * other[i]),
    );
  });
  return { factors, X: addCodes(p, a.X, q, b.X, room) };
}

function addCodes(p: number, a: DenseMatrix, q: number, b: DenseMatrix, room?: DenseMatrix): DenseMatrix {
  const result = room ?? new DenseMatrix(a.rows, a.cols);
  const [x, y, z] = [a.data, b.data, result.data];
  for (let i = 0; i < z.length; i++) z[i] = p * x[i] + q * y[i];
  return result;
}

function mapColumns(factor: Matrix64, map: (column: Float64Array, j: number) => Float64Array): Matrix64 {
  const result = new Matrix64(factor.rows, factor.cols);
  for (let j = 0; j < factor.cols; j++) result.column(j).set(map(factor.column(j), j));
  return result;
}

function dot(x: Float64Array, y: Float64Array): number {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i] * y[i];
  return total;
}

/** The same for codes: a function of its own, since one for both kinds of arrays is several times as slow. */
export function dotCodes(x: Float32Array, y: Float32Array): number {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i] * y[i];
  return total;
}
