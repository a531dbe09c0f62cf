/**
 * Giving back what the garbage collector does not know of: threads, devices, files, locks.
 *
 * Whoever holds such a thing has a `close` method, and the same under the key of `await using`.
 * `releaseWhenCollected` is the last resort if neither is called: it releases when nobody can
 * reach the holder any more. When that is, the engine decides.
 */

declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The key of `await using`; a symbol of its own where the runtime has none. */
export const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol("asyncDispose") as typeof Symbol.asyncDispose);

/** Something that `await using` closes at the end of a block. */
export interface Closable {
  [asyncDispose](): Promise<void>;
}

const registry =
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry<() => Promise<unknown>>((release) => {
        release().catch(() => {}); // nobody is there to be told
      });

/**
 * Call `release` once `holder` cannot be reached any more. `release` must not refer to the holder, or it stays
 * reachable. Returns a function that cancels it.
 */
export function releaseWhenCollected(holder: object, release: () => Promise<unknown>): () => void {
  const token = {};
  registry?.register(holder, release, token);
  return () => registry?.unregister(token);
}
