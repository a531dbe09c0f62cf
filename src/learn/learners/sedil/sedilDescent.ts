/** What SeDiL carries from one iteration to the next, and how a checkpoint saves and restores it. */

import { DenseMatrix } from "../../../core/matrix.js";
import { baseCols, baseRows } from "../../../dictionaries/base.js";
import { Matrix64 } from "../../../linalg/matrix64.js";
import {
  type CheckpointPart,
  hostPart,
  readPart,
  type SavedParts,
  savedExamples,
} from "../../checkpoints/checkpointParts.js";
import type { LearnerSetting } from "../learner.js";
import type { SedilPoint } from "./sphereProduct.js";

/** A descent by conjugate gradients, between two iterations. */
export interface SedilDescent {
  point: SedilPoint;
  cost: number;
  /** ΦX − Y. */
  R: DenseMatrix;
  /** g and h. */
  gradient: SedilPoint;
  direction: SedilPoint;
  /** The last step length t. */
  step: number;
  /** Room for codes, from the point before. */
  room?: DenseMatrix | undefined;
}

export function descentParts({ point, cost, R, gradient, direction, step }: SedilDescent): CheckpointPart[] {
  return [
    ...Object.entries({ point, gradient, direction }).flatMap(([name, { factors, X }]) => [
      ...factors.map(({ data }, axis) => hostPart(`${name}.factor${axis}`, data)),
      hostPart(`${name}.X`, X.data),
    ]),
    hostPart("R", R.data),
    hostPart("cost", Float64Array.of(cost, step)),
  ];
}

/** A saved descent, on the examples that could be read then: `examples` of the setting, or fewer. */
export async function readDescent(
  saved: SavedParts,
  { options, examples: most }: LearnerSetting,
): Promise<SedilDescent> {
  const n = baseRows(options.base);
  const residuals = await readPart(saved, "R", "f32");
  const examples = savedExamples("R", residuals, n, most);
  const readCodes = async (name: string, rows: number) =>
    new DenseMatrix(rows, examples, await readPart(saved, name, "f32", rows * examples));
  const readPoint = async (name: string): Promise<SedilPoint> => {
    const factors: Matrix64[] = [];
    for (const [axis, { rows, cols }] of options.base.factors.entries()) {
      const data = await readPart(saved, `${name}.factor${axis}`, "f64", rows * cols);
      factors.push(new Matrix64(rows, cols, data));
    }
    return { factors, X: await readCodes(`${name}.X`, baseCols(options.base)) };
  };
  const [cost, step] = await readPart(saved, "cost", "f64", 2);
  return {
    point: await readPoint("point"),
    gradient: await readPoint("gradient"),
    direction: await readPoint("direction"),
    R: new DenseMatrix(n, examples, residuals),
    cost,
    step,
  };
}
