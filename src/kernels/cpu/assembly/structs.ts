/**
 * What lies in memory behind a handle: addresses and sizes. TypeScript writes it
 * once, when the handle is made, and kernels receive its address.
 */

/** Sparse columns: the entries of column j start at j·width, and there are counts[j] of them. */
@unmanaged
export class Sparse {
  indices: usize;
  values: usize;
  counts: usize;
  width: i32;
}

/**
 * Φ, n × L: plans of Φᵀ and of Φ (transform.ts), and its columns. Column j is the outer
 * product of column ⌊j / lastCount⌋ over the leading axes and column j mod lastCount over the last.
 */
@unmanaged
export class Base {
  rows: i32;
  cols: i32;
  analysis: usize;
  synthesis: usize;
  leading: usize;
  leadingLength: i32;
  last: usize;
  lastLength: i32;
  lastCount: i32;
}

/** The arguments of a pursuit. */
@unmanaged
export class PursuitArguments {
  G: usize;
  P: usize;
  energies: usize;
  m: i32;
  /** The most atoms of a code. */
  p: i32;
  X: Sparse;
  /** 0 for none. */
  path: usize;
  /** ε²; 0 for no such limit. */
  residualEnergy: f64;
  /** The floors of the contract. */
  pursuitFloor: f32;
  dependenceFloor: f64;
  /** Columns that rounded.ts may keep; 0 if it is not used. */
  kept: i32;
  /** 1 for orthogonal least squares. */
  isOls: i32;
}

/** What a turn of OLS works on; it lies before the vectors that it points to. */
@unmanaged
export class OlsTurn {
  P: usize;
  m: i32;
  alpha: usize;
  /** ν. */
  distances: usize;
  /** −β of a strip so far, and as many zeros. */
  partial: usize;
  zeros: usize;
  /** Addresses of the columns of G that are taken, and v. */
  columns: usize;
  weights: usize;
  /** The least |α| and ν of an atom that may be taken. */
  floor: f32;
  least: f32;
  /** The largest α²/ν of this turn so far in each of four lanes of the blocks of 16 atoms; then the bytes where those begin. */
  best: usize;
  /** The same of the atoms after the last whole block, one by one. */
  restBest: f32;
  restAt: usize;
}
