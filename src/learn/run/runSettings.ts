/**
 * Everything that decides the result of a run, by name: the data, and every option but
 * those that only say when to stop. A run resumes from a checkpoint only if all of it is
 * unchanged; otherwise the error says what differs.
 *
 * Not among them: `epochs`, which may grow, `minutes`, `patience`, `keep`, and the kernels. A batch, first steps and
 * starting atoms that were not given, and what depends on the epochs, are known once the examples are counted.
 */

import { InputError } from "../../core/errors.js";
import { counted } from "../../core/formatText.js";
import { formatShape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { crc32, crcToHex } from "../../data/formats/checksums.js";
import { contentsOf, type DataContents, digestOf } from "../../data/sampling/dataContents.js";
import { type SignalSource, samplesOf } from "../../data/sampling/signalSource.js";
import type { CheckpointHeader, RunSettings } from "../checkpoints/checkpointHeader.js";
import {
  type DataRecord,
  type DataRecords,
  describeDifference,
  listOtherTimes,
  recordContents,
} from "../checkpoints/dataRecord.js";
import { type OwnOption, ownOptionNames } from "../learners/learner.js";
import type { RunLength } from "./plan/runLength.js";
import type { ResolvedTraining } from "./trainOptions.js";

/** Older checkpoints do not have it. */
const shareName = "share of test patches";

/** The settings that follow from the options. */
export function optionSettings(options: ResolvedTraining): RunSettings {
  const { base, coding, atomCare, learner, start, testEvery, reportEvery } = options;
  const { ownOptions } = options.kind;
  const ownNames = ownOptionNames
    .filter(isPlainOption)
    .filter((name) => ownOptions.includes(name) && !(name === "init" && choosesStart(options)));
  const { atoms, examples, seed, holdout } = options;
  return {
    patch: formatShape(base.shape),
    learner,
    base: base.name,
    "the base": digest(base.factors.map(({ data }) => data)),
    atoms,
    ...Object.fromEntries(ownNames.map((name) => [name, options[name]])),
    ...(ownOptions.includes("refineBase") ? { refineBase: options.refineBase ? "yes" : "none" } : {}),
    sparsity: coding.sparsity ?? "none",
    error: coding.error ?? "none",
    pursuit: coding.pursuit ?? "omp",
    ...lengthSettings(options, options.given),
    examples,
    seed,
    holdout,
    [shareName]: options.holdoutShare,
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

/** Options whose value is known before the examples are counted, and stands as it is. */
function isPlainOption(name: OwnOption): name is Exclude<OwnOption, "average" | "firstSteps" | "refineBase"> {
  return name !== "average" && name !== "firstSteps" && name !== "refineBase";
}

/** Whether first steps and starting atoms may follow from the length of the run. */
function choosesStart({ kind }: Pick<ResolvedTraining, "kind">): boolean {
  return kind.ownOptions.includes("firstSteps");
}

/** What follows from the batch, the epochs and the start, as far as they are known. */
function lengthSettings(
  { kind, average }: ResolvedTraining,
  { batch, epochs, firstSteps, init }: ResolvedTraining["given"],
): RunSettings {
  const over = average ? epochs && `over epoch ${epochs}` : "none"; // the average is one over the last epoch
  const averages = kind.ownOptions.includes("average");
  return {
    ...(averages && over !== undefined ? { average: over } : {}),
    ...(batch === undefined ? {} : { batch }),
    ...(firstSteps !== undefined && choosesStart({ kind }) ? { firstSteps } : {}),
    ...(init !== undefined && choosesStart({ kind }) ? { init } : {}),
  };
}

type DataName = "the data" | "the test data";

/**
 * What a checkpoint records of a run: its settings and its data. Everything is compared with the checkpoint that the run
 * resumes from as soon as it is known; the contents of files are known last.
 */
export class RunIdentity {
  readonly #settings: Record<string, string | number>;
  readonly #data: Record<string, DataRecord> = {};
  readonly #saved: Pick<CheckpointHeader, "settings" | "data"> | undefined;
  readonly #options: ResolvedTraining;
  /** What marks missing samples, in words. */
  readonly #gaps: string;

  constructor(options: ResolvedTraining, saved?: Pick<CheckpointHeader, "settings" | "data">) {
    this.#settings = { ...optionSettings(options) };
    this.#options = options;
    const { nodata } = options;
    this.#gaps = nodata.length === 0 ? "" : `, no-data ${nodata.join(", ")}`;
    this.#saved = saved;
    if (saved) requireSameSettings(saved.settings, this.#settings);
  }

  get settings(): RunSettings {
    return this.#settings;
  }

  get data(): DataRecords {
    return this.#data;
  }

  addSignals(name: DataName, signals: readonly Signal[]): void {
    const contents = contentsOf(signals, this.#saved?.data[name]?.limit);
    const samples = signals.reduce((sum, { data }) => sum + data.length, 0);
    this.#add(
      name,
      `${counted(signals.length, "signal")} of ${samples} samples`,
      digestOf(contents),
      contents,
    );
  }

  /** Returns a line about files that may have changed although no difference was found, if there are any. */
  async addSource(name: DataName, source: SignalSource): Promise<string | undefined> {
    const saved = this.#saved?.data[name];
    const contents = await source.contents?.(saved?.limit);
    const files = contents?.names.length ?? new Set(source.units.map((unit) => unit.name)).size;
    const samples = source.units.reduce((sum, unit) => sum + samplesOf(unit), 0);
    const digest = contents ? digestOf(contents) : source.fingerprint;
    this.#add(name, `${counted(files, "file")} of ${samples} samples`, digest, contents);
    const others = saved && contents && listOtherTimes(saved, contents);
    if (others === undefined) return undefined;
    return `${others}: changed since the checkpoint, by the time of the file; the sample that was compared is the same`;
  }

  /** The batch, the epochs, the first steps and the starting atoms, once they are known. */
  addLength(length: RunLength & Pick<ResolvedTraining, "firstSteps" | "init">): void {
    const settings = lengthSettings(this.#options, length);
    Object.assign(this.#settings, settings);
    if (this.#saved) requireSameSettings(this.#saved.settings, settings);
  }

  /** Test data that are part of the data. */
  addHeldOut(): void {
    this.#settings["the test data"] = "held out";
    this.#compare("the test data");
  }

  /** Data that come in batches, and are not known beforehand. */
  addBatches(): void {
    this.#settings["the data"] = "batches as they come";
    this.#compare("the data");
  }

  #add(name: DataName, what: string, digest: string, contents: DataContents | undefined): void {
    this.#settings[name] = `${what} (${digest})${this.#gaps}`;
    if (contents) this.#data[name] = recordContents(contents);
    this.#compare(name, contents);
  }

  #compare(name: DataName, contents?: DataContents): void {
    if (!this.#saved) return;
    const record = this.#saved.data[name];
    const difference = contents && record ? describeDifference(record, contents) : "";
    requireSameSettings(this.#saved.settings, { [name]: this.#settings[name] }, difference);
  }
}

/** What a run had before these settings could be chosen: older checkpoints do not have them. */
const addedSettings: RunSettings = { average: "none", firstSteps: "paper", pursuit: "omp" };

/** `init` was added for `odl` and `ksvd`, and later for `osdl`. */
function addedInit({ learner }: RunSettings): string {
  return learner === "osdl" ? "base" : "examples";
}

/** Reject settings that differ from those of a checkpoint; `difference` says how, where that is known. */
export function requireSameSettings(saved: RunSettings, now: RunSettings, difference = ""): void {
  for (const [name, value] of Object.entries(now)) {
    const added = name === "init" ? addedInit(saved) : addedSettings[name];
    const before = saved[name] ?? added ?? "none";
    if (before === value || (name === shareName && saved[name] === undefined)) continue;
    const rule = `must be ${settingWords(name, before)}, as in the checkpoint`;
    const more = difference && `: ${difference}`;
    const problem = (flag: string) =>
      flag.startsWith("--no-") ? describeSwitch(flag, before) : `${flag} ${rule}, got ${value}${more}`;
    throw new InputError((nameOf) => `${nameOf("resume")}: ${problem(nameOf(name))}`, {
      where: "train",
      argument: name,
      rule,
      value,
    });
  }
}

/** The value of a checkpoint, for messages. Without `atomCare`, there is atom care by default. */
function settingWords(name: string, value: string | number): string | number {
  if (value !== "none") return value;
  return name === "atomCare" ? "turned off" : "left out";
}

/** What a checkpoint asks of a flag that turns something off, by the setting that it turns off. */
function describeSwitch(flag: string, before: string | number): string {
  return `${flag} must be ${before === "false" ? "given" : "left out"}, as in the checkpoint`;
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

/** A checksum of all numbers, as eight hexadecimal digits. */
function digest(arrays: readonly (Float64Array | Float32Array | Uint32Array)[]): string {
  const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
    new Uint8Array(buffer, byteOffset, byteLength);
  return crcToHex(arrays.reduce((crc, array) => crc32(bytes(array), crc), 0));
}
