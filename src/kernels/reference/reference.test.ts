import { conformance } from "../conformance/conformance.case.js";
import { createReferenceKernels } from "./index.js";

conformance("reference", async () => createReferenceKernels(), { draws: 60 });
