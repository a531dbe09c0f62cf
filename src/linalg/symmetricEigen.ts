/**
 * Eigenvalues and eigenvectors of a real symmetric matrix, S = V diag(λ) Vᵀ, in f64.
 *
 * Householder reflections bring S to tridiagonal form, T = QᵀSQ; QL iterations with
 * implicit Wilkinson shifts bring T to diagonal form, and rotate the columns of Q
 * [Golub, Van Loan 2013, §8.3]. Q is stored as rows of Qᵀ, so that reflections and
 * rotations run along contiguous memory.
 *
 * Cost     about 9n³ multiplications, most of them in rotations: seconds for n = 1000,
 *          minutes for n = 4000, with pauses for the event loop
 */

import { InputError } from "../core/errors.js";
import { EventLoopPause } from "../core/eventLoop.js";
import { largestMagnitude } from "../core/units.js";
import { Matrix64 } from "./matrix64.js";

export interface SymmetricEigen {
  /** λ, the largest first. */
  readonly values: Float64Array;
  /** V: column j belongs to λⱼ, has unit norm, and its largest entry is positive. */
  readonly vectors: Matrix64;
}

/** QL steps per eigenvalue, at most; usually about two are enough. */
const maxSteps = 60;

export async function symmetricEigen(S: Matrix64): Promise<SymmetricEigen> {
  if (S.rows !== S.cols)
    throw new InputError(`symmetricEigen: the matrix must be square, got ${S.rows} × ${S.cols}`);
  const pause = new EventLoopPause();
  const { diagonal, beside, rows } = await tridiagonal(S, pause);
  await diagonalize(diagonal, beside, rows, pause);
  const n = S.rows;
  const order = Array.from(diagonal.keys()).sort((a, b) => diagonal[b] - diagonal[a] || a - b);
  const vectors = new Matrix64(n, n);
  order.forEach((from, j) => vectors.column(j).set(positive(rows[from])));
  return { values: Float64Array.from(order, (j) => diagonal[j]), vectors };
}

/** T = QᵀSQ: its diagonal, its off-diagonal (beside[i] = T[i, i + 1]), and the rows of Qᵀ. */
async function tridiagonal(S: Matrix64, pause: EventLoopPause) {
  const n = S.rows;
  const A = Array.from({ length: n }, (_, j) => S.column(j).slice()); // symmetric: columns are rows
  const diagonal = new Float64Array(n);
  const beside = new Float64Array(n);
  const reflections: { readonly v: Float64Array; readonly tau: number }[] = [];
  for (let k = 0; k < n - 1; k++) {
    // a reflection of rows k + 1 … n − 1 that turns column k below the diagonal into (±‖x‖, 0, …, 0)
    const reflection = householder(A[k].subarray(k + 1));
    diagonal[k] = A[k][k];
    beside[k] = reflection.length;
    reflections.push(reflection);
    if (reflection.tau !== 0) reflectBoth(A, k + 1, reflection.v, reflection.tau);
    if (pause.isDue()) await pause.take();
  }
  if (n > 0) diagonal[n - 1] = A[n - 1][n - 1];
  // Qᵀ = H₍ₙ₋₂₎ … H₀ from the last to the first: H_k changes only rows k + 1 … of Q
  const rows = Array.from({ length: n }, (_, i) => {
    const row = new Float64Array(n);
    row[i] = 1;
    return row;
  });
  for (let k = n - 2; k >= 0; k--) {
    const { v, tau } = reflections[k];
    if (tau === 0) continue;
    for (let i = k + 1; i < n; i++) {
      const row = rows[i].subarray(k + 1);
      addScaled(row, -tau * dot(row, v), v);
    }
    if (pause.isDue()) await pause.take();
  }
  return { diagonal, beside, rows };
}

/** v and τ with (I − τvvᵀ)x = (length, 0, …, 0). */
function householder(x: Float64Array): { v: Float64Array; tau: number; length: number } {
  const v = x.slice();
  const peak = largestMagnitude(v);
  if (v.length < 2 || v.subarray(1).every((value) => value === 0)) return { v, tau: 0, length: v[0] ?? 0 };
  for (let i = 0; i < v.length; i++) v[i] /= peak;
  const norm = Math.sqrt(dot(v, v));
  const length = v[0] > 0 ? -norm : norm;
  v[0] -= length;
  return { v, tau: 2 / dot(v, v), length: length * peak };
}

