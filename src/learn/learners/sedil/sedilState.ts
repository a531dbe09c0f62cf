/** What SeDiL carries from one turn to the next, and how it is saved and restored. */

import { DenseMatrix } from "../../../core/matrix.js";
import { baseCols, baseRows } from "../../../dictionaries/base.js";
import { Matrix64 } from "../../../linalg/matrix64.js";
import { heldPart, readPart, type SavedState, type StatePart } from "../../checkpoints/checkpointParts.js";
import type { LearnerSetting } from "../learner.js";
import type { SedilPoint } from "./sedilCost.js";

/** SeDiL's state between two turns. */
export interface SedilState {
  point: SedilPoint;
  cost: number;
  /** ΦX − Y. */
  R: DenseMatrix;
  /** The gradient and the direction of the last turn. */
  gradient: SedilPoint;
  direction: SedilPoint;
  /** The last step. */
  step: number;
}

/** The state between two turns, as named arrays. */
export function sedilParts({ point, cost, R, gradient, direction, step }: SedilState): StatePart[] {
  const places = { point, gradient, direction };
  return [
    ...Object.entries(places).flatMap(([name, { factors, X }]) => [
      ...factors.map(({ data }, axis) => heldPart(`${name}.factor${axis}`, data)),
      heldPart(`${name}.X`, X.data),
    ]),
    heldPart("R", R.data),
    heldPart("cost", Float64Array.of(cost, step)),
  ];
}

export async function savedSedil(
  saved: SavedState,
  { options, examples }: LearnerSetting,
): Promise<SedilState> {
  const place = async (name: string): Promise<SedilPoint> => {
    const factors: Matrix64[] = [];
    for (const [axis, { rows, cols }] of options.base.factors.entries())
      factors.push(
        new Matrix64(rows, cols, await readPart(saved, `${name}.factor${axis}`, "f64", rows * cols)),
      );
    return { factors, X: await savedMatrix(saved, `${name}.X`, baseCols(options.base), examples) };
  };
  const [cost, step] = await readPart(saved, "cost", "f64", 2);
  return {
    point: await place("point"),
    gradient: await place("gradient"),
    direction: await place("direction"),
    R: await savedMatrix(saved, "R", baseRows(options.base), examples),
    cost: cost,
    step: step,
  };
}

async function savedMatrix(
  saved: SavedState,
  name: string,
  rows: number,
  cols: number,
): Promise<DenseMatrix> {
  return new DenseMatrix(rows, cols, await readPart(saved, name, "f32", rows * cols));
}
