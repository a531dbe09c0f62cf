/** Dictionaries of one's own: a matrix of atoms, from numpy or Matlab say, as a model. */

import { npyArray, requireArguments, text } from "../core/arguments/argumentTypes.js";
import { InputError } from "../core/errors.js";
import { DenseMatrix } from "../core/matrix.js";
import { formatShape, requireShape, type Shape, sizeOf } from "../core/shape.js";
import { type NpyArray, toFloat32 } from "../data/formats/npy.js";
import { Model } from "./model.js";

/**
 * The model of an array of atoms.
 *
 * Two axes are a matrix n × m with one atom per column; `shape` is the shape of an atom, by default a square
 * where n is one, and a 1-D signal of n samples elsewhere. With more axes the first counts atoms and
 * the others are their shape.
 */
export function modelFromArray(array: NpyArray, name: string, shape?: Shape): Model {
  requireArguments("modelFromArray", { array: [array, npyArray], name: [name, text] });
  if (shape !== undefined) requireShape("modelFromArray", "shape", shape);
  const axes = array.shape.length;
  if (axes < 2) {
    throw new InputError(
      `${name}: a dictionary must be a matrix with one atom per column, or an array whose first axis counts atoms, got shape (${array.shape.join(", ")})`,
    );
  }
  const values = toFloat32(array, name);
  const [first, second] = array.shape;
  const atomShape = shape ?? (axes === 2 ? guessShape(first) : array.shape.slice(1));
  const rows = axes === 2 ? first : sizeOf(array.shape.slice(1));
  const cols = axes === 2 ? second : first;
  if (sizeOf(atomShape) !== rows) {
    throw new InputError(
      `${name}: atoms of ${formatShape(atomShape)} must have ${sizeOf(atomShape)} samples, got ${rows}`,
    );
  }
  const D =
    axes === 2
      ? DenseMatrix.build(rows, cols, (i, j) => values[i * cols + j])
      : new DenseMatrix(rows, cols, values);
  try {
    return Model.from(D, atomShape);
  } catch (error) {
    throw error instanceof InputError ? error.by(name) : error;
  }
}

/** A square where there is one. */
function guessShape(samples: number): Shape {
  const side = Math.round(Math.sqrt(samples));
  return side * side === samples && side > 1 ? [side, side] : [samples];
}
