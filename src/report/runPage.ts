/**
 * The page of a run: its state or its end, curves, atoms and settings, all in one HTML
 * file. During the run, a browser reloads it at intervals; afterwards it stays
 * as the record of the run.
 */

import { byteSize, clock, counted, grouped, rounded } from "../core/formatText.js";
import { formatShape } from "../core/shape.js";
import { dataUrl, htmlPage, type PageSection } from "../figures/pages/htmlPage.js";
import { type LearnerKind, ownOptionNames } from "../learn/learners/learner.js";
import { type LearnerName, learners } from "../learn/learners/registry.js";
import { shownAtoms } from "./atomsPicture.js";
import { describeNeeds, describeUse } from "./followRun.js";
import { runCharts } from "./runCharts.js";
import type { EndLine, Moment, PlanLine, RunRecord, Settings } from "./runRecord.js";

export interface RunPageOptions {
  /** PNG of the atoms. */
  readonly atoms?: Uint8Array | undefined;
  /** Seconds between two versions of the page during the run. */
  readonly refresh?: number;
  /** When the page is written. */
  readonly now: Date;
}

/** Rows of the table of tests; if there are more, the first and the last ones. */
const mostTests = { first: 3, last: 9 } as const;

export function runPage(record: RunRecord, { atoms, refresh, now }: RunPageOptions): string {
  const { plan } = record;
  const size = formatShape(plan.settings.patch);
  const running = record.end === undefined && refresh !== undefined;
  return htmlPage({
    title: `${counted(plan.settings.atoms, "atom")} of ${size}, learned by ${plan.settings.learner}`,
    lead: leadOf(record, running ? now : undefined),
    sections: [
      { kind: "facts", entries: facts(record) },
      ...chartSections(record),
      ...(atoms ? [gallery(plan.settings, atoms, running)] : []),
      ...testSections(record),
      { heading: "Settings", kind: "settings", entries: settingEntries(record) },
      { heading: "Machine", kind: "settings", entries: machineEntries(plan) },
    ],
    footer: `trainlets ${plan.version} · written ${utc(now.toISOString())}${running ? `, reloads every ${counted(refresh, "second")}` : ""}`,
    ...(running ? { refresh } : {}),
  });
}

function totalOf({ settings }: PlanLine): number {
  return settings.examples * settings.epochs;
}

/** `running`: when it was seen to run. A run that is killed cannot report it: its last page shows when that was. */
function leadOf({ plan, last, end }: RunRecord, running: Date | undefined): string {
  const seen = `${grouped(last?.examples ?? 0)} of ${counted(totalOf(plan), "example")}`;
  if (end) return endText(end, seen);
  const state = running ? `Running, as of ${utc(running.toISOString())}` : "Unfinished, no end recorded";
  return last ? `${state}: ${seen}.` : `${state}: no report yet.`;
}

function endText({ ended, seconds, error }: EndLine, seen: string): string {
  const after = `after ${seen}, in ${clock(seconds)}`;
  switch (ended) {
    case "epochs":
      return `Finished all epochs ${after}.`;
    case "no improvement":
      return `Stopped because the test error no longer improved, ${after}.`;
    case "time":
      return `Stopped at its time limit ${after}.`;
    case "aborted":
      return `Interrupted ${after}.`;
    default:
      return `Failed ${after}${error === undefined ? "" : `: ${error}`}.`;
  }
}

/** `2026-02-28T12:34:56.789Z` → `2026-02-28 12:34:56 UTC`. */
function utc(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")} UTC`;
}

function facts({ plan, last, tests, end }: RunRecord): [string, string][] {
  if (!last) return [["examples", "0"]];
  const { examples, seconds, rmse, memory } = last;
  const rate = examples / Math.max(seconds, 1e-3);
  const total = totalOf(plan);
  const left = Math.min((total - examples) / rate, 60 * (plan.settings.minutes ?? Infinity) - seconds);
  return [
    ["examples", `${grouped(examples)} (${Math.floor((100 * examples) / total)}%)`],
    ...entry("RMSE", rmse === null ? undefined : rounded(rmse)),
    ...testEntry(last, tests.at(-1)),
    ["time", clock(seconds)],
    ...entry("time left (estimate)", end || examples === 0 ? undefined : clock(left)),
    ...entry("examples/s", examples === 0 ? undefined : grouped(rate)),
    ["memory", describeUse(memory)],
  ];
}

