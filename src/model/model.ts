/**
 * A dictionary to keep and use: D = ΦA, or an explicit D, with its history, free
 * of any device. An explicit dictionary is a base of its own, Φ = D, with A = I.
 *
 * The atoms of a model have unit norm. `encode` and `decode` work on signals of
 * the model's patch shape, one per column; by default each has its mean removed
 * before coding and gets it back after.
 */

import {
  base as baseType,
  dictionary as dictionaryType,
  flag,
  kernels as kernelsType,
  matrix,
  numberWith,
  optional,
  record,
  requireArgument,
  requireArguments,
  requireOptions,
  sparseColumns,
  text,
} from "../core/arguments/argumentTypes.js";
import { InputError, inputError } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { requireFinite } from "../core/require.js";
import { requireShape, type Shape, sizeOf } from "../core/shape.js";
import { maxFloat32, toOwnUnits } from "../core/units.js";
import { type BaseDictionary, baseCols } from "../dictionaries/base.js";
import { explicitBase, type SparseDictionary, unitColumns } from "../dictionaries/dictionary.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../kernels/contract.js";
import { withKernels } from "../kernels/handleScope.js";
import { type CodingRule, codingTypes, defaultSparsity } from "../pursuit/encoder.js";
import { Coder, type Codes, panel, panels, requireCodes } from "./coder.js";

/** How a model came to be: written to its file as JSON. */
export interface ModelMeta {
  readonly learner: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** Examples that the model has seen in training, all epochs together. */
  readonly examplesSeen: number;
  /** Whether each example has its mean removed before coding. */
  readonly removeMean: boolean;
  /** How signals were coded in training: the default of `encode`. */
  readonly coding: CodingRule;
  /** The update that the model is from, and those of its run, where the run kept one that tested better than its last. */
  readonly kept?: { readonly step: number; readonly of: number };
  /** How far training had come, if it was interrupted; finished models do not have it. */
  readonly partial?: { readonly examples: number; readonly of: number };
}

/** What training knows of each atom. */
export interface AtomHistory {
  /** How many of the last training examples used it. */
  readonly uses?: Uint32Array | undefined;
  /** ‖Φaⱼ‖, before atoms were scaled to unit norm. */
  readonly norms?: Float32Array | undefined;
}

export class Model {
  readonly base: BaseDictionary;
  /** A, scaled so that the columns of ΦA have unit norm. */
  readonly A: SparseColumns;
  /** D itself, n × m with unit columns, where the model has no base: then Φ is D, and A the identity. */
  readonly dictionary: DenseMatrix | undefined;
  readonly meta: ModelMeta;
  readonly uses: Uint32Array | undefined;
  /** They adapt the steps of OSDL, so a resumed run needs them. */
  readonly norms: Float32Array | undefined;

  /** D = ΦA; for an explicit dictionary see `Model.explicit`. */
  constructor(
    base: BaseDictionary,
    A: SparseColumns,
    meta: ModelMeta,
    { uses, norms }: AtomHistory = {},
    dictionary?: DenseMatrix,
  ) {
    requireArguments("Model", {
      base: [base, baseType],
      A: [A, sparseColumns],
      dictionary: [dictionary, optional(matrix)],
    });
    requireMeta(meta);
    if (A.rows !== (dictionary?.cols ?? baseCols(base))) {
      throw new InputError(
        `Model: A must have a row for each of the ${baseCols(base)} base atoms, got ${A.rows}`,
      );
    }
    this.base = base;
    this.A = A;
    this.meta = meta;
    this.uses = uses;
    this.norms = norms;
    this.dictionary = dictionary;
  }

  /** An explicit dictionary: D (n × m), its columns of unit norm. */
  static explicit(shape: Shape, D: DenseMatrix, meta: ModelMeta, history: AtomHistory = {}): Model {
    requireArgument("Model", "D", D, matrix);
    requireShape("Model", "shape", shape);
    if (D.rows !== sizeOf(shape)) {
      throw new InputError(`Model: atoms must have ${sizeOf(shape)} samples, got ${D.rows}`);
    }
    requireFinite("Model", "atoms", D.data);
    return new Model(explicitBase(shape, D), SparseColumns.identity(D.cols, 1), meta, history, D);
  }

