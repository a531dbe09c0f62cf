/** What the ranks of a run tell each other. All ranks make the same calls in the same order. */
export interface Communicator {
  /** This rank, from 0 to size − 1. */
  readonly rank: number;
  readonly size: number;
  /** `buffer` ← that of rank 0. It has the same length on all ranks. */
  broadcast(buffer: Uint8Array): Promise<void>;
  /**
   * The bytes of all ranks. `buffer` has those of this rank from starts[rank] to starts[rank + 1], and receives the
   * others; `starts` has size + 1 places, the same on all ranks.
   */
  allGather(buffer: Uint8Array, starts: readonly number[]): Promise<void>;
}