/** The test error of the model that is kept, or the newest one, with its age if the run has seen more since. */
function testEntry({ examples, kept }: Moment, newest: Moment | undefined): [string, string][] {
  const { testRmse, examples: at } = kept?.testRmse === undefined ? (newest ?? kept ?? {}) : kept;
  if (testRmse === undefined || at === undefined) return [];
  const age = at < examples ? ` (after ${counted(at, "example")})` : "";
  return [["test RMSE", `${rounded(testRmse)}${age}`]];
}

function entry(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, value]];
}

function chartSections(record: RunRecord): PageSection[] {
  const svgs = runCharts(record);
  return svgs.length === 0 ? [] : [{ heading: "Curves", kind: "charts", svgs }];
}

function gallery(settings: Settings, png: Uint8Array, running: boolean): PageSection {
  const count = shownAtoms(settings.atoms, settings.patch);
  const all = count === settings.atoms;
  const shown = all ? "All atoms" : `${grouped(count)} of ${grouped(settings.atoms)} atoms, evenly spaced`;
  return {
    heading: running ? "Atoms now" : "Atoms",
    kind: "image",
    src: dataUrl(png),
    alt: `A grid of ${formatShape(settings.patch)} atoms`,
    pixelated: settings.patch.length > 1,
    caption: `${shown}. Each keeps its place during training. Grey is zero.`,
  };
}

/** The table of test errors. */
function testSections({ tests }: RunRecord): PageSection[] {
  if (tests.length === 0) return [];
  const { first, last } = mostTests;
  const left = tests.length > first + last;
  const shown = left ? [...tests.slice(0, first), ...tests.slice(-last)] : tests;
  const rows = shown.map(({ examples, epoch, seconds, testRmse }) => [
    grouped(examples),
    String(epoch),
    clock(seconds),
    rounded(testRmse!),
  ]);
  const best = shown.reduce((at, { testRmse }, i) => (testRmse! < shown[at].testRmse! ? i : at), 0);
  return [
    {
      heading: "Tests",
      kind: "table",
      header: ["examples", "epoch", "time", "test RMSE"],
      rows,
      best,
      ...(left
        ? { caption: `The first ${first} and the last ${last}; metrics.jsonl holds all of them.` }
        : {}),
    },
  ];
}

function settingEntries({ plan, last, end }: RunRecord): [string, string][] {
  const { settings: s, output, time, resumedAt } = plan;
  const kind = learners[s.learner as LearnerName] as LearnerKind | undefined; // unknown if it is the caller's own
  const ownOptions = kind?.ownOptions ?? ownOptionNames;
  const has = (name: "atomSparsity" | "momentum" | "stepDecay", value: number) =>
    ownOptions.includes(name) ? String(value) : undefined;
  return [
    ["patch", formatShape(s.patch)],
    ...entry("base", kind?.explicit ? undefined : s.base),
    ["learner", s.learner],
    ["atoms", grouped(s.atoms)],
    ...entry("non-zeros per atom", has("atomSparsity", s.atomSparsity)),
    ...entry("atoms per patch, at most", s.coding.sparsity?.toString()),
    ...entry("RMSE per patch, at most", s.coding.error?.toString()),
    ...entry("pursuit", s.coding.pursuit),
    ["examples", `${grouped(s.examples)} of ${grouped(s.available)} patches, ${counted(s.epochs, "epoch")}`],
    ["examples per step", grouped(s.examplesAtOnce)],
    ["tested on", counted(s.holdout, "patch", "patches")],
    ...entry("momentum", has("momentum", s.momentum)),
    ...entry("step decay", has("stepDecay", s.stepDecay)),
    ["atom care", s.atomCare ? `every ${counted(s.atomCare.every, "step")}` : "none"],
    ["mean of a patch", s.removeMean ? "removed" : "kept"],
    ["seed", String(s.seed)],
    ...entry("time limit", s.minutes ? clock(60 * s.minutes) : undefined),
    ["dictionary", end?.output ?? output],
    [resumedAt === undefined ? "started" : "resumed", utc(time)],
    ...entry("resumed after", resumedAt === undefined ? undefined : counted(resumedAt, "example")),
    ...entry("last report", last && utc(last.time)),
    ...entry("ended", end && utc(end.time)),
  ];
}

function machineEntries({ machine, memory, disk }: PlanLine): [string, string][] {
  return [
    ["computed on", `${machine.device}: ${machine.description}`],
    ["processor", `${machine.processor}, ${counted(machine.cores, "core")}`],
    ["memory of the machine", byteSize(machine.memory)],
    ["system", `${machine.system}, Node ${machine.node}`],
    ["planned memory", describeNeeds(memory)],
    ["planned disk space", describeNeeds(disk)],
  ];
}
