/**
 * The same jobs by trainlets, SPAMS and scikit-learn, taking turns in one run: same
 * patches, same dictionary, same number of threads, f32. Quality is printed beside time.
 */

import { pursuitNames } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { explicitAtoms } from "./explicitAtoms.js";
import { codeAll, trainEpoch } from "./jobs.js";
import { Peers, readDictionary, saveMatrix, trainingJob } from "./peerProcess.js";
import { problems } from "./problems.js";
import { makeDictionary, makePatches, type Options, readPictures } from "./setting.js";
import { digits, table } from "./table.js";

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
    const { files, test } = await trainingJob(problem, pictures, examples);
    const settings = { p: problem.sparsity, batch: 512, threads };
    const [ours, dense, theirs]: { seconds: number; rmse: number }[][] = [[], [], []];
    for (let turn = 0; turn < (quick ? 1 : turns); turn++) {
      await pause();
      ours.push(await trainEpoch(problem, pictures, examples, kernels));
      await pause();
      dense.push(await trainEpoch(problem, pictures, examples, kernels, "odl"));
      await pause();
      if (peers.has("spams")) theirs.push(await peers.run({ name: "spams.trainDL", ...files, ...settings }));
    }
    const best = fastest(ours);
    const rate = examples / best.seconds;
    rows.push([label, "OSDL", digits(best.seconds), digits(rate), best.rmse.toFixed(3), "", "", ""]);
    const odl = fastest(dense);
    const odlRate = examples / odl.seconds;
    rows.push([label, "ODL", digits(odl.seconds), digits(odlRate), odl.rmse.toFixed(3), "", "", ""]);
    if (theirs.length > 0) {
      const { rmse } = await codeAll(readDictionary(files.learned), test, problem.sparsity, kernels);
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