  /**
   * A dictionary of your own: a matrix n × m with one atom per column, or a list of atoms. `shape` is the shape of an
   * atom. Atoms are scaled to unit norm.
   *
   * @example
   * const model = Model.from([[1, 1, 1, 1], [1, -1, 1, -1]], [2, 2]);
   */
  static from(
    atoms: DenseMatrix | readonly ArrayLike<number>[],
    shape: Shape,
    options: Partial<Pick<ModelMeta, "coding" | "removeMean">> = {},
  ): Model {
    requireOptions("Model.from", options, { coding: record, removeMean: flag });
    const { coding, removeMean = true } = options;
    if (coding) requireOptions("Model.from: coding", coding, codingTypes);
    const n = sizeOf(requireShape("Model.from", "shape", shape));
    const D = atoms instanceof DenseMatrix ? atoms.copy() : matrixOf(atoms, n);
    if (D.rows !== n) throw inputError("Model.from", "atoms", `must have ${n} samples each`, D.rows);
    if (D.cols === 0) throw inputError("Model.from", "atoms", "must be at least one", D.cols);
    requireFinite("Model.from", "atoms", D.data);
    for (let j = 0; j < D.cols; j++) {
      if (D.column(j).every((value) => value === 0))
        throw new InputError(`atom ${j} must not be zero`, { where: "Model.from", argument: "atoms" });
    }
    const meta = { learner: "none", options: {}, seed: 0, examplesSeen: 0, removeMean };
    const usual = { sparsity: Math.min(D.cols, defaultSparsity(n)) };
    return Model.explicit(shape, unitColumns(D), { ...meta, coding: coding ?? usual });
  }

  /** The model of a dictionary in training: its A scaled to unit atoms. */
  static async of(
    dictionary: SparseDictionary,
    meta: ModelMeta,
    kernels: Kernels,
    uses?: Uint32Array,
  ): Promise<Model> {
    requireArguments("Model.of", {
      dictionary: [dictionary, dictionaryType],
      kernels: [kernels, kernelsType],
    });
    const A = await kernels.readSparse(dictionary.A);
    const scale = (await kernels.readMatrix(dictionary.scale)).data;
    for (let s = 0; s < A.values.length; s++) A.values[s] *= scale[Math.floor(s / A.width)];
    const norms = scale.map((s) => (s > 0 ? 1 / s : 0));
    return new Model(dictionary.base, A, meta, { uses, norms });
  }

  /** The shape of its signals and atoms. */
  get shape(): Shape {
    return this.base.shape;
  }

  /** D, n × m: one column per atom, of unit norm. */
  async atoms(kernels?: Kernels): Promise<DenseMatrix> {
    requireArgument("Model.atoms", "kernels", kernels, optional(kernelsType));
    if (this.dictionary) return this.dictionary.copy();
    return withKernels(kernels, async (on) => {
      const phi = on.base(this.base.factors);
      const [C, Y] = [on.matrix(phi.cols, panel), on.matrix(phi.rows, panel)];
      const D = new DenseMatrix(phi.rows, this.A.cols);
      for (const [from, to] of panels(this.A.cols)) {
        const [c, y] = [on.head(C, to - from), on.head(Y, to - from)];
        await on.writeMatrix(c, this.A.slice(from, to).toDense());
        await on.synthesize(phi, c, y);
        D.slice(from, to).data.set((await on.readMatrix(y)).data);
      }
      on.free(phi, C, Y);
      return D;
    });
  }

  /**
   * Codes of the columns of Y: at most `sparsity` atoms each, or down to an `error`. Every call prepares the dictionary
   * anew; to code again and again, `open` it.
   */
  async encode(Y: DenseMatrix, coding: CodingRule = this.meta.coding, kernels?: Kernels): Promise<Codes> {
    return Coder.encodeOnce(this, Y, coding, kernels);
  }

