/**
 * The name of a dictionary in compressed files: the first bytes of the SHA-256 of all
 * that decoding depends on. Files hold the name, never the dictionary.
 */

import { sha256 } from "../../data/formats/checksums.js";
import { toScipy } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { nameLength } from "./container.js";

/** The name of a model's content: shape, means, D or A and Φ, and uses. */
export function dictionaryName({ shape, meta, A, base, dictionary, uses }: Model): Uint8Array {
  const said = new TextEncoder().encode(JSON.stringify([shape, meta.removeMean, A.cols, uses !== undefined]));
  const atoms = dictionary
    ? [dictionary.data]
    : [...toScipy(A).map(([, { data }]) => data), ...base.factors.map(({ data }) => data)];
  const bytes = [...atoms, ...(uses ? [uses] : [])].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  return sha256(said, ...bytes).slice(0, nameLength);
}
