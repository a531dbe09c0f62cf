/**
 * Leading eigenvectors of a large symmetric matrix C ≥ 0 that lives on a device, by
 * subspace iteration [Golub, Van Loan 2013, §8.2.4]:
 *
 *     Q ← orth(CQ)                 8 times, with some more columns than are wanted
 *                                  (random directions once the range of C is exhausted)
 *     QᵀCQ = U diag(θ) Uᵀ          Rayleigh–Ritz
 *     V ← QU                       the first columns
 *
 * The kernels compute the products with C, in f32; orthonormalising is f64 on the host.
 * With q columns in Q, a vector whose eigenvalue λⱼ is well above λ_{q+1} has an error of
 * (λ_{q+1}/λⱼ)⁸; the last vectors only span about the right space.
 *
 * Cost     per iteration 2n²q on the device and n·q² on the host: for n = 4096, q = 1160
 *          some seconds, where all eigenvectors take tens of minutes.
 */

import { EventLoopPause } from "../../core/eventLoop.js";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import type { DeviceMatrix, Kernels } from "../../kernels/contract.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { symmetricEigen } from "../../linalg/symmetricEigen.js";

const iterations = 8;

/** The eigenvectors of the `count` largest eigenvalues, as columns. */
export async function leadingSubspace(
  C: DeviceMatrix,
  count: number,
  kernels: Kernels,
): Promise<DenseMatrix> {
  const n = C.rows;
  const q = Math.min(n, count + Math.ceil(count / 8) + 8);
  const held = kernels.matrix(n, q);
  const product = kernels.matrix(n, q);
  const rng = Rng.from(1);
  let Q = await orthonormal(
    DenseMatrix.build(n, q, () => rng.uniform() - 0.5),
    rng,
  );
  for (let iteration = 0; iteration < iterations; iteration++) {
    await kernels.writeMatrix(held, Q);
    await kernels.correlate(C, held, product); // CᵀQ = CQ
    Q = await orthonormal(await kernels.readMatrix(product), rng);
  }
  const V = await ritzVectors(C, Q, count, kernels);
  kernels.free(held, product);
  return V;
}

/** The best approximations of eigenvectors in the span of Q, the largest eigenvalues first. */
async function ritzVectors(
  C: DeviceMatrix,
  Q: DenseMatrix,
  count: number,
  kernels: Kernels,
): Promise<DenseMatrix> {
  const { rows: n, cols: q } = Q;
  const left = kernels.matrix(n, q);
  const right = kernels.matrix(n, q);
  const small = kernels.matrix(q, q);
  await kernels.writeMatrix(left, Q);
  await kernels.correlate(C, left, right);
  await kernels.correlate(left, right, small); // QᵀCQ
  const T = await kernels.readMatrix(small);
  kernels.free(left, right, small);
  const symmetric = DenseMatrix.build(q, q, (i, j) => (T.at(i, j) + T.at(j, i)) / 2);
  const { vectors } = await symmetricEigen(new Matrix64(q, q, Float64Array.from(symmetric.data)));
  const rotation = new DenseMatrix(q, count, Float32Array.from(vectors.data.subarray(0, q * count)));
  const rows = kernels.matrix(q, n);
  const U = kernels.matrix(q, count);
  const V = kernels.matrix(n, count);
  await kernels.writeMatrix(
    rows,
    DenseMatrix.build(q, n, (i, j) => Q.at(j, i)),
  );
  await kernels.writeMatrix(U, rotation);
  await kernels.correlate(rows, U, V); // QU
  const found = await kernels.readMatrix(V);
  kernels.free(rows, U, V);
  return found;
}

/**
 * The columns made orthonormal by modified Gram–Schmidt. A random direction takes the place of one that depends on
 * those before it; there is always one left, as there are no more columns than rows.
 */
async function orthonormal(Z: DenseMatrix, rng: Rng): Promise<DenseMatrix> {
  const pause = new EventLoopPause();
  const columns = Array.from({ length: Z.cols }, (_, j) => Float64Array.from(Z.column(j)));
  for (const [j, column] of columns.entries()) {
    const before = length(column);
    removeSpan(column, columns, j);
    if (!(length(column) > 1e-6 * before)) setRandomDirection(column, columns, j, rng);
    normalize(column);
    if (pause.isDue()) await pause.take();
  }
  const Q = new DenseMatrix(Z.rows, Z.cols);
  for (const [j, column] of columns.entries()) Q.column(j).set(column);
  return Q;
}

/** A random direction that is orthogonal to the first j of some orthonormal columns. */
function setRandomDirection(
  column: Float64Array,
  columns: readonly Float64Array[],
  j: number,
  rng: Rng,
): void {
  for (let r = 0; r < column.length; r++) column[r] = rng.uniform() - 0.5;
  for (let pass = 0; pass < 2; pass++) removeSpan(column, columns, j); // little of it may be left after one
}

/** Subtract the parts along the first j of some orthonormal columns. */
function removeSpan(column: Float64Array, columns: readonly Float64Array[], j: number): void {
  for (let i = 0; i < j; i++) subtract(column, dot(columns[i], column), columns[i]);
}

function normalize(column: Float64Array): void {
  const scale = 1 / length(column);
  for (let r = 0; r < column.length; r++) column[r] *= scale;
}

function length(x: Float64Array): number {
  return Math.sqrt(dot(x, x));
}

/** In four sums, which a processor can compute in parallel. */
function dot(x: Float64Array, y: Float64Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = x.length - (x.length % 4);
  for (let i = 0; i < whole; i += 4) {
    a += x[i] * y[i];
    b += x[i + 1] * y[i + 1];
    c += x[i + 2] * y[i + 2];
    d += x[i + 3] * y[i + 3];
  }
  for (let i = whole; i < x.length; i++) a += x[i] * y[i];
  return a + b + (c + d);
}

function subtract(x: Float64Array, weight: number, y: Float64Array): void {
  for (let i = 0; i < x.length; i++) x[i] -= weight * y[i];
}
