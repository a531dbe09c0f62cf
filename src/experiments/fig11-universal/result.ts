/** What the experiment finds, before it is drawn. */

import type { DenseMatrix } from "../../core/matrix.js";
import type { AtomFamily } from "../../figures/atoms/atomFamilies.js";
import type { Model } from "../../model/model.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import type { UniversalConfig } from "./config.js";

/** A test error while learning. */
export interface LearningPoint {
  readonly examples: number;
  readonly testRmse: number;
}

/** A dictionary, and how it was learned. */
export interface Learned {
  /** How it is called in tables and figures. */
  readonly label: string;
  readonly model: Model;
  readonly learning: readonly LearningPoint[];
  /** What learning took, measurements of the test error included. */
  readonly seconds: number;
}

/** All that was found. */
export interface UniversalResult {
  readonly config: UniversalConfig;
  readonly model: Model;
  readonly atoms: DenseMatrix;
  /** The rivals, and the dictionary as the last. */
  readonly learned: readonly Learned[];
  /** Patches that were approximated. */
  readonly tested: number;
  /** In the order of the config's comparisons and rivals; the dictionary is the last. */
  readonly curves: readonly MTermCurve[];
  readonly families: readonly AtomFamily[];
  readonly sources: string;
  /** What it was computed on. */
  readonly device: string;
  readonly seconds: number;
}

/** How the learned dictionary is called in tables and figures. */
export const learned = "trainlets (OSDL)";
