/**
 * Steps of OSDL on ranks of one machine, and what more ranks of a cluster could gain. The bench starts itself again under
 * mpirun (of Open MPI); each rank has one thread.
 */

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { launchedAmongSeveral } from "../src/cli/cluster/joined.js";
import { ClusterSession } from "../src/cli/cluster/session.js";
import { lineChart } from "../src/figures/charts/lineChart.js";
import type { Kernels } from "../src/kernels/contract.js";
import { createCpuKernels } from "../src/kernels/cpu/index.js";
import { train } from "../src/learn/run/train.js";
import { byAtoms, byExamples, networks, type StepProfile, stepSeconds } from "./clusterModel.js";
import { Peers, trainingJob } from "./peerProcess.js";
import { type Problem, problems } from "./problems.js";
import { type Options, readPictures, sizesOf } from "./setting.js";
import { digits, table } from "./table.js";

/** What is measured: a problem, its batch, and the steps of an epoch. */
interface Job {
  readonly problem: keyof typeof problems;
  readonly batch: number;
  readonly steps: number;
  /** Whether what is expected of it is drawn. */
  readonly drawn?: true;
}

const jobs: readonly Job[] = [
  { problem: "small", batch: 512, steps: 40 },
  { problem: "large", batch: 512, steps: 6 },
  { problem: "large", batch: 4096, steps: 3, drawn: true },
  { problem: "huge", batch: 512, steps: 2 },
];

interface Measured {
  /** Seconds of the fastest step and of all of an epoch. */
  readonly step: number;
  readonly epoch: number;
  /** Per step: bytes that rank 0 received, seconds it spent in calls of MPI, and the number of calls. */
  readonly bytes: number;
  readonly waited: number;
  readonly profile: StepProfile;
}

/** The programs take turns; the fastest of each counts. */
const turns = 2;

/** The variable with the job of the bench that a process is to do, and the number of its threads. */
const variable = "TRAINLETS_BENCH_CLUSTER";

export async function benchCluster(options: Options): Promise<string> {
  const asked = process.env[variable];
  if (asked) return JSON.stringify(await measure(JSON.parse(asked), options));
  const launcher = ["mpirun.openmpi", "mpirun"].find((name) => spawnSync(name, ["--version"]).status === 0);
  if (!launcher) return "No launcher of MPI was found (mpirun).";
  const chosen = options.quick ? jobs.slice(0, 2) : jobs;
  const parts: string[] = [];
  for (const job of chosen) parts.push(await benchJob(job, launcher, options));
  return parts.join("\n\n");
}

const settings = [
  { ranks: 1, threads: 1 },
  { ranks: 2, threads: 1 },
  { ranks: 4, threads: 1 },
  { ranks: 1, threads: 2 },
] as const;

async function benchJob(job: Job, launcher: string, options: Options): Promise<string> {
  const results: Measured[] = [];
  for (let turn = 0; turn < turns; turn++)
    settings.forEach((setting, i) => {
      const result = start(job, setting, launcher);
      if (!(results[i]?.step <= result.step)) results[i] = result;
    });
  const [alone, two] = results;
  const problem: Problem = problems[job.problem];
  const theirs = await spamsEpochs(job, options);
  const title = `${problem.name}, batches of ${job.batch}`;
  const measured = table(
    [
      "ranks × threads",
      "step, ms",
      "epoch, s",
      "faster than SPAMS by",
      "speed-up of a step",
      "MB received per step",
      "s in MPI per step",
    ],
    results.map(({ step, epoch, bytes, waited }, i) => [
      `${settings[i].ranks} × ${settings[i].threads}`,
      digits(step * 1e3),
      digits(epoch),
      theirs.has(settings[i].ranks * settings[i].threads)
        ? `${digits(theirs.get(settings[i].ranks * settings[i].threads)! / epoch)}×`
        : "—",
      `${(alone.step / step).toFixed(2)}×`,
      settings[i].ranks === 1 ? "—" : digits(bytes / 1e6),
      settings[i].ranks === 1 ? "—" : digits(waited),
    ]),
  );
  const peers = table(
    ["spams.trainDL", "epoch, s", "speed-up"],
    [...theirs].map(([threads, seconds]) => [
      `${threads} ${threads === 1 ? "thread" : "threads"}`,
      digits(seconds),
      `${(theirs.get(1)! / seconds).toFixed(2)}×`,
    ]),
  );
  const sizes = { ...sizesOf(problem), N: job.batch };
  const counts = [2, 4, 8, 16, 64, 256];
  const profile = { ...alone.profile, calls: two.profile.calls };
  const expected = networks.map((network) => ({
    network,
    gains: counts.map(
      (ranks) => stepSeconds(profile, sizes, 1, network) / stepSeconds(profile, sizes, ranks, network),
    ),
  }));
  const simulated = table(
    ["speed-up with ranks", ...counts.map(String)],
    expected.map(({ network, gains }) => [network.name, ...gains.map((gain) => `${digits(gain)}×`)]),
  );
  const { save } = options;
  if (save && job.drawn) writeFileSync(`bench/results/${save}.svg`, chart(title, counts, expected));
  return [
    `${title}, an epoch of ${job.steps} steps, ranks on this machine:`,
    measured,
    ...(theirs.size > 0 ? ["The same epoch of ODL by SPAMS, with threads instead of ranks:", peers] : []),
    `${title}, expected on machines of a network, one thread per rank: simulated from the operations of one rank, not measured.`,
    simulated,
  ].join("\n\n");
}

