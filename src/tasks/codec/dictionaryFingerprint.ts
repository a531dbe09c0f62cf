/**
 * The fingerprint of a dictionary in compressed files: the first bytes of the SHA-256 of
 * everything that decoding depends on. Files contain it instead of the dictionary.
 */

import { sha256 } from "../../data/formats/checksums.js";
import { dictionaryBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { fingerprintLength } from "./container.js";

/** Of the shape, whether means are removed, D or A and Φ, and the uses of the atoms. */
export function dictionaryFingerprint(model: Model): Uint8Array {
  const { shape, meta, A, uses } = model;
  const settings = JSON.stringify([shape, meta.removeMean, A.cols, uses !== undefined]);
  const pieces = [new TextEncoder().encode(settings), ...dictionaryBytes(model)];
  if (uses) pieces.push(new Uint8Array(uses.buffer, uses.byteOffset, uses.byteLength));
  return sha256(...pieces).slice(0, fingerprintLength);
}
