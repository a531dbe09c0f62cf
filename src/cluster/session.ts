/**
 * The ranks of a run from start to end. Rank 0 runs the program; the others wait for it to compute something, take part,
 * and end with it.
 */

import { availableParallelism, hostname } from "node:os";
import { InputError } from "../core/errors.js";
import { chooseKernels, type DeviceName } from "../kernels/chooseDevice.js";
import type { Rates } from "../kernels/cluster/communicator.js";
import { followKernels } from "../kernels/cluster/follower.js";
import { leadKernels } from "../kernels/cluster/leader.js";
import type { Kernels } from "../kernels/contract.js";
import { version } from "../model/version.js";
import { findLauncher } from "./launcher.js";
import { type MpiWorld, openMpi } from "./mpi.js";

/** What rank 0 wants next, and with which kernels. */
interface Order {
  readonly compute?: { readonly device: DeviceName; readonly threads?: number };
}

/** What ranks tell each other at the start. */
interface Rank {
  readonly host: string;
  readonly version: string;
}

/** Bytes of an order, and of what a rank says of itself. */
const orderBytes = 256;
const rankBytes = 512;

export class ClusterSession {
  readonly world: MpiWorld;
  readonly ranks: readonly Rank[];

  private constructor(world: MpiWorld, ranks: readonly Rank[]) {
    this.world = world;
    this.ranks = ranks;
  }

  /** Undefined for a process that was started by itself, or as the only one. */
  static async join(env: Readonly<Record<string, string | undefined>>): Promise<ClusterSession | undefined> {
    const launched = findLauncher(env);
    if (!launched || launched.size < 2) return undefined;
    const world = await openMpi(env);
    if (world.size !== launched.size)
      throw new InputError(
        `the library of MPI is not that of the launcher: ${launched.launcher} started ${launched.size} ranks, ${world.library} has ${world.size}`,
      );
    const session = new ClusterSession(world, await introduce(world));
    world.rates = await measureRates(world, session.threads);
    return session;
  }

  get isLeader(): boolean {
    return this.world.rank === 0;
  }

  /** Threads of this rank, if the ranks of its machine share the cores. */
  get threads(): number {
    const here = this.ranks.filter(({ host }) => host === this.ranks[this.world.rank].host).length;
    return Math.max(1, Math.floor(availableParallelism() / here));
  }

  /** Kernels of all ranks, over `local` on rank 0 and over the same kind on the others. */
  async lead(local: Kernels, threads?: number): Promise<Kernels> {
    await this.#send({ compute: { device: local.name, ...(threads === undefined ? {} : { threads }) } });
    return leadKernels(local, this.world);
  }

  /** Take part until rank 0 ends. */
  async follow(): Promise<void> {
    for (;;) {
      const { compute } = await this.#receive();
      if (!compute) return;
      const { device, threads = this.threads } = compute;
      const { kernels } = await chooseKernels(device, device === "cpu" ? { threads } : {});
      await followKernels(kernels, this.world);
    }
  }

  /** Rank 0 has nothing more to compute. */
  async end(): Promise<void> {
    if (this.isLeader) await this.#send({});
    this.world.finalize();
  }

  async #send(order: Order): Promise<void> {
    await this.world.broadcast(packText(JSON.stringify(order), orderBytes));
  }

  async #receive(): Promise<Order> {
    const bytes = new Uint8Array(orderBytes);
    await this.world.broadcast(bytes);
    return JSON.parse(unpackText(bytes));
  }
}

/** What every rank says of itself; all must be of one version. */
async function introduce(world: MpiWorld): Promise<Rank[]> {
  const own: Rank = { host: hostname(), version };
  const bytes = new Uint8Array(rankBytes * world.size);
  bytes.set(packText(JSON.stringify(own), rankBytes), world.rank * rankBytes);
  await world.allGather(
    bytes,
    Array.from({ length: world.size + 1 }, (_, rank) => rank * rankBytes),
  );
  const ranks = Array.from(
    { length: world.size },
    (_, rank): Rank => JSON.parse(unpackText(bytes.subarray(rank * rankBytes, (rank + 1) * rankBytes))),
  );
  const other = ranks.findIndex((rank) => rank.version !== ranks[0].version);
  if (other >= 0)
    throw new InputError(
      `rank ${other} on ${ranks[other].host} has version ${ranks[other].version}, rank 0 has ${ranks[0].version}`,
    );
  return ranks;
}

/** Products per second of a thread, measured on cores of an EPYC 9004 with the gradient at 32×32. */
const productsPerThread = 6e9;
/** Bytes of each rank in the exchanges that are timed, and how many there are. */
const trialBytes = 2 ** 23;
const trials = 3;

/** The rates of rank 0, on all ranks: the fastest of a few exchanges. */
async function measureRates(world: MpiWorld, threads: number): Promise<Rates> {
  const starts = Array.from({ length: world.size + 1 }, (_, rank) => rank * trialBytes);
  const buffer = new Uint8Array(world.size * trialBytes);
  const seconds: number[] = [];
  for (let trial = 0; trial < trials; trial++) {
    const start = performance.now();
    await world.allGather(buffer, starts);
    seconds.push((performance.now() - start) / 1000);
  }
  const rates = Float64Array.of(
    ((world.size - 1) * trialBytes) / Math.max(1e-6, Math.min(...seconds)),
    productsPerThread * threads,
  );
  await world.broadcast(new Uint8Array(rates.buffer));
  return { bytes: rates[0], products: rates[1] };
}

function packText(text: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(new TextEncoder().encode(text));
  return bytes;
}

function unpackText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(bytes.subarray(0, end < 0 ? undefined : end));
}
