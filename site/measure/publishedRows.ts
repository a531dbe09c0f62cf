/** Rates of the jobs on other machines, read from the files of bench/results. Nothing here is typed by hand. */

import type { MeasuredTable, Measurements } from "../../bench/measurements.js";

export interface PublishedRow {
  /** The name of a job. */
  readonly job: string;
  /** The program and where it computed. */
  readonly label: string;
  readonly patchesPerSecond: number;
  /** Whether trainlets was measured, and not another program. */
  readonly ours: boolean;
  /** The file in bench/results, without its ending. */
  readonly file: string;
}

/** The files that are read, without their ending. */
export const publishedFiles = ["peers-2core-epyc", "h200"] as const;

export function publishedRows(
  files: Readonly<Record<(typeof publishedFiles)[number], Measurements>>,
): PublishedRow[] {
  const peers = files["peers-2core-epyc"];
  const [coding, learning] = peers.parts[0].tables;
  const processor = peers.machine.split(";")[0];
  return [
    ...peerRows("code-12", coding, /^OMP 12×12,/, processor),
    ...peerRows("code-20", coding, /^OMP 20×20,/, processor),
    ...peerRows("learn-12", learning, /^one epoch, 12×12,/, processor),
    ...epochRows(files.h200),
    stepRow(files.h200),
  ];
}

/** Who is in the tables of `bench peers`, in the words of the page. ODL of ours is another method, and left out. */
const programs: Readonly<Record<string, string>> = {
  trainlets: "trainlets",
  OSDL: "trainlets",
  "spams.omp": "SPAMS",
  "spams.trainDL": "SPAMS (ODL)",
  orthogonal_mp_gram: "scikit-learn",
};

function peerRows(job: string, { header, rows }: MeasuredTable, which: RegExp, processor: string) {
  const rate = header.indexOf("patches/s");
  return rows
    .filter(([name, by]) => which.test(name) && programs[by] !== undefined)
    .map(
      (row): PublishedRow => ({
        job,
        label: `${programs[row[1]]}, ${processor}`,
        patchesPerSecond: Number(row[rate]),
        ours: programs[row[1]] === "trainlets",
        file: "peers-2core-epyc",
      }),
    );
}

/** One epoch of OSDL by `bench gpu`: the faster of its two turns on each device. */
function epochRows(h200: Measurements): PublishedRow[] {
  const table = h200.parts[0].tables.find(({ title }) => title.startsWith("One epoch of OSDL, 12×12,"));
  if (!table) throw new Error("h200.json: there is no epoch of OSDL");
  const examples = Number(/(\d+) examples/.exec(table.title)?.[1]);
  const [device, seconds] = ["device", "s"].map((name) => table.header.indexOf(name));
  const fastest = new Map<string, number>();
  for (const row of table.rows)
    fastest.set(row[device], Math.min(Number(row[seconds]), fastest.get(row[device]) ?? Infinity));
  const processor = h200.machine.split(",")[0];
  return [...fastest].map(([name, time]) => ({
    job: "learn-12",
    label: `trainlets, ${name}${name.startsWith("WebGPU") ? "" : ` of ${processor}`}`,
    patchesPerSecond: examples / time,
    ours: true,
    file: "h200",
  }));
}

/** A whole step at 32×32 by `bench gpu`. */
function stepRow({ parts: [{ lines }] }: Measurements): PublishedRow {
  const step = lines.findIndex(
    (line, i) => line.startsWith("A whole step of OSDL") && lines[i - 1].startsWith("32×32:"),
  );
  const micros = Number(/([\d.]+) µs per example/.exec(lines[step] ?? "")?.[1]);
  if (!(micros > 0)) throw new Error("h200.json: there is no step at 32×32");
  return {
    job: "learn-32",
    label: `trainlets, ${lines[0]}`,
    patchesPerSecond: 1e6 / micros,
    ours: true,
    file: "h200",
  };
}
