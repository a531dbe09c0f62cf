/** Reads bytes of a file from an offset on; fewer at its end. */
export type ReadBytes = (offset: number, length: number) => Promise<Uint8Array>;
