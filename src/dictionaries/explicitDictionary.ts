/**
 * An explicit dictionary D where the kernels compute: any n × m matrix with unit
 * columns, and its Gram matrix. What ODL, K-SVD and PCA learn.
 *
 * Shapes   D n×m   G m×m
 * Cost     G is one dense product, n·m²/2, at each `refresh`: these learners change
 *          all atoms at a time.
 */

import { InputError } from "../core/errors.js";
import type { DenseMatrix } from "../core/matrix.js";
import { type Shape, sizeOf } from "../core/shape.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../kernels/contract.js";
import { Matrix64 } from "../linalg/matrix64.js";
import type { BaseDictionary } from "./base.js";
import type { Dictionary } from "./dictionary.js";

export class ExplicitDictionary implements Dictionary {
  readonly shape: Shape;
  readonly rows: number;
  readonly cols: number;
  /** D: unit atoms, or zero ones. */
  readonly atoms: DeviceMatrix;
  readonly gram: DeviceMatrix;
  readonly #kernels: Kernels;

  private constructor(shape: Shape, atoms: number, kernels: Kernels) {
    this.shape = shape;
    this.rows = sizeOf(shape);
    this.cols = atoms;
    this.atoms = kernels.matrix(this.rows, atoms);
    this.gram = kernels.matrix(atoms, atoms);
    this.#kernels = kernels;
  }

  /** The columns of D have unit norm, or are zero. */
  static async create(shape: Shape, D: DenseMatrix, kernels: Kernels): Promise<ExplicitDictionary> {
    if (D.rows !== sizeOf(shape)) {
      throw new InputError(
        `ExplicitDictionary: atoms must have ${sizeOf(shape)} samples, as the signals have, got ${D.rows}`,
      );
    }
    const dictionary = new ExplicitDictionary(shape, D.cols, kernels);
    await kernels.writeMatrix(dictionary.atoms, D);
    await dictionary.refresh();
    return dictionary;
  }

  /** Bring the Gram matrix up to date after atoms changed. */
  async refresh(): Promise<void> {
    await this.#kernels.correlate(this.atoms, this.atoms, this.gram);
  }

  async project(Y: DeviceMatrix, P: DeviceMatrix): Promise<void> {
    await this.#kernels.correlate(this.atoms, Y, P);
  }

  /** The atoms are unit atoms. */
  async fromUnitAtoms(): Promise<void> {}

  async residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix): Promise<void> {
    await this.#kernels.remainder(this.atoms, X, Y, R);
  }

  free(): void {
    this.#kernels.free(this.atoms, this.gram);
  }
}

/** An explicit dictionary as a base of its own: Φ = D, so that what is made of Φ and A takes it with A = I. */
export function explicitBase(shape: Shape, D: DenseMatrix): BaseDictionary {
  let factors: readonly Matrix64[] | undefined;
  return {
    name: "explicit",
    shape,
    get factors() {
      factors ??= [new Matrix64(D.rows, D.cols, Float64Array.from(D.data))]; // made when somebody asks
      return factors;
    },
  };
}

/** Columns scaled to unit norm in place; zero ones stay. */
export function unitColumns(D: DenseMatrix): DenseMatrix {
  for (let j = 0; j < D.cols; j++) {
    const column = D.column(j);
    const energy = column.reduce((sum, value) => sum + value * value, 0);
    if (energy > 0) for (let r = 0; r < column.length; r++) column[r] /= Math.sqrt(energy);
  }
  return D;
}
