/** How the ranks of a run exchange bytes. All ranks make the same calls in the same order. */
export interface Communicator {
  /** This rank, from 0 to size − 1. */
  readonly rank: number;
  readonly size: number;
  /** How fast the ranks exchange and compute: the same numbers on all ranks. They decide what is shared, never a result. */
  readonly rates: Rates;
  /** `buffer` ← that of rank 0. It has the same length on all ranks. */
  broadcast(buffer: Uint8Array): Promise<void>;
  /**
   * The bytes of all ranks. `buffer` has those of this rank from starts[rank] to starts[rank + 1], and receives the
   * others; `starts` has size + 1 places, the same on all ranks.
   */
  allGather(buffer: Uint8Array, starts: readonly number[]): Promise<void>;
}

export interface Rates {
  /** Bytes that a rank receives per second. */
  readonly bytes: number;
  /** Multiplications with an addition that a rank does per second. */
  readonly products: number;
}

/** Gather what the array holds from starts[rank] to starts[rank + 1], in elements of the array. */
export async function gatherArray(
  array: Float32Array | Float64Array | Uint32Array,
  starts: readonly number[],
  ranks: Communicator,
): Promise<void> {
  const bytes = new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);
  await ranks.allGather(
    bytes,
    starts.map((start) => start * array.BYTES_PER_ELEMENT),
  );
}
