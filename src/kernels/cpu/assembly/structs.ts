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
 * Φ, n × L: plans of Φᵀ and of Φ (project.ts), and its columns. Column j is the outer
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
  /** Columns that rounded.ts or roundedOls.ts may keep; 0 if it is not used. */
  kept: i32;
  /** 1 for orthogonal least squares. */
  isOls: i32;
  /** The atoms that an example chooses among (near.ts): how many, W, columns of A; 0 for all atoms. */
  choices: i32;
  W: usize;
  A: Sparse;
  first: i32;
  step: i32;
  /** Set by near.ts: the rows of those atoms, room for columns, and the rows of G. */
  rows: usize;
  columns: usize;
  all: i32;
}

/** The column of G of an atom, which becomes the one after those taken; of the atoms that an example chooses among alone, a copy. */
export function columnOf(args: PursuitArguments, atom: i32, taken: i32): usize {
  const rows = args.rows;
  if (rows === 0) return args.G + ((<usize>atom * <usize>args.m) << 2);
  const column = args.G + ((<usize>load<u32>(rows + ((<usize>atom) << 2)) * <usize>args.all) << 2);
  const copy = args.columns + ((<usize>taken * <usize>args.choices) << 2);
  const end = (<usize>args.m) << 2;
  for (let c: usize = 0; c < end; c += 4)
    store<f32>(copy + c, load<f32>(column + ((<usize>load<u32>(rows + c)) << 2)));
  return copy;
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
