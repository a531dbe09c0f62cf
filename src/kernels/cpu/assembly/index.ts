/**
 * The CPU kernels: every function takes a range of items, its thread's scratch
 * memory and the address of its arguments, and writes outputs that belong to its
 * items alone. Which thread runs which items never changes a bit of the result.
 */

export { addOuter, correlate } from "./denseProducts";
export { exchangeAtoms } from "./exchangeAtoms";
export { addMoments, combine, countEntries, descend, refitCodes, refitDirection } from "./explicit";
export { atomScales, coherence, gramColumns, placeColumns } from "./gram";
export { batchOmp } from "./omp";
export { ompFromAtoms } from "./ompFromAtoms";
export { project, reconstruct, transform } from "./project";
export { blockEnergies, columnEnergies } from "./sums";
export { gradient, moveAtoms, movedEnergies, thresholdAtoms } from "./update";
export { addWindows, extract } from "./windows";
