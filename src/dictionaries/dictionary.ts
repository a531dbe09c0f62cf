/**
 * What a pursuit needs of a dictionary, whatever it is made of: D = ΦA
 * (sparseDictionary.ts) or an explicit matrix (explicitDictionary.ts).
 */

import type { DenseMatrix, SparseColumns } from "../core/matrix.js";
import type { Shape } from "../core/shape.js";
import type { DeviceMatrix, DeviceSparse } from "../kernels/contract.js";
import type { BaseDictionary } from "./base.js";

/** A dictionary where the kernels compute. */
export interface Dictionary {
  /** The shape of the signals. */
  readonly shape: Shape;
  /** n: samples of a signal. */
  readonly rows: number;
  /** m: atoms. */
  readonly cols: number;
  /** G = D̂ᵀD̂ of the unit atoms. */
  readonly gram: DeviceMatrix;
  /** P ← D̂ᵀY: the correlations with unit atoms. */
  project(Y: DeviceMatrix, P: DeviceMatrix): Promise<void>;
  /** Codes over the unit atoms become codes over D, in place. */
  fromUnitAtoms(X: DeviceSparse): Promise<void>;
  /** R ← Y − DX. R may be Y. */
  residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix): Promise<void>;
  free(): void;
}

/** A dictionary on the host: a base alone, D = ΦA, or an explicit matrix. */
export interface DictionaryParts {
  readonly base: BaseDictionary;
  readonly A?: SparseColumns | undefined;
  /** D itself; where there is one, it counts alone. */
  readonly dictionary?: DenseMatrix | undefined;
}
