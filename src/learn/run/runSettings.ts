/**
 * Everything that decides the result of a run, by name: the data, and every option but
 * those that only say when to stop. A run resumes from a checkpoint only if all of it is
 * unchanged; otherwise the error says what differs.
 *
 * Not among them: `epochs`, which may grow, `minutes`, `patience`, and the kernels.
 */

import { InputError } from "../../core/errors.js";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { crc32, crcToHex } from "../../data/formats/checksums.js";
import { fingerprintOf, type SignalSource, samplesOf } from "../../data/sampling/signalSource.js";
import type { RunSettings } from "../checkpoints/checkpointHeader.js";
import type { TrainingData } from "../examples/examplePlan.js";
import { ownOptionNames } from "../learners/learner.js";
import type { ResolvedTraining } from "./trainOptions.js";

/** The settings that follow from the options. */
export function optionSettings(options: ResolvedTraining): RunSettings {
  const { base, coding, atomCare, learner, start, testEvery, reportEvery } = options;
  const { ownOptions } = options.kind;
  const ownNames = ownOptionNames.filter((name) => ownOptions.includes(name));
  const { atoms, batch, examples, seed, holdout } = options;
  return {
    patch: formatShape(base.shape),
    learner,
    base: base.name,
    "the base": digest(base.factors.map(({ data }) => data)),
    atoms,
    ...Object.fromEntries(ownNames.map((name) => [name, options[name]])),
    sparsity: coding.sparsity ?? "none",
    error: coding.error ?? "none",
    batch,
    examples,
    seed,
    holdout,
    groupSamples: options.groupSamples,
    testEvery: testEvery ?? "an epoch",
    reportEvery: reportEvery ?? "as usual",
    atomCare: atomCare?.every ?? "none",
    "atomCare.minUse": atomCare?.minUse ?? "none",
    "atomCare.maxCoherence": atomCare?.maxCoherence ?? "none",
    removeMean: String(options.removeMean),
    start: start
      ? digest([start.A.values, start.A.indices, ...(start.dictionary ? [start.dictionary.data] : [])])
      : "none",
  };
}

/** The settings that follow from the data a run learns from and is tested on. */
export function dataSettings(data: TrainingData, test: readonly Signal[] | undefined): RunSettings {
  return {
    "the data": "units" in data ? describeSource(data) : describeSignals(data),
    "the test data": test ? describeSignals(test) : "held out",
  };
}

/** Reject settings that differ from those of a checkpoint. */
export function requireSameSettings(saved: RunSettings, now: RunSettings): void {
  for (const [name, value] of Object.entries(now)) {
    if (saved[name] === value) continue;
    const before = saved[name] ?? "none";
    const rule = `must be ${before === "none" ? "left out" : before}, as in the checkpoint`;
    throw new InputError((nameOf) => `${nameOf("resume")}: ${nameOf(name)} ${rule}, got ${value}`, {
      where: "train",
      argument: name,
      rule,
      value,
    });
  }
}

/** There may be more epochs than in the checkpoint, but not fewer than it has begun. */
export function requireEpochs(begun: number, epochs: number): void {
  if (epochs >= begun) return;
  const rule = `must be at least ${begun}, which the checkpoint has begun`;
  throw new InputError((nameOf) => `${nameOf("resume")}: ${nameOf("epochs")} ${rule}, got ${epochs}`, {
    where: "train",
    argument: "epochs",
    rule,
    value: epochs,
  });
}

/** `2 signals of 3200 samples (1f2e3d4c)`. */
function describeSignals(signals: readonly Signal[]): string {
  const samples = signals.reduce((sum, { data }) => sum + data.length, 0);
  return `${signals.length} ${signals.length === 1 ? "signal" : "signals"} of ${samples} samples (${fingerprintOf(signals)})`;
}

function describeSource({ units, fingerprint }: SignalSource): string {
  const files = new Set(units.map(({ name }) => name)).size;
  const samples = units.reduce((sum, unit) => sum + samplesOf(unit), 0);
  return `${files} ${files === 1 ? "file" : "files"} of ${samples} samples (${fingerprint})`;
}

/** A checksum of all numbers, as eight hexadecimal digits. */
function digest(arrays: readonly (Float64Array | Float32Array | Uint32Array)[]): string {
  const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
    new Uint8Array(buffer, byteOffset, byteLength);
  return crcToHex(arrays.reduce((crc, array) => crc32(bytes(array), crc), 0));
}
