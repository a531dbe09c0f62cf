/** The learners there are, by name. */

import { ksvd } from "./ksvd.js";
import type { LearnerKind } from "./learner.js";
import { niht } from "./niht.js";
import { nihtBatch } from "./nihtBatch.js";
import { odl } from "./odl.js";
import { osdl } from "./osdl.js";
import { pca } from "./pca.js";
import { sedil } from "./sedil.js";
import { sparseKsvd } from "./sparseKsvd.js";

const table = {
  osdl,
  niht,
  "niht-batch": nihtBatch,
  "sparse-ksvd": sparseKsvd,
  odl,
  ksvd,
  pca,
  sedil,
} as const satisfies Record<string, LearnerKind>;

export type LearnerName = keyof typeof table;
export const learnerNames = Object.keys(table) as LearnerName[];
export const learners: Readonly<Record<LearnerName, LearnerKind>> = table;
