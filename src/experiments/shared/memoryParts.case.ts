/** A store of parts in memory, for tests. */

import type { PartStore } from "./experiment.js";

export function memoryParts(): PartStore & { readonly stored: Map<string, Uint8Array> } {
  const stored = new Map<string, Uint8Array>();
  return {
    stored,
    read: async (name) => stored.get(name),
    write: async (name, bytes) => void stored.set(name, bytes),
  };
}
