import { conformance } from "../conformance.case.js";
import { createGpuKernels, type GpuOptions } from "./index.js";

async function open(options: GpuOptions) {
  const kernels = await createGpuKernels({ software: true, ...options });
  if ("unavailable" in kernels) throw new Error(kernels.unavailable);
  return kernels;
}

conformance("gpu", () => open({ halves: false }), 3);
conformance("gpu, with half precision,", () => open({ halves: true }), 3);
conformance(
  "gpu, everything in panels and out of workgroup memory,",
  () => open({ panelBytes: 2 ** 21, workgroupBytes: 0 }),
  3,
);
