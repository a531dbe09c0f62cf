/**
 * Finished parts of a run: taken from the store of `ExperimentTools`, or computed and stored. A part that
 * was computed while the run was aborted is not stored. The seconds of a part are those of its computing.
 */

import { InputError } from "../../core/errors.js";
import { modelFromBytes, modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import type { ExperimentTools } from "./experiment.js";

type PartTools = Pick<ExperimentTools, "parts" | "signal">;

export interface Part<T> {
  readonly value: T;
  /** The seconds that computing it took. */
  readonly seconds: number;
}

/** A model, with what was recorded while it was learned. */
export interface ModelPart<R> {
  readonly model: Model;
  readonly record: R;
}

/** A value of plain JSON, in the part `NAME.json`. */
export async function jsonPart<T>(
  tools: PartTools,
  name: string,
  compute: () => Promise<T>,
): Promise<Part<T>> {
  const file = `${name}.json`;
  const stored = await tools.parts?.read(file);
  if (stored) return parsePart(file, stored);
  const part = await timed(compute);
  if (!tools.signal?.aborted) await tools.parts?.write(file, jsonBytes(part));
  return part;
}

/** A model in the part `NAME.npz`, its record beside it in `NAME.json`. */
export async function modelPart<R>(
  tools: PartTools,
  name: string,
  compute: () => Promise<ModelPart<R>>,
): Promise<Part<ModelPart<R>>> {
  const [modelFile, recordFile] = [`${name}.npz`, `${name}.json`];
  const record = await tools.parts?.read(recordFile);
  const bytes = record && (await tools.parts?.read(modelFile));
  if (record && bytes) {
    const { value, seconds } = parsePart<R>(recordFile, record);
    return { value: { model: modelFromBytes(bytes, modelFile), record: value }, seconds };
  }
  const part = await timed(compute);
  if (!tools.signal?.aborted) {
    const { value, seconds } = part;
    await tools.parts?.write(modelFile, modelToBytes(value.model, modelFile));
    await tools.parts?.write(recordFile, jsonBytes({ value: value.record, seconds })); // last: it stands for both
  }
  return part;
}

async function timed<T>(compute: () => Promise<T>): Promise<Part<T>> {
  const start = performance.now();
  const value = await compute();
  return { value, seconds: (performance.now() - start) / 1000 };
}

function jsonBytes(part: Part<unknown>): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(part));
}

function parsePart<T>(name: string, bytes: Uint8Array): Part<T> {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new InputError(`${name}: not a finished part of this run; remove it to compute it again`);
  }
}
