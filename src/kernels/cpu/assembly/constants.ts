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
/** The most rows and columns of a block of a dense product (tiles.ts). */
export const blockSide = 120;
/** Rows and columns of a tile of a block. */
export const tileRows = 8;
export const tileColumns = 5;
/** Terms of the sums that are packed at a time; strips of 384 would start at the same places of the nearest cache. */
export const panelTerms = 376;
/** f32 of scratch memory for a block: its sums and two panels. */
export const blockScratch = 104640;
/** f32 of a strip of the correlations of a pursuit: the peak of a short one is found sooner, long ones need fewer calls. */
export const correlationStrip = 512;
/** The same of OLS: of long strips, longer stretches of columns are read one after the other. */
export const olsStrip = 4096;
/** Entries of a block of an atom's list: an item of `exchangeAtoms`, `refitDirection` and `refitCodes`. */
export const listBlock = 256;
/** Bytes of the addresses and weights of such a block. */
export const listScratch = 2048;
/** Samples of an item of `addWindows`. */
export const sampleBlock = 4096;
