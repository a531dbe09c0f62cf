/** PyPI's `orthogonal-matching-pursuit-gpu` beside ours: the same Gaussian data, from the host and back to it. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DenseMatrix } from "../src/core/matrix.js";
import { Rng } from "../src/core/random/rng.js";
import { makeNpy, writeNpy } from "../src/data/formats/npy.js";
import { ExplicitDictionary, unitColumns } from "../src/dictionaries/dictionary.js";
import type { Kernels } from "../src/kernels/contract.js";
import { Model } from "../src/model/model.js";
import { Encoder } from "../src/pursuit/encoder.js";
import type { Options } from "./setting.js";
import { digits, table } from "./table.js";

interface Job {
  readonly n: number;
  readonly m: number;
  readonly p: number;
  readonly N: number;
}

const jobs: readonly Job[] = [
  { n: 256, m: 1024, p: 32, N: 5000 },
  { n: 512, m: 2048, p: 64, N: 5000 },
  { n: 8064, m: 1207, p: 30, N: 1200 },
];
const quickJobs: readonly Job[] = [{ n: 64, m: 100, p: 9, N: 20 }];
const turns = 9;

interface Data {
  readonly D: DenseMatrix;
  readonly Y: DenseMatrix;
}

interface Outcome {
  readonly seconds: number;
  /** ‖Y − DX‖_F / ‖Y‖_F. */
  readonly error: number;
  /** The parts of our own runs, in words. */
  readonly laps?: string;
}

