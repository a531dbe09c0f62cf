/** Tables of README.md and docs/results.md, from the files of bench/results. A result that is not there has no row. */

import { problems } from "../../bench/problems.js";
import { clock, grouped } from "../../src/core/formatText.js";
import { othersMethod } from "../../src/experiments/fig07-denoising/study.js";
import type { UniversalSettings } from "../../src/experiments/fig09-to-11-universal/settings.js";
import { type Result, totalSeconds } from "../../src/experiments/results/result.js";
import { cell, countFromFewer, type Evidence, type Verdict, verdictCounts } from "./claimsPage.js";
import { code, table } from "./regions.js";
import { runNotes } from "./runNotes.js";
import { spamsComparisons } from "./spamsClaims.js";
import {
  deviceOf,
  resultsFolder,
  type StoredMeasurements,
  type StoredResult,
  storedMeasurements,
  storedResults,
} from "./storedResults.js";

/** The table of each full-size result of an experiment, with the command, the device and the time. */
export function resultTables(experiment: string, results = storedResults()): string {
  const found = results.filter(({ result }) => result.experiment === experiment && !result.quick);
  if (found.length === 0)
    return `Not measured at full size yet: ${code(`trainlets reproduce ${experiment}`)}.`;
  return found.map((stored) => resultTable(stored, experiment)).join("\n\n");
}

