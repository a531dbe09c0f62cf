/**
 * The best factor of a separable base along one axis, with everything else fixed.
 *
 * Let y be a line of an example along the axis, of n_a samples, and b the same line of the coefficients C = AX after the
 * factors of the other axes, of L_a numbers, so that y ≈ φb. Over all lines of all examples,
 *
 *     g(φ) = ½ Σ‖y − φb‖² = ½ tr(φᵀφT) − tr(φᵀS) + ½ Σ‖y‖²,   S = Σ ybᵀ,  T = Σ bbᵀ,
 *
 * so the examples enter through S and T alone. As a function of one column, g is a constant plus T_jj/2 ‖φⱼ − u‖² with
 *
 *     u = φⱼ + (sⱼ − φtⱼ)/T_jj,
 *
 * and of all columns with the norm of the old one the nearest to u is u scaled to that norm. A sweep takes it for each
 * column in turn, as ODL does with its atoms, so that g never rises. A column that no example uses stays as it is.
 *
 * Shapes   φ, S n_a × L_a   T L_a × L_a, in f64 on the host
 * Cost     L_a(L_a/2 + n_a) multiply-adds per line, n/n_a lines per example; n_a·L_a² per sweep
 */

import type { DenseMatrix } from "../../core/matrix.js";
import { Matrix64, norm } from "../../linalg/matrix64.js";

/** Where the lines of an axis are: `outer` and `inner` are the products of the sizes before and after it. */
export interface AxisPlace {
  readonly outer: number;
  readonly inner: number;
}

/** Lines that are added at a time, so that they stay in the nearest cache; a multiple of 4. */
const panelLines = 32;

export class FactorSums {
  readonly S: Matrix64;
  readonly T: Matrix64;

  /** Zero sums for a factor of `rows` × `cols`. */
  constructor(rows: number, cols: number) {
    this.S = new Matrix64(rows, cols);
    this.T = new Matrix64(cols, cols);
  }

  /** S ← βS, T ← βT. */
  forget(beta: number): void {
    for (const { data } of [this.S, this.T]) for (let i = 0; i < data.length; i++) data[i] *= beta;
  }

  /** Add the lines of examples Y and of their coefficients B, both with the last axis fastest. */
  add(Y: DenseMatrix, B: DenseMatrix, { outer, inner }: AxisPlace): void {
    const { rows, cols } = this.S;
    const panel = new Float64Array((cols + rows) * panelLines);
    let count = 0;
    for (let example = 0; example < Y.cols; example++) {
      for (let o = 0; o < outer; o++) {
        for (let q = 0; q < inner; q++) {
          copyLine(B.data, example * B.rows + o * cols * inner + q, inner, cols, panel, count);
          copyLine(
            Y.data,
            example * Y.rows + o * rows * inner + q,
            inner,
            rows,
            panel,
            cols * panelLines + count,
          );
          count = (count + 1) % panelLines;
          if (count === 0) this.#addPanel(panel);
        }
      }
    }
    for (let at = 0; count > 0 && at < panel.length; at++) if (at % panelLines >= count) panel[at] = 0;
    if (count > 0) this.#addPanel(panel);
    mirror(this.T);
  }

  /** S ← S + Σ ybᵀ, and the same for the lower triangle of T, over lines that stand in the columns of [B; Y]. */
  #addPanel(panel: Float64Array): void {
    const { rows, cols } = this.S;
    const [S, T] = [this.S.data, this.T.data];
    for (let j = 0; j < cols; j++) {
      for (let i = j; i < cols; i++) T[j * cols + i] += rowProduct(panel, i, j);
      for (let i = 0; i < rows; i++) S[j * rows + i] += rowProduct(panel, cols + i, j);
    }
  }

  /** g, without the energy of the examples. */
  cost(phi: Matrix64): number {
    const product = phi.times(this.T);
    let sum = 0;
    for (let i = 0; i < phi.data.length; i++) sum += phi.data[i] * (product.data[i] / 2 - this.S.data[i]);
    return sum;
  }

  /** A new factor, after a sweep over the columns of this one. */
  sweep(phi: Matrix64): Matrix64 {
    const { S, T } = this;
    const next = new Matrix64(phi.rows, phi.cols, phi.data.slice());
    const floor = Number.EPSILON * largestDiagonal(T);
    for (let j = 0; j < next.cols; j++) {
      const energy = T.at(j, j);
      if (!(energy > floor)) continue;
      const column = next.column(j);
      const u = column.slice();
      const length = norm(column);
      const s = S.column(j);
      for (let i = 0; i < u.length; i++) u[i] += s[i] / energy;
      for (let l = 0; l < next.cols; l++) {
        const weight = T.at(l, j) / energy;
        if (weight === 0) continue;
        const other = next.column(l);
        for (let i = 0; i < u.length; i++) u[i] -= weight * other[i];
      }
      const size = norm(u);
      if (size > 0) for (let i = 0; i < u.length; i++) column[i] = (u[i] / size) * length;
    }
    return next;
  }
}

/** `length` numbers that stand `stride` apart become a column of a panel, from `place` on. */
function copyLine(
  data: Float32Array,
  start: number,
  stride: number,
  length: number,
  panel: Float64Array,
  place: number,
): void {
  for (let i = 0; i < length; i++) panel[place + i * panelLines] = data[start + i * stride];
}

/** The product of rows i and j of a panel, in four sums that do not wait for each other. */
function rowProduct(panel: Float64Array, i: number, j: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const end = (i + 1) * panelLines;
  for (let p = i * panelLines, q = j * panelLines; p < end; p += 4, q += 4) {
    a += panel[p] * panel[q];
    b += panel[p + 1] * panel[q + 1];
    c += panel[p + 2] * panel[q + 2];
    d += panel[p + 3] * panel[q + 3];
  }
  return a + b + (c + d);
}

/** The upper triangle ← the lower one. */
function mirror({ data, rows }: Matrix64): void {
  for (let j = 0; j < rows; j++) for (let i = j + 1; i < rows; i++) data[i * rows + j] = data[j * rows + i];
}

function largestDiagonal(T: Matrix64): number {
  let largest = 0;
  for (let j = 0; j < T.cols; j++) largest = Math.max(largest, T.at(j, j));
  return largest;
}
