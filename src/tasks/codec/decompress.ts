/**
 * From a compressed file to its samples: on the host alone, in sums of f64 of one
 * order, so that every machine, device and run finds the same.
 */

import { InputError } from "../../core/errors.js";
import type { Model } from "../../model/model.js";
import { AtomOdds } from "./atomOdds.js";
import { type Container, unpackContainer } from "./container.js";
import { dictionaryName } from "./dictionaryFingerprint.js";
import { ExactAtoms } from "./exactAtoms.js";
import { layoutOf, readBlocks, synthesizePlane } from "./layout.js";
import { fromPlanes, type SampleArray } from "./samples.js";

/** The samples in the bytes of a compressed file; `name` is for messages. */
export function decompress(bytes: Uint8Array, model: Model, name: string): SampleArray {
  const container = unpackContainer(bytes, name);
  requireDictionary(container, model, name);
  const { shape, colour, grade, step, type, payload } = container;
  const layout = layoutOf(model, shape, colour, name);
  const planes = readBlocks(payload, layout, grade, name);
  const [atoms, { atoms: ranked }] = [new ExactAtoms(model), new AtomOdds(model.A.cols, model.uses)];
  return fromPlanes(
    planes.map((blocks) => synthesizePlane(blocks, layout, step, atoms, ranked)),
    shape,
    type,
  );
}

function requireDictionary({ dictionary }: Container, model: Model, name: string): void {
  const own = dictionaryName(model);
  if (own.every((byte, i) => byte === dictionary[i])) return;
  throw new InputError(`${name}: is over dictionary ${hex(dictionary)}, got dictionary ${hex(own)}`);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