function resultTable({ file, result }: StoredResult, experiment: string): string {
  const { header, rows } = result.table;
  const right = header.map((_, column) => column).slice(1);
  const name = [experiment, result.label].filter(Boolean).join(", ");
  const facts = `[${name}](../${resultsFolder}/${file}): ${code(result.command)} on ${deviceOf(result)}, ${programOf(result)}, ${clock(totalSeconds(result))} in all.`;
  return [
    facts,
    table(
      header.map(cell),
      rows.map((row) => row.map(cell)),
      right,
    ),
    stageLine(result),
    runNotes[file] ?? "",
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** The seconds of what was learned, if the table has none. */
function stageLine({ stageSeconds, table }: Result): string {
  const stages = Object.entries(stageSeconds).filter(([stage]) => stage.startsWith("learning"));
  if (stages.length === 0 || table.header.includes("seconds")) return "";
  const named = stages.map(([stage, seconds]) => `${cell(stageName(stage))} ${seconds.toFixed(1)}`);
  return `Seconds of learning, with setting up and tests: ${named.join("; ")}.`;
}

/** Stages of figure 7 have the ids of its methods. */
function stageName(stage: string): string {
  const name = stage.replace(/^learning: /, "");
  return name === othersMethod.id ? othersMethod.label : name;
}

function programOf({ trainlets }: Result): string {
  return trainlets.commit ? `commit ${trainlets.commit}` : `trainlets ${trainlets.version}`;
}

/** The tables of a benchmark; those of one part alone if `part` is given. */
export function benchTables(name: string, part?: string, all = storedMeasurements()): string {
  const { file, measurements } = findMeasurements(name, all);
  const parts = measurements.parts.filter((one) => part === undefined || one.name === part);
  if (parts.length === 0) throw new Error(`${file} has no part ${part}`);
  const tables = parts.flatMap(({ tables }) =>
    tables.map(({ title, header, rows }) => {
      const right = header.map((_, column) => column).slice(1);
      return [cell(title), table(header, rows, right)].filter(Boolean).join("\n\n");
    }),
  );
  return [benchFacts(name, file, measurements), ...tables].join("\n\n");
}

function benchFacts(name: string, file: string, measurements: StoredMeasurements["measurements"]): string {
  return `[${name}](../${resultsFolder}/${file}), ${measurements.date}: ${code(measurements.command)}. ${measurements.machine}.`;
}

/** The ODL of SPAMS beside OSDL, with what decides the claims. */
export function spamsTable(name: string, all = storedMeasurements()): string {
  const { file, measurements } = findMeasurements(name, all);
  const heads = [
    ...["patch", "k", "OSDL, test RMSE (OMP)", "OSDL, s", "SPAMS, test RMSE (OMP)", "by its own coder"],
    ...["SPAMS, s", "OSDL beside SPAMS (OMP)"],
  ];
  const rows = spamsComparisons(all)
    .filter((one) => one.file === file)
    .map(({ size, atomSparsity, osdl, spams, ownCoder, seconds, distance }) => [
      ...[size.patch.join("×"), String(atomSparsity), String(osdl), seconds.osdl],
      ...[String(spams), String(ownCoder), seconds.spams, distance],
    ]);
  const right = heads.map((_, column) => column).slice(1);
  const [{ title }] = measurements.parts.flatMap(({ tables }) => tables);
  return [benchFacts(name, file, measurements), cell(title), table(heads, rows, right)].join("\n\n");
}

function findMeasurements(name: string, all: readonly StoredMeasurements[]): StoredMeasurements {
  const found = all.find(({ file }) => file === `${name}.json`);
  if (!found) throw new Error(`there is no ${resultsFolder}/${name}.json`);
  return found;
}

/** The few rows of README.md; a row whose result is not stored yet is left out. */
export function summaryTable(results = storedResults(), all = storedMeasurements()): string {
  const rows = [
    ...universalRows(results),
    ...faceRows(results),
    ...denoisingRows(results),
    ...codecRows(all),
    ...pursuitRows(all),
  ];
  return `${table(["", "trainlets", "others, as implemented here if no program is named"], rows, [1, 2])}\n\n${verdictLine({ results, benchmarks: all })}`;
}

/** How many statements of the paper hold, as on the page of claims. */
function verdictLine(evidence: Evidence): string {
  const counts = verdictCounts(evidence);
  const count = (verdict: Verdict) => counts.get(verdict) ?? 0;
  const all = [...counts.values()].reduce((sum, one) => sum + one, 0);
  const measured = count("holds") + count("holds in part") + count("does not hold");
  const missing = count("not measured yet");
  const others = [
    `${count("checked by a test")} are checked by tests`,
    ...(missing > 0 ? [`${missing} are not measured at full size yet`] : []),
    `and ${count("measured by no experiment")} are measured by no experiment`,
  ];
  const fewer = countFromFewer(evidence);
  const few = fewer > 0 ? ` (${fewer} of them with fewer patches than the paper has)` : "";
  const held = `${measured} were measured${few}: ${count("holds")} hold, ${count("holds in part")} in part, and ${count("does not hold")} do not`;
  return `Of ${all} statements of the paper, ${held}; ${others.join(missing > 0 ? ", " : " ")}.`;
}

function find(results: readonly StoredResult[], experiment: string): Result[] {
  return results
    .filter(({ result }) => result.experiment === experiment && !result.quick && result.label !== "synthetic")
    .map(({ result }) => result);
}

/** A cell of the table of a result, by the name of its row and column. */
function cellOf({ table: { header, rows } }: Result, row: string, column: string): string | undefined {
  const place = header.indexOf(column);
  return rows.find(([name]) => name === row)?.[place];
}

const ours = "trainlets (OSDL)";
/** Measured before the mini-batches of OSDL became larger: docs/decisions/0036-universal-dictionaries.md. */
const equalBatches = "2.12 times as long as OSDL where both had 4,096";

/** The size of the mini-batches that a dictionary was learned with. */
function batchOf({ settings, device }: Result, label: string): number {
  const { learned, batches } = settings as unknown as UniversalSettings;
  const own = learned.find((method) => method.label === label)?.own?.batches ?? batches;
  return device.name === "gpu" ? own.gpu : own.other;
}

function universalRows(results: readonly StoredResult[]): string[][] {
  return find(results, "universal32").flatMap((result) => {
    const records = result.values.learning as Record<string, { learningSeconds: number } | undefined>;
    const psnr = (label: string) => cellOf(result, label, "M = 40");
    const [learned, odl] = [records[ours], records.ODL];
    const batches = (label: string) => `with mini-batches of ${grouped(batchOf(result, label))}`;
    return [
      ...(learned === undefined
        ? []
        : [
            [
              `learning 6,272 atoms of 32×32 from two passes over 10 million patches (experiment 6), without setting up and tests, ${deviceOf(result)}`,
              `${learned.learningSeconds.toFixed(0)} s ${batches(ours)}`,
              `${odl === undefined ? "" : `${odl.learningSeconds.toFixed(0)} s ${batches("ODL")} (ODL; ${equalBatches}); `}in the paper 2 days (OSDL), 4.6 days (ODL)`,
            ],
          ]),
      [
        "PSNR of unseen 32×32 patches with 40 atoms",
        `${psnr(ours)} dB`,
        rivals(["wavelets", "cropped wavelets", "ODL"], psnr),
      ],
    ];
  });
}

/** `24.15 dB (wavelets), 27.1 dB (ODL)`: those that the table has. */
function rivals(
  labels: readonly string[],
  value: (label: string) => string | undefined,
  describe = (label: string) => label,
): string {
  return labels
    .flatMap((label) => (value(label) ? [`${value(label)} dB (${describe(label)})`] : []))
    .join(", ");
}

function faceRows(results: readonly StoredResult[]): string[][] {
  return find(results, "fig8").map((result) => {
    const psnr = (label: string) => cellOf(result, label, "M = 82");
    const learning = result.values.learning as Record<string, { examples: number } | undefined>;
    const others = result.table.rows.map(([label]) => label).filter((label) => label !== ours);
    const fewer = (label: string) => {
      const [count, most] = [learning[label], learning[ours]].map((record) => record?.examples ?? 0);
      return count > 0 && count < most ? `${label}, from ${grouped(count)} of ${grouped(most)} faces` : label;
    };
    return [
      `PSNR of unseen 64×64 faces with 82 of 4,096 coefficients (${cell(result.label)})`,
      `${psnr(ours)} dB`,
      rivals(others, psnr, fewer),
    ];
  });
}

function denoisingRows(results: readonly StoredResult[]): string[][] {
  return find(results, "fig7").flatMap(({ claims }) => {
    const measured = (id: string) => claims.find((claim) => claim.id === id)?.measured ?? "";
    const [mine, ksvd] = measured("larger-patches-over-ksvd").split(" and ");
    const [, others] = measured("osdl-cropped-best").split("; the best of the others ");
    if (!mine || !ksvd || !others) return [];
    const what = "denoising at σ = 30, mean over the pictures";
    return [[what, cell(mine), cell(`${others} (the best of the other three methods), ${ksvd} (K-SVD)`)]];
  });
}

function codecRows(all: readonly StoredMeasurements[]): string[][] {
  const found = all.find(({ file }) => file === "codec-faces.json");
  const tables = found?.measurements.parts.flatMap((part) => part.tables) ?? [];
  return tables.slice(0, 2).map(({ title, header, rows }) => {
    const column = header.indexOf("0.6");
    const value = (codec: string) => rows.find(([name]) => name === codec)?.[column];
    const others = ["AVIF", "WebP", "JPEG (mozjpeg)"].map((codec) =>
      value(codec) === "—" ? `no file (${codec})` : `${value(codec)} dB (${codec})`,
    );
    const what = title.startsWith("Whole") ? "headers included" : "headers not counted";
    return [
      `ten unseen 64×64 faces at 0.6 bits per pixel (307 bytes each), ${what}, with a dictionary of 17 MB on both sides`,
      `${value("trainlets")} dB`,
      others.join(", "),
    ];
  });
}

function pursuitRows(all: readonly StoredMeasurements[]): string[][] {
  const found = all.find(({ file }) => file === "peers-2core-epyc.json");
  const rows = found?.measurements.parts.flatMap((part) => part.tables).flatMap((one) => one.rows) ?? [];
  return [problems.small, problems.medium, problems.large].flatMap(({ name: size, sparsity }) => {
    const job = `OLS ${size}`; // what spams.omp computes
    const mine = rows.find(([name, by]) => name.startsWith(job) && by === "trainlets");
    const theirs = rows.find(([name, by]) => name.startsWith(job) && by === "spams.omp");
    if (!mine || !theirs) return [];
    const describe = ([, , , rate, rmse]: readonly string[]) =>
      `${grouped(Number(rate))} patches/s, RMSE ${Number(rmse).toFixed(2)}`;
    return [
      [
        `coding ${size} patches with ${sparsity} atoms each by orthogonal least squares, two cores`,
        describe(mine),
        `${describe(theirs)} (spams.omp)`,
      ],
    ];
  });
}
