/**
 * Sizes that the kernels and the code that calls them must agree on. This file is
 * both AssemblyScript and TypeScript: plain integers, no types.
 */

/** Examples of a block: row r of a block is one f32 of each, side by side. */
export const lanes = 16;
/** Bytes of a row of a block. */
export const rowBytes = 64;
/** Atoms of a panel: results that are computed before they are written as columns. 4 KB, which fit the nearest cache. */
export const panel = 64;
/** f32 of a block of `blockEnergies`. */
export const normBlock = 16384;
/** Columns of an item of `blockResidual`. */
export const descentShare = 32;
/** Examples of an item of `refitDirection` and `refitCodes`. */
export const refitBlock = 256;
/** Samples of an item of `addWindows`. */
export const sampleBlock = 4096;
