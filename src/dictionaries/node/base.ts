/** Bases by name, or as an explicit matrix in a `.npy` file. */

import { basename } from "node:path";
import { InputError } from "../../core/errors.js";
import { requireFinite } from "../../core/require.js";
import type { Shape } from "../../core/shape.js";
import { readNpy, toFloat64 } from "../../data/formats/npy.js";
import { readFileBytes } from "../../data/node/files.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { type BaseDictionary, createBase, matrixBase } from "../base.js";

/** A base for signals of a shape: by name as in `createBase`, or an n × L matrix by a path that ends in `.npy`. */
export async function loadBase(name: string, shape: Shape): Promise<BaseDictionary> {
  if (!name.toLowerCase().endsWith(".npy")) return createBase(name, shape);
  const array = readNpy(await readFileBytes(name), name);
  const [rows, cols] = array.shape;
  if (array.shape.length !== 2) {
    throw new InputError(`base ${name} must be a matrix of 2 axes, got shape (${array.shape.join(", ")})`, {
      where: "loadBase",
      argument: "base",
      value: name,
    });
  }
  const values = toFloat64(array, name); // row by row
  requireFinite("loadBase", `base ${name}`, values);
  const matrix = new Matrix64(cols, rows, values).transpose();
  return { ...matrixBase(name, shape, matrix), name: basename(name) };
}
