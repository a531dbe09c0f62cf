/**
 * What has changed in the program since a stored result was measured, or is said otherwise today, where a reader of the result should know. A note
 * belongs to the run of one commit: when the run is made again, a test asks for the note to be removed.
 */

import { universalBatches } from "../../src/experiments/fig09-to-11-universal/settings.js";

export interface SinceRun {
  /** The file in bench/results. */
  readonly file: string;
  /** The commit that the file was measured at. */
  readonly commit: string;
  /** Sentences; the first follows "Since this run,", unless the note corrects something. */
  readonly note: string;
  /** The departure of the run that the note stands for: it says more than was measured. */
  readonly insteadOf?: string;
}

const betterOdl =
  "ODL has become better: what a replaced atom had explained is no longer left to the other atoms ([decision 25](decisions/0025-sparse-odl.md)).";

/** As the page says it. */
export function sinceRunText({ note, insteadOf }: SinceRun): string {
  return insteadOf ? note : `Since this run, ${note}`;
}

const otherFaces = "The faces are other sets than the paper's where none of those is given.";
const ownFaceSettings = "The atoms per code in training, 82, and the mini-batches of 128 are ours.";

export const sinceRuns: readonly SinceRun[] = [
  {
    file: "universal32.json",
    commit: "928fa31f71",
    note: `${betterOdl} With a million examples its test error fell from 10.348 (decision 25) to 10.258; that of OSDL is 9.832 ([learners-h200.json](../bench/results/learners-h200.json)).`,
  },
  {
    file: "universal32.json",
    commit: "928fa31f71",
    note: `The mini-batches are ours: the paper does not state them. ${universalBatches} When both had 4,096, OSDL was 2.12 times as fast as ODL. The measurements are in [decision 36](decisions/0036-universal-dictionaries.md).`,
    insteadOf:
      "The mini-batches are ours: the paper does not state them. On a GPU those of OSDL are larger than those of ODL, which suits each of them.",
  },
  { file: "universal64.json", commit: "51851c034f", note: betterOdl },
  {
    file: "fig6.json",
    commit: "1ed39e9587",
    note: "The comparison depends on the units of the data, which the paper does not state: here grey levels from 0 to 255. The atoms of OSDL are taken as they are, and grow while it learns; those of NIHT have unit norm. No atoms are replaced, k = 7, one epoch. The paper says none of this.",
    insteadOf:
      "The paper does not state the units of its data, on which the comparison depends: here grey levels from 0 to 255.",
  },
  {
    file: "fig7.json",
    commit: "4dcc266178",
    note: "The pictures are ten of the 21 photos of the NL-Bayes paper; whether they are the paper's ten is not known. Dictionaries from other pictures are learned from five of them, in two epochs, and are not adapted to the picture that is denoised.",
    insteadOf: "The pictures are other ones than the paper's ten where those are not given.",
  },
  {
    file: "fig8-lfw-crop64.json",
    commit: "6acf925d0a",
    note: `The faces are 11,000 of the over 13,000 of cropped LFW. ${ownFaceSettings}`,
    insteadOf: otherFaces,
  },
  {
    file: "fig8-utkface-aligned64.json",
    commit: "6acf925d0a",
    note: `The faces are 10,000 of UTKFace, not those of the paper. ${ownFaceSettings}`,
    insteadOf: otherFaces,
  },
  {
    file: "remarks.json",
    commit: "5a11b8058d",
    note: "the two wavelet transforms take turns when they are timed; until then the cascade was timed first. On patches of 32×32 it is faster either way.",
  },
  {
    file: "complexity.json",
    commit: "1ed39e9587",
    note: "The paper only counts operations, and OMP by Cholesky factors; here OMP is Batch-OMP with a stored Gram matrix. k is 26 at all sizes of patches, and most sizes are too small to fill the GPU, so that the slopes are far below those predicted: the run shows that the time grows no faster than the formula, not that it grows like it.",
    insteadOf:
      "The paper counts operations and measures nothing here. It counts OMP by Cholesky factors; this is Batch-OMP with a stored Gram matrix.",
  },
];
