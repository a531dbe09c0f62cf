import { learnerCase } from "./learner.case.js";

learnerCase("sparse-odl", { sparseFactor: true, recovers: 0.8, planted: { epochs: 20 } });