/** A ← HAH for the rows and columns from `first` on, H = I − τvvᵀ: A − vwᵀ − wvᵀ. */
function reflectBoth(A: readonly Float64Array[], first: number, v: Float64Array, tau: number): void {
  const w = new Float64Array(v.length);
  for (let i = 0; i < v.length; i++) w[i] = tau * dot(A[first + i].subarray(first), v);
  addScaled(w, -0.5 * tau * dot(w, v), v);
  for (let i = 0; i < v.length; i++) {
    const row = A[first + i].subarray(first);
    const a = v[i];
    const b = w[i];
    for (let j = 0; j < row.length; j++) row[j] -= a * w[j] + b * v[j];
  }
}

/** QL with implicit shifts: the diagonal becomes the eigenvalues, the rows of Qᵀ the eigenvectors. */
async function diagonalize(
  d: Float64Array,
  e: Float64Array,
  rows: readonly Float64Array[],
  pause: EventLoopPause,
): Promise<void> {
  const n = d.length;
  let size = 0; // of T: entries below its rounding count as zero
  for (let i = 0; i < n; i++) size = Math.max(size, Math.abs(d[i]) + Math.abs(e[i]));
  for (let l = 0; l < n; l++) {
    for (let step = 0; ; step++) {
      let end = l;
      while (end < n - 1 && !(Math.abs(e[end]) <= Number.EPSILON * size)) end++;
      if (end === l) break;
      if (step === maxSteps) throw new Error("symmetricEigen: no convergence (are all entries finite?)");
      sweep(d, e, rows, l, end);
      if (pause.isDue()) await pause.take();
    }
  }
}

/** One QL step on the block l … end, with Wilkinson's shift from its upper corner. */
function sweep(
  d: Float64Array,
  e: Float64Array,
  rows: readonly Float64Array[],
  l: number,
  end: number,
): void {
  const gap = (d[l + 1] - d[l]) / (2 * e[l]);
  const root = Math.sqrt(gap * gap + 1);
  let g = d[end] - d[l] + e[l] / (gap + (gap >= 0 ? root : -root));
  let c = 1;
  let s = 1;
  let p = 0;
  for (let i = end - 1; i >= l; i--) {
    const f = s * e[i];
    const b = c * e[i];
    const r = hypotenuse(f, g);
    e[i + 1] = r;
    if (r === 0) {
      // the block falls apart here
      d[i + 1] -= p;
      e[end] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    const t = (d[i] - g) * s + 2 * c * b;
    p = s * t;
    d[i + 1] = g + p;
    g = c * t - b;
    rotate(rows[i], rows[i + 1], c, s);
  }
  d[l] -= p;
  e[l] = g;
  e[end] = 0;
}

/** (x, y) ← (cx − sy, sx + cy). */
function rotate(x: Float64Array, y: Float64Array, c: number, s: number): void {
  for (let k = 0; k < x.length; k++) {
    const a = x[k];
    const b = y[k];
    x[k] = c * a - s * b;
    y[k] = s * a + c * b;
  }
}

/** √(a² + b²), without overflow and with the same bits in every engine. */
function hypotenuse(a: number, b: number): number {
  const large = Math.max(Math.abs(a), Math.abs(b));
  const small = Math.min(Math.abs(a), Math.abs(b));
  if (large === 0) return 0;
  const ratio = small / large;
  return large * Math.sqrt(1 + ratio * ratio);
}

/** The vector with the sign that makes its largest entry positive, scaled to unit norm. */
function positive(row: Float64Array): Float64Array {
  let peak = 0;
  for (const value of row) if (Math.abs(value) > Math.abs(peak)) peak = value;
  const scale = (peak < 0 ? -1 : 1) / Math.sqrt(dot(row, row));
  return row.map((value) => value * scale);
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}

function addScaled(x: Float64Array, weight: number, y: Float64Array): void {
  for (let i = 0; i < x.length; i++) x[i] += weight * y[i];
}
