/** Names and sizes that the page and the worker share. */

import type { LearnerName } from "trainlets";
import type { BorderTreatment } from "trainlets/parts";

// Borders.
export const borderTreatments = [
  "periodic",
  "symmetric",
  "zero",
  "cropped",
] as const satisfies readonly BorderTreatment[];
export const signalNames = ["smooth", "jump", "ramp", "row"] as const;
export type SignalName = (typeof signalNames)[number];
/** Samples of the signal, of a border, and of an extension that are shown on each side. */
export const samples = 64;
export const borderSamples = 8;
export const shownBeyond = 24;

// Separable and usual atoms.
/** Pixels along a side: of the patches of figure 3; of the patch that crops, and of what it is cropped from. */
export const figureSize = 8;
export const patchSize = 32;
export const wholeSize = 64;
/** Scales that can be chosen: the coarser ones cover everything. */
export const coarsest = 5;

// Double sparsity.
export const smallBase = "cropped:db2";
export const smallShape = [8, 8] as const;

// The race.
/** Learners that can start from the base. */
export const racers = [
  "osdl",
  "sparse-odl",
  "sparse-ksvd",
  "odl",
  "niht",
] as const satisfies readonly LearnerName[];
export type Racer = (typeof racers)[number];
