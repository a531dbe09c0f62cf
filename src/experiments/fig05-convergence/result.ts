/** What the experiment finds, before it is drawn. */

import { formatShape } from "../../core/shape.js";
import type { ConvergenceConfig, Method, SizeConfig } from "./config.js";

/** The test error after so many epochs, and the seconds of learning behind it. */
export interface CurvePoint {
  readonly epoch: number;
  readonly seconds: number;
  readonly testRmse: number;
}

export interface Curve {
  readonly method: Method;
  /** Before learning first, then one an epoch. */
  readonly points: readonly CurvePoint[];
  /** The patches behind each point, which were not learned from. */
  readonly tested: number;
}

/** One size of patches with one share of non-zeros. */
export interface Panel {
  readonly size: SizeConfig;
  /** k. */
  readonly atomSparsity: number;
  readonly curves: readonly Curve[];
}

export interface ConvergenceResult {
  readonly config: ConvergenceConfig;
  readonly panels: readonly Panel[];
  readonly sources: string;
  readonly device: string;
  readonly seconds: number;
}

/** k of a share of the samples of a patch: 5 % of 12×12 are 7. */
export function atomSparsityOf({ patch }: SizeConfig, share: number): number {
  return Math.max(1, Math.round(share * patch.reduce((product, size) => product * size, 1)));
}

/** `12x12, k = 7`. */
export function panelName({ size, atomSparsity }: Panel): string {
  return `${formatShape(size.patch)}, k = ${atomSparsity}`;
}

/** The curve of a learner. */
export function curveOf({ curves }: Panel, learner: string): Curve | undefined {
  return curves.find(({ method }) => method.learner === learner);
}
