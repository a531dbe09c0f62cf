/**
 * The same jobs by trainlets, SPAMS and scikit-learn, taking turns in one run: same
 * patches, same dictionary, same number of threads, f32. Quality is printed beside time.
 */

import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { type DenseMatrix, SparseColumns } from "../src/core/matrix.js";
import type { Signal } from "../src/core/signal.js";
import { makeNpy, readNpy, writeNpy } from "../src/data/formats/npy.js";
import { createBase } from "../src/dictionaries/base.js";
import { pursuitNames } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { Matrix64 } from "../src/linalg/matrix64.js";
import { explicitAtoms } from "./explicitAtoms.js";
import { codeAll, trainEpoch } from "./jobs.js";
import {
  type Dictionary,
  makeDictionary,
  makePatches,
  makeSplit,
  type Options,
  type Problem,
  problems,
  readPictures,
} from "./setting.js";
import { digits, table } from "./table.js";

const folder = ".cache/peers";

/** A Python process with the peers that could be installed; it runs one job at a time. */
class Peers {
  readonly versions: Record<string, string>;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  private constructor(
    child: ChildProcessByStdio<Writable, Readable, null>,
    lines: AsyncIterator<string>,
    versions: Record<string, string>,
  ) {
    this.#child = child;
    this.#lines = lines;
    this.versions = versions;
  }

