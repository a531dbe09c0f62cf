/** Other programs of the field in a Python process that takes jobs one at a time, and the files that jobs hand over. */

import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { DenseMatrix, SparseColumns } from "../src/core/matrix.js";
import type { Signal } from "../src/core/signal.js";
import { makeNpy, readNpy, writeNpy } from "../src/data/formats/npy.js";
import { createBase } from "../src/dictionaries/base.js";
import { Matrix64 } from "../src/linalg/matrix64.js";
import { explicitAtoms } from "./explicitAtoms.js";
import type { Problem } from "./problems.js";
import { type Dictionary, makeSplit, sizesOf } from "./setting.js";

const folder = ".cache/peers";

/** A Python process with the peers that could be installed; it runs one job at a time. */
export class Peers {
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

  async run(job: Record<string, unknown>): Promise<{ seconds: number; rmse: number }> {
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

/** The path of a matrix that was written, one column after the other. */
export function saveMatrix(name: string, matrix: DenseMatrix): string {
  const path = `${folder}/${name}.npy`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, writeNpy(makeNpy([matrix.cols, matrix.rows], matrix.data)));
  return path;
}

/** A training job: the files that a peer learns from, starts with and is tested on; how many examples; the test patches. */
export async function trainingJob(
  problem: Problem,
  pictures: readonly Signal[],
  examples: number,
  holdout?: number,
) {
  const { train, test } = await makeSplit(problem, pictures, examples, holdout);
  const files = {
    patches: saveMatrix(`train-${problem.patch[0]}`, train),
    test: saveMatrix(`test-${problem.patch[0]}`, test),
    dictionary: saveMatrix(`start-${problem.patch[0]}`, await startingAtoms(problem, train)),
    learned: `${folder}/learned-${problem.patch[0]}.npy`,
  };
  return { files, examples: train.cols, test };
}

/** The cropped wavelets; where there are to be more atoms, examples of length one after them. */
async function startingAtoms(problem: Problem, train: DenseMatrix): Promise<DenseMatrix> {
  const base = await explicitAtoms({ base: createBase("cropped:sym8", problem.patch) });
  const D = new DenseMatrix(base.rows, sizesOf(problem).m);
  D.data.set(base.data);
  for (let j = base.cols; j < D.cols; j++) {
    const example = train.column((j - base.cols) % train.cols);
    const norm = Math.hypot(...example) || 1;
    D.column(j).set(example.map((value) => value / norm));
  }
  return D;
}

/** An explicit dictionary from a file, as a base with the identity on top. */
export function readDictionary(path: string): Dictionary {
  const { shape, data } = readNpy(readFileSync(path), path);
  const [m, n] = shape as [number, number];
  const factors = [new Matrix64(n, m, Float64Array.from(data as Float32Array))];
  return { base: { name: "explicit", shape: [n], factors }, A: SparseColumns.identity(m, 1) };
}
