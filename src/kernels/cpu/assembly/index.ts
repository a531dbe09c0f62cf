/**
 * The CPU kernels: every function takes a range of items, its thread's scratch
 * memory and the address of its arguments, and writes outputs that belong to its
 * items alone. Which thread runs which items never changes a bit of the result.
 */

export { exchangeAtoms } from "./exchange";
export {
  addMoments,
  addOuter,
  blockResidual,
  combine,
  correlate,
  descendBlock,
  refitCodes,
  refitDirection,
} from "./explicit";
export { atomScales, gramColumns } from "./gram";
export { blockEnergies, coherence, columnEnergies } from "./measures";
export { movedEnergies } from "./moved";
export { batchOmp } from "./omp";
export { addWindows, extract } from "./patches";
export { project, reconstruct } from "./project";
export { transform } from "./transform";
export { gradient, momentum, moveAtoms } from "./update";
