/**
 * From a compressed file to its samples: on the host only, with f64 sums in a fixed
 * order, so that every machine and every run gets the same samples.
 */

import {
  bytes as bytesType,
  model as modelType,
  requireArguments,
  text,
} from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import type { Model } from "../../model/model.js";
import { createBlockLayout, readBlocks, synthesizePlane } from "./blockLayout.js";
import { type Container, unpackContainer } from "./container.js";
import { dictionaryFingerprint } from "./dictionaryFingerprint.js";
import { AtomSetModel } from "./entropy/atomSetModel.js";
import { HostAtoms } from "./hostAtoms.js";
import { fromPlanes, type SampleArray } from "./sampleArray.js";

/** The samples in the bytes of a compressed file; `name` is for messages. */
export function decompress(bytes: Uint8Array, model: Model, name: string): SampleArray {
  requireArguments("decompress", {
    bytes: [bytes, bytesType],
    model: [model, modelType],
    name: [name, text],
  });
  const container = unpackContainer(bytes, name);
  requireDictionary(container, model, name);
  const { shape, colour, grade, step, exponent, type, payload } = container;
  const layout = createBlockLayout(model, shape, colour, name);
  const planes = readBlocks(payload, layout, grade, name);
  const atoms = new HostAtoms(model);
  const { atoms: atomsByRank } = new AtomSetModel(model.A.cols, model.uses);
  const samples = planes.map((blocks) => synthesizePlane(blocks, layout, step, atoms, atomsByRank));
  return fromPlanes(samples, shape, type, exponent);
}

function requireDictionary({ dictionary }: Container, model: Model, name: string): void {
  const own = dictionaryFingerprint(model);
  if (own.every((byte, i) => byte === dictionary[i])) return;
  throw new InputError(
    `${name}: was compressed with dictionary ${hex(dictionary)}, got dictionary ${hex(own)}`,
  );
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
