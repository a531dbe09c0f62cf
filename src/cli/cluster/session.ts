/**
 * The ranks of a run from start to end. Rank 0 runs the program; the others wait for it to compute something, take part,
 * and end with it.
 */

import { chooseKernels, type DeviceName, listDevices } from "../../kernels/chooseDevice.js";
import { followKernels } from "../../kernels/cluster/follower.js";
import { leadKernels } from "../../kernels/cluster/leader.js";
import type { Kernels } from "../../kernels/contract.js";
import { CommonError, type Environment, type Launched, lostSignals, requireConnection } from "./launcher.js";
import { type MpiWorld, openMpi } from "./mpi.js";
import {
  areCrowded,
  gatherTexts,
  introduce,
  measureRates,
  type Rank,
  threadsOf,
  unusedCores,
} from "./ranks.js";

/** What rank 0 wants next of the others: kernels of a device, a line on their devices, or nothing more. */
type Order =
  | { readonly compute: DeviceName; readonly threads?: number }
  | { readonly list: true }
  | { readonly end: true };

export class ClusterSession {
  readonly world: MpiWorld;
  readonly ranks: readonly Rank[];
  readonly #launched: Launched;
  /** Why the ranks can no longer work together. */
  #broken: Error | undefined;
  #ended = false;

  private constructor(world: MpiWorld, ranks: readonly Rank[], launched: Launched) {
    this.world = world;
    this.ranks = ranks;
    this.#launched = launched;
  }

  /** Join the others that the launcher started, with the words of the command line. */
  static async join(env: Environment, launched: Launched, words: readonly string[]): Promise<ClusterSession> {
    requireConnection(env);
    const world = await openMpi(env);
    requireSameSize(launched, world);
    const session = new ClusterSession(world, await introduce(world, words), launched);
    world.crowded = areCrowded(session.ranks);
    world.rates = await measureRates(world, session.threads);
    return session;
  }

  get isLeader(): boolean {
    return this.world.rank === 0;
  }

  /** By default, the ranks of a machine share its cores. */
  get threads(): number {
    return threadsOf(this.ranks, this.world.rank);
  }

  get warnings(): string[] {
    const all = [unusedCores(this.ranks, this.#launched.launcher), lostSignals(process.env)];
    return all.filter((text) => text !== undefined);
  }

  /** A note if ranks on the GPU may have one together. */
  sharedGpu(device: Kernels["name"]): string | undefined {
    if (device !== "gpu") return undefined;
    const on = (host: string) => this.ranks.filter((rank) => rank.host === host).length;
    const host = this.ranks.map((rank) => rank.host).find((name) => on(name) > 1);
    if (host === undefined) return undefined;
    return `the ${on(host)} ranks on ${host} share a GPU, unless the launcher shows each of them another`;
  }

  /** Kernels of all ranks, over `local` on rank 0 and over the same kind on the others. */
  async lead(local: Kernels, threads?: number): Promise<Kernels> {
    if (this.#broken) throw this.#broken;
    await this.#send({ compute: local.name, ...(threads === undefined ? {} : { threads }) });
    return leadKernels(local, this.world, (error) => {
      this.#broken ??= error;
    });
  }

  /** For each rank, its host and the device that it would take. */
  async listRanks(): Promise<string[]> {
    await this.#send({ list: true });
    return this.#describeAll();
  }

  /** Take part until rank 0 ends. */
  async follow(): Promise<void> {
    for (;;) {
      const order = await this.#receive();
      if ("end" in order) return;
      if ("list" in order) {
        await this.#describeAll();
        continue;
      }
      const { compute: device, threads = this.threads } = order;
      const { kernels } = await chooseKernels(device, device === "cpu" ? { threads } : {});
      await followKernels(kernels, this.world);
    }
  }

  /** The end of the work on this rank; if something broke on rank 0 alone, the end of all. */
  async end(code: number): Promise<void> {
    if (this.#broken) return this.abort(code);
    if (this.isLeader) await this.#send({ end: true });
    this.#ended = true;
    this.world.finalize();
  }

  /** End all ranks at once, unless they have ended. */
  abort(code: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.world.abort(code || 1);
  }

  async #describeAll(): Promise<string[]> {
    const devices = await listDevices();
    const best = devices.find(({ available }) => available);
    const { host } = this.ranks[this.world.rank];
    const threads = `${this.threads} ${this.threads === 1 ? "thread" : "threads"}`;
    const device = best?.name === "cpu" ? `cpu, ${threads} by default` : `${best?.name}: ${best?.detail}`;
    return gatherTexts(this.world, `${host}  ${device}`);
  }

  /** Its length, then the order. */
  async #send(order: Order): Promise<void> {
    const text = new TextEncoder().encode(JSON.stringify(order));
    await this.world.broadcast(new Uint8Array(Float64Array.of(text.length).buffer));
    await this.world.broadcast(text);
  }

  async #receive(): Promise<Order> {
    const length = new Float64Array(1);
    await this.world.broadcast(new Uint8Array(length.buffer));
    const text = new Uint8Array(length[0]);
    await this.world.broadcast(text);
    return JSON.parse(new TextDecoder().decode(text));
  }
}

/** Refuse processes that MPI does not connect: each would do the work of all, and write the same files. */
export function requireSameSize(
  { launcher, size }: Launched,
  world: Pick<MpiWorld, "library" | "size">,
): void {
  if (world.size === size) return;
  const remedy =
    launcher === "srun"
      ? "use srun --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH, or name another library"
      : "it is not the library of this launcher; name that";
  throw new CommonError(
    `${launcher} started ${size} processes, but ${world.library} finds ${world.size}: ${remedy} in the variable TRAINLETS_MPI`,
  );
}
