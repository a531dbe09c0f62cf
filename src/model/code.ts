/**
 * Sparse codes of given vectors over a given matrix, in one call:
 *
 *     min ‖y − Dx‖²   s.t.   ‖x‖₀ ≤ p,   or   min ‖x‖₀   s.t.   ‖y − Dx‖ ≤ ε√n
 *
 * by OMP or OLS. No means are removed, and the columns of D may have any norm: they are scaled to unit norm for the
 * pursuit, and the codes are those of D as it was given.
 *
 * Shapes   D n×m   Y n×N   X m×N
 */

import {
  either,
  kernels as kernelsType,
  listOf,
  matrix,
  numberList,
  type OptionTypes,
  requireArguments,
  requireOptions,
} from "../core/arguments/argumentTypes.js";
import { InputError, inputError, onBehalfOf } from "../core/errors.js";
import { DenseMatrix, type SparseColumns } from "../core/matrix.js";
import { requireFinite } from "../core/require.js";
import type { Kernels } from "../kernels/contract.js";
import { type CodingRule, codingTypes, resolveLimits } from "../pursuit/encoder.js";
import { Model } from "./model.js";

/** A matrix by columns, or a list of its columns. */
export type Columns = DenseMatrix | readonly ArrayLike<number>[];

export interface CodeOptions extends CodingRule {
  /** Where to compute; by default the best device available. */
  readonly kernels?: Kernels | undefined;
}

const codeTypes: OptionTypes<CodeOptions> = { ...codingTypes, kernels: kernelsType };
const columnsType = either("a DenseMatrix, or a list of columns", matrix, listOf(numberList, ""));

/**
 * Codes of the columns of Y over the columns of D: at most `sparsity` of them for each, or down to an `error`.
 *
 * @example
 * const X = await code([[1, 0, 0], [0, 3, 0]], [[2, 6, 0]], { sparsity: 2 });
 * X.toDense().column(0); // 2, 2: y = 2 d₀ + 2 d₁
 */
export async function code(D: Columns, Y: Columns, options: CodeOptions): Promise<SparseColumns> {
  requireArguments("code", { D: [D, columnsType], Y: [Y, columnsType] });
  requireOptions("code", options, codeTypes);
  const { kernels, ...coding } = options;
  const atoms = toMatrix("D", D);
  const signals = toMatrix("Y", Y, atoms.rows);
  resolveLimits("code", coding, atoms.rows, atoms.cols);
  requireFinite("code", "Y", signals.data);
  const norms = columnNorms(atoms);
  const model = onBehalfOf("code", () => Model.from(atoms, [atoms.rows], { coding, removeMean: false }));
  const { X } = await model.encode(signals, coding, kernels);
  for (let s = 0; s < X.values.length; s++) if (X.values[s] !== 0) X.values[s] /= norms[X.indices[s]];
  return X;
}

function toMatrix(name: string, columns: Columns, rows?: number): DenseMatrix {
  const found = matrix.accepts(columns) ? (columns as DenseMatrix) : fromColumns(name, columns as never);
  if (found.rows === 0 || (name === "D" && found.cols === 0))
    throw new InputError(`${name} must not be empty`, { where: "code", argument: name });
  if (rows !== undefined && found.cols > 0 && found.rows !== rows)
    throw inputError("code", name, `must have ${rows} rows, as D has`, found.rows);
  return found;
}

function fromColumns(name: string, columns: readonly ArrayLike<number>[]): DenseMatrix {
  const rows = columns[0]?.length ?? 0;
  const odd = columns.findIndex(({ length }) => length !== rows);
  if (odd >= 0)
    throw inputError("code", `column ${odd} of ${name}`, `must have ${rows} samples`, columns[odd].length);
  return DenseMatrix.build(rows, columns.length, (i, j) => columns[j][i]);
}

function columnNorms(D: DenseMatrix): Float64Array {
  return Float64Array.from({ length: D.cols }, (_, j) =>
    Math.sqrt(D.column(j).reduce((sum, value) => sum + value * value, 0)),
  );
}
