import { conformance } from "../conformance/conformance.case.js";
import { createCpuKernels } from "./index.js";

for (const threads of [1, 2, 4]) {
  conformance(`cpu, ${threads} ${threads === 1 ? "thread" : "threads"},`, () =>
    createCpuKernels({ threads }),
  );
}
