/** Handles of what lives in the memory of a device (contract.ts), and ranges and steps that name columns and handles. */

/** A dense f32 matrix, by columns. */
export interface DeviceMatrix {
  readonly rows: number;
  readonly cols: number;
}

/** Sparse columns with room for `width` entries each: A, or the codes X. */
export interface DeviceSparse {
  readonly rows: number;
  readonly cols: number;
  readonly width: number;
}

/** A base dictionary Φ = φ₀ ⊗ φ₁ ⊗ …, n × L. A single factor is an explicit matrix. */
export interface DeviceBase {
  readonly rows: number;
  readonly cols: number;
}

/** A set S of atoms. Its size may be known to the device alone. */
export interface DeviceSet {
  /** The largest size it can have: m. */
  readonly capacity: number;
}

/** Signals to cut windows from. */
export interface DeviceSignals {
  readonly count: number;
}

/** The step of `moveAtoms`: γ, η = scalars[eta], and the gradient. */
export interface MomentumStep {
  readonly gamma: number;
  readonly scalars: DeviceMatrix;
  readonly eta: number;
  readonly grad: DeviceMatrix;
}

/** Atoms first, first + 1, … first + count − 1. */
export interface AtomRange {
  readonly first: number;
  readonly count: number;
}

/** Columns of a matrix from `first` on, every `step`-th (1 by default). */
export interface ColumnRange {
  readonly first: number;
  readonly step?: number | undefined;
}

/** Which columns of A belong to the examples of `ompNear`, and among how many atoms each example chooses. */
export interface NearAtoms extends ColumnRange {
  readonly choices: number;
}

/** The entries of sparse columns by rows, without zeros: those of row j from starts[j] to starts[j + 1], by ascending columns. */
export interface SparseRows {
  /** The number of columns, N. */
  readonly cols: number;
  /** One more than there are rows. */
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** The sizes of a learning problem, in the letters of the contract. */
export interface ProblemSizes {
  readonly n: number;
  readonly L: number;
  readonly m: number;
  readonly p: number;
  readonly N: number;
}

/** The handle as the class that these kernels made it of. */
export function ownHandle<T extends object>(
  kernels: string,
  handle: object,
  type: new (...args: never[]) => T,
): T {
  if (handle instanceof type) return handle;
  throw new TypeError(`${kernels} kernels: ${handle?.constructor?.name} belongs to other kernels`);
}
