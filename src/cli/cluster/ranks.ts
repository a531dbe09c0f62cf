/** What the ranks of a run know of each other from the start, and what must be the same on all of them. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, hostname } from "node:os";
import { InputError } from "../../core/errors.js";
import type { Rates } from "../../kernels/cluster/communicator.js";
import { version } from "../../model/version.js";
import type { MpiWorld } from "./mpi.js";

export interface Rank {
  readonly host: string;
  readonly version: string;
  /** A digest of the words of its command line. */
  readonly words: string;
  /** The cores that it may use, as a list, and how many they are. */
  readonly cores: string;
  readonly available: number;
  /** The cores of its machine. */
  readonly machine: number;
}

function describeRank(words: readonly string[]): Rank {
  return {
    host: hostname(),
    version,
    words: createHash("sha256").update(JSON.stringify(words)).digest("hex"),
    cores: allowedCores(),
    available: availableParallelism(),
    machine: cpus().length,
  };
}

/** The list of the kernel, on Linux; elsewhere all. */
function allowedCores(): string {
  try {
    return /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "all";
  } catch {
    return "all";
  }
}

/** A short text of every rank, on all ranks. */
export async function gatherTexts(world: MpiWorld, text: string): Promise<string[]> {
  const own = new TextEncoder().encode(text);
  const lengths = new Float64Array(world.size).fill(own.length);
  const places = Array.from({ length: world.size + 1 }, (_, rank) => rank * 8);
  await world.allGather(new Uint8Array(lengths.buffer), places);
  const starts = [0];
  for (const length of lengths) starts.push(starts[starts.length - 1] + length);
  const bytes = new Uint8Array(starts[world.size]);
  bytes.set(own, starts[world.rank]);
  await world.allGather(bytes, starts);
  return Array.from(lengths, (_, rank) =>
    new TextDecoder().decode(bytes.subarray(starts[rank], starts[rank + 1])),
  );
}

/** All ranks, which must run the same version with the same words. */
export async function introduce(world: MpiWorld, words: readonly string[]): Promise<Rank[]> {
  const texts = await gatherTexts(world, JSON.stringify(describeRank(words)));
  const ranks = texts.map((text): Rank => JSON.parse(text));
  for (const [rank, { host, version, words }] of ranks.entries()) {
    if (version !== ranks[0].version)
      throw new InputError(
        `rank ${rank} on ${host} has version ${version} of trainlets, rank 0 on ${ranks[0].host} has ${ranks[0].version}`,
      );
    if (words !== ranks[0].words)
      throw new InputError(`rank ${rank} on ${host} was started with other words than rank 0`);
  }
  return ranks;
}

/** Threads for a rank: the cores that it may use, divided by the ranks of its machine that may use the same ones. */
export function threadsOf(ranks: readonly Rank[], rank: number): number {
  const { host, cores, available } = ranks[rank];
  const sharing = ranks.filter((other) => other.host === host && other.cores === cores).length;
  return Math.max(1, Math.floor(available / sharing));
}

/** Whether some machine has more ranks than cores that they may use. */
export function areCrowded(ranks: readonly Rank[]): boolean {
  return ranks.some(({ host, cores, available }) => {
    return ranks.filter((other) => other.host === host && other.cores === cores).length > available;
  });
}

/** A warning if a launcher left cores of a machine idle; undefined if all are used. A queue may have given the others away. */
export function unusedCores(ranks: readonly Rank[], launcher: string): string | undefined {
  if (launcher === "srun") return undefined;
  for (const { host, machine } of ranks) {
    const here = ranks.flatMap((rank, i) => (rank.host === host ? threadsOf(ranks, i) : []));
    const used = here.reduce((sum, threads) => sum + threads, 0);
    if (used <= machine / 2)
      return `the launcher lets ${here.length} ranks use ${used} of the ${machine} cores of ${host}; with mpirun, --bind-to none lets them use all`;
  }
  return undefined;
}

/** Products per second of a thread: those of the gradient at 32×32 on cores of an EPYC 9004. */
const productsPerThread = 6e9;
/** Bytes of each rank in the exchanges that are timed, and how many there are. */
const trialBytes = 2 ** 23;
const trials = 3;

/** The rates of rank 0, on all ranks: the fastest of a few exchanges. */
export async function measureRates(world: MpiWorld, threads: number): Promise<Rates> {
  const starts = Array.from({ length: world.size + 1 }, (_, rank) => rank * trialBytes);
  const buffer = new Uint8Array(world.size * trialBytes);
  const seconds: number[] = [];
  for (let trial = 0; trial < trials; trial++) {
    const start = performance.now();
    await world.allGather(buffer, starts);
    seconds.push((performance.now() - start) / 1000);
  }
  const received = (world.size - 1) * trialBytes;
  const rates = Float64Array.of(received / Math.max(1e-6, Math.min(...seconds)), productsPerThread * threads);
  await world.broadcast(new Uint8Array(rates.buffer));
  return { bytes: rates[0], products: rates[1] };
}