  /** The model ready to code, again and again, on the caller's kernels or on the best there are; to be closed after. */
  open(kernels?: Kernels): Promise<Coder> {
    return Coder.open(this, kernels);
  }

  /** The signals of codes: DX plus the means, within the range of f32. */
  async decode(codes: Codes, kernels?: Kernels): Promise<DenseMatrix> {
    requireCodes("Model.decode", codes);
    requireArgument("Model.decode", "kernels", kernels, optional(kernelsType));
    const { X, means } = codes;
    if (X.rows !== this.A.cols) {
      throw new InputError(
        `Model.decode: codes must have a row for each of the ${this.A.cols} atoms, got ${X.rows}`,
      );
    }
    if (means.length !== X.cols) {
      throw new InputError(
        `Model.decode: there must be a mean for each of the ${X.cols} codes, got ${means.length}`,
      );
    }
    return withKernels(kernels, async (on) => {
      const synthesis = await openSynthesis(this, on);
      const n = sizeOf(this.shape);
      const [Y, room] = [on.matrix(n, panel), on.sparse(X.rows, panel, X.width)];
      const signals = new DenseMatrix(n, X.cols);
      for (const [from, to] of panels(X.cols)) {
        const [y, x] = [on.head(Y, to - from), on.headSparse(room, to - from)];
        const scaled = X.slice(from, to).copy();
        const units = toOwnUnits(scaled.values, scaled.cols); // sums then stay in the range of f32
        await on.writeSparse(x, scaled);
        await synthesis.run(x, y);
        const part = signals.slice(from, to);
        part.data.set((await on.readMatrix(y)).data);
        addMeans(part, units, means.subarray(from, to));
      }
      synthesis.free();
      on.free(Y, room);
      return signals;
    });
  }
}

/** What a file records of a model must be what it says. */
function requireMeta(meta: ModelMeta): void {
  requireArgument("Model", "meta", meta, record);
  requireArguments("Model", {
    "meta.learner": [meta.learner, text],
    "meta.options": [meta.options, record],
    "meta.seed": [meta.seed, numberWith("a number")],
    "meta.examplesSeen": [meta.examplesSeen, numberWith("a number")],
    "meta.removeMean": [meta.removeMean, flag],
    "meta.coding": [meta.coding, record],
  });
}

/** Atoms as columns. */
function matrixOf(atoms: readonly ArrayLike<number>[], n: number): DenseMatrix {
  if (!Array.isArray(atoms))
    throw inputError("Model.from", "atoms", "must be a matrix or a list of atoms", atoms);
  const D = new DenseMatrix(n, atoms.length);
  atoms.forEach((atom, j) => {
    if (atom.length !== n) throw inputError("Model.from", `atom ${j}`, `must have ${n} samples`, atom.length);
    D.column(j).set(atom);
  });
  return D;
}

/** What makes Y = DX, without the Gram matrix that coding needs. */
async function openSynthesis({ base, A, dictionary }: Model, kernels: Kernels) {
  if (dictionary) {
    const D = kernels.matrix(dictionary.rows, dictionary.cols);
    await kernels.writeMatrix(D, dictionary);
    return {
      run: (X: DeviceSparse, Y: DeviceMatrix) => kernels.combine(D, X, Y),
      free: () => kernels.free(D),
    };
  }
  const [phi, factor] = [kernels.base(base.factors), kernels.sparse(A.rows, A.cols, A.width)];
  await kernels.writeSparse(factor, A);
  return {
    run: (X: DeviceSparse, Y: DeviceMatrix) => kernels.reconstruct(phi, factor, X, Y),
    free: () => kernels.free(phi, factor),
  };
}

/** Y ← Y in units of one plus the means; an approximation beyond the largest number of f32 is that number. */
function addMeans(Y: DenseMatrix, units: Float64Array, means: Float32Array): void {
  for (let i = 0; i < Y.cols; i++) {
    const column = Y.column(i);
    for (let r = 0; r < column.length; r++) {
      const value = column[r] * units[i] + means[i];
      column[r] = Math.max(-maxFloat32, Math.min(maxFloat32, value));
    }
  }
}