export async function benchRival(kernels: Kernels, { quick, rival }: Options): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "trainlets-bench-"));
  try {
    const rows: string[][] = [];
    const notes: string[] = [];
    const files: object[] = [];
    for (const [i, job] of (quick ? quickJobs : jobs).entries()) {
      const data = makeData(job);
      const [ours, model] = [await codeOnDevice(data, job, kernels), await codeByModel(data, job, kernels)];
      rows.push([nameOf(job), ...cells(ours), ...cells(model)]);
      notes.push(`${nameOf(job)}, ms on the host: encoder: ${ours.laps}; Model: ${model.laps}.`);
      files.push(save(folder, i, data, job));
    }
    const theirs = runRival(files, rival);
    if (typeof theirs !== "string")
      theirs.outcomes.forEach((outcome, i) => {
        rows[i].push(...cells(outcome));
      });
    const head = ["OMP", "encoder ms", "relative error", "Model.encode ms", "relative error"];
    const more = typeof theirs === "string" ? [] : ["rival ms", "relative error"];
    const note = typeof theirs === "string" ? theirs : theirs.versions;
    return [
      "OMP of Gaussian signals over an explicit Gaussian dictionary, f32, from arrays on the host to codes on the host, the Gram matrix included:\n",
      `${table([...head, ...more], rows)}\n`,
      `${notes.join("\n")}\n`,
      `The rival is PyPI's orthogonal-matching-pursuit-gpu: ${note}\n`,
    ].join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function nameOf({ n, m, p, N }: Job): string {
  return `${n}×${m}, p=${p}, ${N} signals`;
}

function cells({ seconds, error }: Outcome): string[] {
  return [digits(seconds * 1e3), error.toFixed(6)];
}

function makeData({ n, m, N }: Job): Data {
  const rng = Rng.from(1);
  const gaussian = (rows: number, cols: number) => DenseMatrix.build(rows, cols, () => rng.normal());
  return { D: unitColumns(gaussian(n, m)), Y: gaussian(n, N) };
}

function save(folder: string, i: number, { D, Y }: Data, { p }: Job): object {
  const put = (name: string, matrix: DenseMatrix) => {
    const path = join(folder, `${name}${i}.npy`);
    writeFileSync(path, writeNpy(makeNpy([matrix.cols, matrix.rows], matrix.data)));
    return path;
  };
  return { atoms: put("atoms", D), signals: put("signals", Y), p, turns };
}

/** Everything from the upload of D to the codes on the host. */
async function codeOnDevice({ D, Y }: Data, { p, N }: Job, kernels: Kernels): Promise<Outcome> {
  const run = async (
    lap: (name: string) => void,
    use: (encoder: Encoder, y: ReturnType<Kernels["matrix"]>) => Promise<void>,
  ) => {
    const dictionary = await ExplicitDictionary.create([D.rows], D, kernels);
    lap("write D"); // its Gram matrix is computed while Y is copied
    const y = kernels.matrix(Y.rows, N);
    await kernels.writeMatrix(y, Y);
    lap("write Y");
    const encoder = new Encoder(dictionary, { sparsity: p, residualEnergy: 0 }, N, kernels);
    await use(encoder, y);
    lap("code and read");
    encoder.free();
    dictionary.free();
    kernels.free(y);
    lap("free");
  };
  const fastest = await fastestLaps((lap) =>
    run(lap, async (encoder, y) => {
      await kernels.readSparse(await encoder.encode(y));
    }),
  );
  let energy = 0;
  await run(
    () => {},
    async (encoder, y) => {
      await encoder.residual(y, await encoder.encode(y), y);
      const rest = kernels.matrix(1, 1);
      await kernels.addSquaredNorm(y, rest, 0);
      energy = (await kernels.readMatrix(rest)).data[0];
      kernels.free(rest);
    },
  );
  return { ...fastest, error: Math.sqrt(energy) / norm(Y) };
}

/** The same as a user of models has it. */
async function codeByModel({ D, Y }: Data, { p }: Job, kernels: Kernels): Promise<Outcome> {
  const model = Model.from(D, [D.rows], { coding: { sparsity: p }, removeMean: false });
  const fastest = await fastestLaps(async (lap) => {
    const coder = await model.open(kernels);
    lap("open");
    await coder.encode(Y);
    lap("encode");
    await coder.close();
    lap("close");
  });
  const { X } = await model.encode(Y, undefined, kernels);
  const rest = Y.copy();
  for (let j = 0; j < X.cols; j++)
    for (let t = j * X.width; t < j * X.width + X.counts[j]; t++) {
      const [atom, column] = [D.column(X.indices[t]), rest.column(j)];
      for (let r = 0; r < column.length; r++) column[r] -= X.values[t] * atom[r];
    }
  return { ...fastest, error: norm(rest) / norm(Y) };
}

/** The fastest of some runs, after one that is not counted, and the milliseconds of its parts on the host. */
async function fastestLaps(
  work: (lap: (name: string) => void) => Promise<void>,
): Promise<Pick<Outcome, "seconds" | "laps">> {
  let best = { seconds: Infinity, laps: "" };
  for (let turn = 0; turn <= turns; turn++) {
    const laps: string[] = [];
    const start = performance.now();
    let last = start;
    await work((name) => {
      laps.push(`${name} ${digits(performance.now() - last)}`);
      last = performance.now();
    });
    const seconds = (performance.now() - start) / 1000;
    if (turn > 0 && seconds < best.seconds) best = { seconds, laps: laps.join(", ") };
  }
  return best;
}

function norm({ data }: DenseMatrix): number {
  let energy = 0;
  for (const value of data) energy += value * value;
  return Math.sqrt(energy);
}

function runRival(
  files: readonly object[],
  folder: string | undefined,
): string | { readonly outcomes: readonly Outcome[]; readonly versions: string } {
  const script = join(import.meta.dirname, "../../bench/rivalOmp.py");
  const { stdout, stderr, status } = spawnSync("python3", [script, folder ?? ""], {
    encoding: "utf8",
    input: files.map((file) => `${JSON.stringify(file)}\n`).join(""),
  });
  if (status !== 0) return `missing (${stderr?.trim().split("\n").at(-1) || "python3 does not run"})`;
  const [versions, ...outcomes] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { outcomes, versions: `version ${versions.package} on torch ${versions.torch}` };
}
