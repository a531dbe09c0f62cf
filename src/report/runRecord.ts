/**
 * The record of a run: the lines of its metrics file, the machine it ran on, and the points
 * that its curves need. Its memory is bounded, however long the run.
 */

import type { TrainPlan } from "../learn/run/setup.js";
import type { TrainReport } from "../learn/run/trainingLoop.js";
import { version } from "../model/version.js";
import type { MemoryUse, Need } from "./followRun.js";

/** What a run will do, and where: the first line, and one more each time it is resumed. */
export interface PlanLine {
  readonly kind: "plan";
  /** ISO 8601, as everywhere here. */
  readonly time: string;
  /** The version of trainlets. */
  readonly version: string;
  /** The file of the dictionary. */
  readonly output: string;
  /** Examples seen before this line, where the run was resumed. */
  readonly resumedAt?: number;
  readonly settings: Settings;
  readonly machine: Machine;
  /** Bytes. */
  readonly memory: readonly Need[];
  readonly disk: readonly Need[];
}

/** Options of a run with every default filled in, limited by the data. */
export type Settings = Pick<TrainPlan, (typeof plainSettings)[number]> & {
  readonly patch: readonly number[];
  readonly base: string;
  /** The time limit; null without one. */
  readonly minutes: number | null;
};

const plainSettings = [
  "learner",
  "atoms",
  "atomSparsity",
  "coding",
  "batch",
  "examplesAtOnce",
  "epochs",
  "examples",
  "available",
  "steps",
  "momentum",
  "stepDecay",
  "refineBase",
  "seed",
  "holdout",
  "testEvery",
  "atomCare",
  "removeMean",
] as const;

function settingsOf(plan: TrainPlan): Settings {
  const plain = Object.fromEntries(plainSettings.map((name) => [name, plan[name]]));
  const { base, minutes } = plan;
  return {
    patch: base.shape,
    base: base.name,
    ...(plain as Pick<TrainPlan, (typeof plainSettings)[number]>),
    minutes: Number.isFinite(minutes) ? minutes : null,
  };
}

/** One report: what `--json` prints, with the time and the memory. */
export interface ReportLine extends JsonReport {
  readonly kind: "report";
  readonly time: string;
  readonly memory: MemoryUse;
}

/** JSON has no NaN: an error that was not measured is null. */
export interface JsonReport extends Omit<TrainReport, "rmse"> {
  readonly rmse: number | null;
  /** Seconds since the run began. */
  readonly seconds: number;
}

/** A report as JSON, with its fields always in the same order. */
export function jsonReport(report: TrainReport, seconds: number): JsonReport {
  const { step, epoch, examples, rmse, testRmse, stepSize, atomsUsed, atomsReplaced, ended, kept } = report;
  return {
    step,
    epoch,
    examples,
    rmse: Number.isFinite(rmse) ? rmse : null,
    ...(testRmse === undefined ? {} : { testRmse }),
    stepSize,
    atomsUsed,
    atomsReplaced,
    ...(ended === undefined ? {} : { ended }),
    ...(kept === undefined ? {} : { kept }),
    seconds,
  };
}

/** How the run ended. */
export interface EndLine {
  readonly kind: "end";
  readonly time: string;
  readonly ended: NonNullable<TrainReport["ended"]> | "failed";
  readonly examples: number;
  readonly seconds: number;
  /** One line, if it failed. */
  readonly error?: string;
  /** Where the dictionary was saved, if not at the output of the plan. */
  readonly output?: string;
}

/** The plan of a run that starts or resumes now. */
export function planLine(plan: TrainPlan, { output, disk, machine, resumedAt }: PlanLineParts): PlanLine {
  return {
    kind: "plan",
    time: new Date().toISOString(),
    version,
    output,
    ...(resumedAt === undefined ? {} : { resumedAt }),
    settings: settingsOf(plan),
    machine,
    memory: plan.memory.parts,
    disk,
  };
}

export interface PlanLineParts extends Pick<PlanLine, "output" | "disk" | "machine"> {
  readonly resumedAt?: number | undefined;
}

export type MetricsLine = PlanLine | ReportLine | EndLine;

/** A report as the curves need it. */
export interface Moment extends ReportLine {
  /** Atoms replaced since the run began. */
  readonly replaced: number;
}

/** Moments kept of each kind; when there are more, every second one is dropped. */
const mostKept = 1000;

/** What is known of a run. */
export class RunRecord {
  #plan: PlanLine;
  #end: EndLine | undefined;
  #last: Moment | undefined;
  readonly #reports = new Thinned<Moment>();
  readonly #tests = new Thinned<Moment>();

  constructor(plan: PlanLine) {
    this.#plan = plan;
  }

  add(line: MetricsLine): void {
    if (line.kind === "plan") this.#plan = line;
    else if (line.kind === "end") this.#end = line;
    else {
      this.#last = { ...line, replaced: (this.#last?.replaced ?? 0) + line.atomsReplaced };
      this.#reports.add(this.#last);
      if (line.testRmse !== undefined) this.#tests.add(this.#last);
    }
  }

  /** The last report again, with how the run ended: it had been resumed after its end. */
  replaceLast(line: ReportLine): void {
    const before = this.#last;
    this.#last = { ...line, replaced: before?.replaced ?? line.atomsReplaced };
    this.#reports.replaceLast(before, this.#last);
    this.#tests.replaceLast(before, this.#last);
  }

  get plan(): PlanLine {
    return this.#plan;
  }

  get end(): EndLine | undefined {
    return this.#end;
  }

  /** The newest report. */
  get last(): Moment | undefined {
    return this.#last;
  }

  /** All reports of a short run; of a long one a part, with the first and the last. */
  get reports(): readonly Moment[] {
    return this.#reports.kept;
  }

  /** The same for reports that measured the test error. */
  get tests(): readonly Moment[] {
    return this.#tests.kept;
  }
}

/** Evenly spaced items: all, or every second, fourth, … and always the last. */
class Thinned<T> {
  #kept: T[] = [];
  #last: T | undefined;
  #count = 0;
  #stride = 1;

  add(item: T): void {
    if (this.#count % this.#stride === 0) this.#kept.push(item);
    this.#count += 1;
    this.#last = item;
    if (this.#kept.length <= mostKept) return;
    this.#kept = this.#kept.filter((_, i) => i % 2 === 0);
    this.#stride *= 2;
  }

  /** Put an item in the place of the last one, if that is `before`. */
  replaceLast(before: T | undefined, item: T): void {
    if (this.#last !== before) return;
    if (this.#kept.at(-1) === before) this.#kept[this.#kept.length - 1] = item;
    this.#last = item;
  }

  get kept(): readonly T[] {
    const last = this.#last;
    return last === undefined || this.#kept.at(-1) === last ? this.#kept : [...this.#kept, last];
  }
}

export interface Machine {
  /** What computes: the name of the kernels, and what they run on. */
  readonly device: string;
  readonly description: string;
  readonly processor: string;
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
  readonly system: string;
  readonly node: string;
}