  static async open(threads: number): Promise<Peers | undefined> {
    const python = preparePython();
    if (!python) return undefined;
    const env = { ...process.env };
    for (const name of ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"])
      env[name] = String(threads);
    const child = spawn(python, ["bench/peers.py"], { stdio: ["pipe", "pipe", "inherit"], env });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return new Peers(child, lines, JSON.parse((await lines.next()).value));
  }

  has(peer: string): boolean {
    return peer in this.versions;
  }

  async run(job: Record<string, unknown>): Promise<{ seconds: number; rmse: number; gram?: number }> {
    this.#child.stdin.write(`${JSON.stringify(job)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`peers: Python ended during ${job.name}`);
    return JSON.parse(value);
  }

  close(): void {
    this.#child.stdin.end();
  }
}

/** A separate Python environment; peers that cannot be installed are left out. */
export function preparePython(): string | undefined {
  const python = `${folder}/env/bin/python`;
  const quiet = { stdio: "ignore" } as const;
  if (!existsSync(python)) {
    mkdirSync(folder, { recursive: true });
    if (spawnSync("python3", ["-m", "venv", `${folder}/env`], quiet).status !== 0) return undefined;
  }
  const has = (module: string) => spawnSync(python, ["-c", `import ${module}`], quiet).status === 0;
  const install = (name: string) =>
    spawnSync(python, ["-m", "pip", "install", "-q", name], quiet).status === 0;
  if (!has("numpy") && !install("numpy")) return undefined;
  if (!has("scipy")) install("scipy");
  if (!has("sklearn")) install("scikit-learn");
  if (!has("spams") && !(install("spams-bin") && has("spams"))) install("spams");
  return python;
}

export function saveMatrix(name: string, matrix: DenseMatrix): string {
  const path = `${folder}/${name}.npy`;
  writeFileSync(path, writeNpy(makeNpy([matrix.cols, matrix.rows], matrix.data)));
  return path;
}

export async function benchPeers(options: Options): Promise<string> {
  const peers = await Peers.open(options.threads);
  if (!peers) return "peers: no Python environment with numpy could be made; nothing to compare with\n";
  const missing = ["spams", "scikit-learn"].filter((name) => !peers.has(name));
  const found = Object.entries(peers.versions).map(([name, version]) => `${name} ${version}`);
  const parts = [
    `Peers: ${found.join(", ")}${missing.length > 0 ? `; missing: ${missing.join(", ")}` : ""}.\n`,
  ];
  parts.push(await codingTable(peers, options), await trainingTable(peers, options));
  peers.close();
  return parts.join("\n");
}

/** Coding of many patches over one dictionary, including the Gram matrix. `spams.omp` is orthogonal least squares. */
async function codingTable(peers: Peers, options: Options): Promise<string> {
  const { threads, quick } = options;
  const pictures = await readPictures(options.images);
  const rows: string[][] = [];
  for (const [problem, count, few] of [
    [problems.small, 50_000, 2000],
    [problems.medium, 20_000, 200],
    [problems.large, 10_000, 16],
  ] as const) {
    const dictionary = await makeDictionary(problem, pictures);
    const patches = await makePatches(problem, pictures, quick ? Math.ceil(count / 10) : count);
    const job = {
      patches: saveMatrix(`patches-${problem.patch[0]}`, patches),
      dictionary: saveMatrix(`dictionary-${problem.patch[0]}`, await explicitAtoms(dictionary)),
      p: problem.sparsity,
      threads,
    };
    const kernels = await createCpuKernels({ threads });
    const sample = patches.slice(0, Math.min(2048, patches.cols));
    for (const pursuit of pursuitNames) await codeAll(dictionary, sample, problem.sparsity, kernels, pursuit); // warm up the JIT compiler
    const [ours, ols, theirs]: { seconds: number; rmse: number }[][] = [[], [], []];
    for (let turn = 0; turn < (quick ? 1 : 3); turn++) {
      await pause(); // threads of the peer may still be busy
      ours.push(await codeAll(dictionary, patches, problem.sparsity, kernels));
      ols.push(await codeAll(dictionary, patches, problem.sparsity, kernels, "ols"));
      await pause();
      if (peers.has("spams")) theirs.push(await peers.run({ name: "spams.omp", ...job }));
    }
    await kernels.close();
    const best = fastest(ours);
    const rate = patches.cols / best.seconds;
    const [label, olsLabel] = ["OMP", "OLS"].map(
      (name) => `${name} ${problem.name}, ${patches.cols} patches`,
    );
    const bestOls = fastest(ols);
    const olsRate = patches.cols / bestOls.seconds;
    rows.push([olsLabel, "trainlets", digits(bestOls.seconds), digits(olsRate), bestOls.rmse.toFixed(4), ""]);
    if (theirs.length > 0) rows.push(peerRow(olsLabel, "spams.omp", patches.cols, fastest(theirs), olsRate));
    rows.push([label, "trainlets", digits(best.seconds), digits(rate), best.rmse.toFixed(4), ""]);
    if (theirs.length > 0) rows.push(peerRow(label, "spams.omp", patches.cols, fastest(theirs), rate));
    if (peers.has("scikit-learn")) {
      const slow = await peers.run({ name: "sklearn.omp", count: few, ...job });
      rows.push(peerRow(`${label} (${few} of them)`, "orthogonal_mp_gram", few, slow, rate));
    }
  }
  return `${table(["job", "by", "s", "patches/s", "RMSE", "trainlets is faster by"], rows)}\n`;
}

/**
 * One epoch of learning from the same patches, with the same test patches: OSDL, and ODL, the method of SPAMS.
 * (SPAMS starts from the cropped wavelets, our ODL from examples, its default.) SPAMS codes by forward selection
 * (ORMP), which is slightly better and slower than OMP. Its dictionary is therefore tested twice, with its own
 * coder and with the OMP that tests ours.
 */
async function trainingTable(peers: Peers, options: Options): Promise<string> {
  const { threads, quick } = options;
  const pictures = await readPictures(options.images);
  const rows: string[][] = [];
  for (const [problem, count, turns] of [
    [problems.small, 200_000, 5],
    [problems.lena32, 100_000, 1], // minutes per turn
  ] as const) {
    const examples = quick ? Math.ceil(count / 20) : count;
    const label = `one epoch, ${problem.name}, ${examples} patches`;
    const kernels = await createCpuKernels({ threads });
    await trainEpoch(problem, pictures, Math.min(examples, 4096), kernels); // warm up the JIT compiler
    const job = await trainingJob(problem, pictures, examples);
    const settings = { p: problem.sparsity, batch: 512, threads };
    const [ours, dense, theirs]: { seconds: number; rmse: number }[][] = [[], [], []];
    for (let turn = 0; turn < (quick ? 1 : turns); turn++) {
      await pause();
      ours.push(await trainEpoch(problem, pictures, examples, kernels));
      await pause();
      dense.push(await trainEpoch(problem, pictures, examples, kernels, "odl"));
      await pause();
      if (peers.has("spams")) theirs.push(await peers.run({ name: "spams.trainDL", ...job, ...settings }));
    }
    const best = fastest(ours);
    const rate = examples / best.seconds;
    rows.push([label, "OSDL", digits(best.seconds), digits(rate), best.rmse.toFixed(3), "", "", ""]);
    const odl = fastest(dense);
    const odlRate = examples / odl.seconds;
    rows.push([label, "ODL", digits(odl.seconds), digits(odlRate), odl.rmse.toFixed(3), "", "", ""]);
    if (theirs.length > 0) {
      const { test } = await makeSplit(problem, pictures, examples);
      const { rmse } = await codeAll(readDictionary(job.learned), test, problem.sparsity, kernels);
      const theirBest = fastest(theirs);
      const [by, name, seconds, patches, own, osdlGain] = peerRow(
        ...([label, "spams.trainDL", examples, theirBest, rate] as const),
      );
      const odlGain = peerRow(label, "spams.trainDL", examples, theirBest, odlRate)[5];
      rows.push([by, name, seconds, patches, rmse.toFixed(3), own, osdlGain, odlGain]);
    }
    await kernels.close();
  }
  const header = [
    "job",
    "by",
    "s",
    "patches/s",
    "test RMSE (OMP)",
    "with its own coder",
    "OSDL is faster by",
    "ODL is faster by",
  ];
  return `${table(header, rows)}\n`;
}

/** The files of a training job: what a peer learns from, starts with and is tested on. */
async function trainingJob(problem: Problem, pictures: readonly Signal[], examples: number) {
  const base = createBase("cropped:sym8", problem.patch);
  const { train, test } = await makeSplit(problem, pictures, examples);
  return {
    patches: saveMatrix(`train-${problem.patch[0]}`, train),
    test: saveMatrix(`test-${problem.patch[0]}`, test),
    dictionary: saveMatrix(`start-${problem.patch[0]}`, await explicitAtoms({ base })),
    learned: `${folder}/learned-${problem.patch[0]}.npy`,
  };
}

/** An explicit dictionary from a file, as a base with the identity on top. */
function readDictionary(path: string): Dictionary {
  const { shape, data } = readNpy(readFileSync(path), path);
  const [m, n] = shape as [number, number];
  const factors = [new Matrix64(n, m, Float64Array.from(data as Float32Array))];
  return { base: { name: "explicit", shape: [n], factors }, A: SparseColumns.identity(m, 1) };
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 500));
}

function fastest<T extends { seconds: number }>(turns: readonly T[]): T {
  return turns.reduce((best, turn) => (turn.seconds < best.seconds ? turn : best));
}

function peerRow(
  label: string,
  by: string,
  count: number,
  result: { seconds: number; rmse: number },
  ours: number,
): string[] {
  const rate = count / result.seconds;
  return [label, by, digits(result.seconds), digits(rate), result.rmse.toFixed(4), `${digits(ours / rate)}×`];
}
