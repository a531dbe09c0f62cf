/** All learners, by name. */

import { niht } from "./atomwise/niht.js";
import { nihtBatch } from "./atomwise/nihtBatch.js";
import { sparseKsvd } from "./atomwise/sparseKsvd.js";
import { ksvd } from "./ksvd.js";
import type { LearnerKind } from "./learner.js";
import { odl } from "./odl.js";
import { osdl } from "./osdl.js";
import { pca } from "./pca.js";
import { sedil } from "./sedil/sedil.js";
import { sparseOdl } from "./sparseOdl/sparseOdl.js";

const table = {
  osdl,
  niht,
  "niht-batch": nihtBatch,
  "sparse-ksvd": sparseKsvd,
  "sparse-odl": sparseOdl,
  odl,
  ksvd,
  pca,
  sedil,
} as const satisfies Record<string, LearnerKind>;

export type LearnerName = keyof typeof table;
export const learnerNames = Object.keys(table) as LearnerName[];
export const learners: Readonly<Record<LearnerName, LearnerKind>> = table;
