/**
 * All codes of a patch y along one greedy pursuit. The atoms that OMP takes for k are the first k of those it takes for
 * more, so one pursuit of p atoms holds the codes for every k ≤ p. With the atoms in the order they were taken,
 * [d₁ … d_p] = QR and z = Qᵀy,
 *
 *     the approximation with k atoms is     Σ_{j ≤ k} zⱼqⱼ,
 *     its coefficients x solve              R_k x = z_k.
 *
 * An atom that depends on those before it adds nothing: its q is zero.
 */

export interface LookPath {
  /** p × n, row by row: qⱼ zⱼ, what the j-th atom adds to the approximation. */
  readonly steps: Float64Array;
  /** p × p, row by row: R. */
  readonly R: Float64Array;
  readonly z: Float64Array;
}

/** An atom is dependent if this share of it, or less, is outside the span of those before. */
const dependent = 1e-6;

/** `atoms`: p vectors as long as y, which has its mean removed if the dictionary asks for it. */
export function lookPath(y: ArrayLike<number>, atoms: readonly Float32Array[]): LookPath {
  const n = y.length;
  const p = atoms.length;
  const Q = new Float64Array(p * n);
  const R = new Float64Array(p * p);
  const z = new Float64Array(p);
  for (let k = 0; k < p; k++) {
    const q = Q.subarray(k * n, (k + 1) * n);
    q.set(atoms[k]);
    for (let j = 0; j < k; j++) {
      const before = Q.subarray(j * n, (j + 1) * n);
      const share = inner(before, q);
      R[j * p + k] = share;
      for (let i = 0; i < n; i++) q[i] -= share * before[i];
    }
    const norm = Math.sqrt(inner(q, q));
    const isNew = norm > dependent;
    R[k * p + k] = isNew ? norm : 0;
    for (let i = 0; i < n; i++) q[i] = isNew ? q[i] / norm : 0;
    z[k] = inner(q, y);
  }
  for (let k = 0; k < p; k++) for (let i = 0; i < n; i++) Q[k * n + i] *= z[k];
  return { steps: Q, R, z };
}

/** The coefficients of the first k atoms. */
export function pathCoefficients({ R, z }: LookPath, k: number): Float64Array {
  const p = z.length;
  const x = z.slice(0, k);
  for (let i = k - 1; i >= 0; i--) {
    for (let j = i + 1; j < k; j++) x[i] -= R[i * p + j] * x[j];
    x[i] = R[i * p + i] > 0 ? x[i] / R[i * p + i] : 0;
  }
  return x;
}

function inner(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