/** Seconds of an epoch of as many steps by `spams.trainDL`, by its threads; empty if SPAMS is missing. */
async function spamsEpochs(
  { problem, batch, steps }: Job,
  { images }: Options,
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  const {
    files: { test: _, ...files },
  } = await trainingJob(problems[problem], await readPictures(images), batch * steps);
  const job = { name: "spams.trainDL", ...files, p: problems[problem].sparsity, batch };
  for (const threads of new Set(settings.map(({ ranks, threads }) => ranks * threads))) {
    const peers = await Peers.open(threads);
    if (peers?.has("spams")) found.set(threads, (await peers.run({ ...job, threads })).seconds);
    peers?.close();
  }
  return found;
}

function chart(
  title: string,
  counts: readonly number[],
  expected: readonly { readonly network: { readonly name: string }; readonly gains: readonly number[] }[],
): string {
  return lineChart({
    title: `Expected speed-up of a step of OSDL, ${title} (simulated)`,
    x: { label: "ranks, one per machine", log: true },
    y: { label: "speed-up", log: true },
    series: expected.map(({ network, gains }) => ({
      label: network.name,
      points: [{ x: 1, y: 1 }, ...gains.map((y, i) => ({ x: counts[i], y }))],
    })),
  });
}

/** Start this program on ranks, for one job. Ranks that have a core each are tied to it. */
function start(
  job: Job,
  { ranks, threads }: { readonly ranks: number; readonly threads: number },
  launcher: string,
): Measured {
  const program = [...process.execArgv, process.argv[1], "cluster"];
  const bind = ranks <= cpus().length ? "core" : "none";
  const [command, words] =
    ranks === 1
      ? [process.execPath, program]
      : [launcher, ["--bind-to", bind, "--oversubscribe", "-n", String(ranks), process.execPath, ...program]];
  const root = { OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" };
  const env = { ...process.env, ...root, [variable]: JSON.stringify({ ...job, threads }) };
  const { stdout, stderr } = spawnSync(command, words, { env, encoding: "utf8", maxBuffer: 2 ** 26 });
  const line = stdout.split(/\r?\n/).find((text) => text.startsWith('{"step"'));
  if (!line) throw new Error(`${command} failed: ${stderr.slice(-500)}`);
  return JSON.parse(line);
}

/** The measurement itself: on rank 0, or on the only process. */
async function measure(
  job: Job & { readonly threads: number },
  { images }: Options,
): Promise<Measured | null> {
  const launched = launchedAmongSeveral();
  const session = launched && (await ClusterSession.join(process.env, launched, []));
  if (session && !session.isLeader) {
    await session.follow();
    await session.end(0);
    return null;
  }
  const local = await createCpuKernels({ threads: job.threads });
  const kernels = session ? await session.lead(local, job.threads) : local;
  const clock = new StepClock(kernels, session);
  const { patch, sparsity, atomSparsity, redundancy } = problems[job.problem];
  const { batch, steps } = job;
  const shape = { patch, atomSparsity, redundancy, coding: { sparsity } };
  const run = train(await readPictures(images), {
    ...{ ...shape, batch, examples: batch * (steps + 1), epochs: 1, holdout: 0, atomCare: false },
    kernels: clock.kernels,
  });
  await run.model();
  await kernels.close();
  await session?.end(0);
  return clock.result();
}

/** Times the operations of steps after the first one. Every step ends with a new Gram matrix. */
class StepClock {
  readonly kernels: Kernels;
  readonly #traffic: () => { readonly bytes: number; readonly seconds: number; readonly calls: number };
  #seconds: Record<string, number> = {};
  #moves = 0;
  #start = 0;
  #before = { bytes: 0, seconds: 0, calls: 0 };
  #after = { bytes: 0, seconds: 0, calls: 0 };
  readonly #ends: number[] = [];

  constructor(kernels: Kernels, session: ClusterSession | undefined) {
    this.#traffic = () => ({ ...(session?.world.traffic ?? this.#before) });
    const timed = Object.entries(kernels).map(([name, value]) => {
      if (
        typeof value !== "function" ||
        !/^(?!matrix|sparse|set|base|signals|head|free|workspace|close)/.test(name)
      )
        return [name, value];
      return [
        name,
        (...args: unknown[]) => this.#time(name, () => (value as (...args: unknown[]) => unknown)(...args)),
      ];
    });
    this.kernels = Object.defineProperty(Object.fromEntries(timed), "memory", { get: () => kernels.memory });
  }

  async #time(name: string, work: () => unknown): Promise<unknown> {
    const start = performance.now();
    const result = await work();
    const end = performance.now();
    this.#seconds[name] = (this.#seconds[name] ?? 0) + (end - start) / 1000;
    if (name === "moveAtoms") this.#moves++;
    if (name === "refreshGram" && this.#moves > 0) this.#stepEnded(end);
    return result;
  }

  #stepEnded(end: number): void {
    if (this.#moves === 1) {
      this.#seconds = {};
      this.#start = end;
      this.#before = this.#traffic();
    } else this.#ends.push(end);
    this.#after = this.#traffic();
  }

  result(): Measured {
    const steps = this.#ends.length;
    const laps = this.#ends.map((end, i) => (end - (this.#ends[i - 1] ?? this.#start)) / 1000);
    const of = (...names: readonly string[]) =>
      names.reduce((sum, name) => sum + (this.#seconds[name] ?? 0) / steps, 0);
    const epoch = (this.#ends[steps - 1] - this.#start) / 1000;
    const [examples, atoms, gradient] = [of(...byExamples), of(...byAtoms), of("gradient")];
    const rest = Math.max(0, epoch / steps - examples - atoms - gradient);
    const per = (key: "bytes" | "seconds" | "calls") => (this.#after[key] - this.#before[key]) / steps;
    return {
      ...{ step: Math.min(...laps), epoch, bytes: per("bytes"), waited: per("seconds") },
      profile: { examples, atoms, gradient, rest, calls: per("calls") },
    };
  }
}
