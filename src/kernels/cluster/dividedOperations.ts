/**
 * Operations on atoms that the ranks divide between them, on kernels that do them in parts (divided.ts): the Gram matrix,
 * the gradient, the energy of the step size, and the step itself. Each rank does some of the items, with the bits they have
 * anyway, and what the others need is exchanged.
 *
 * An operation is divided where the time that this saves is more than that of the exchange, by the rates of the ranks;
 * otherwise every rank does all of it.
 */

import type {
  DeviceBase,
  DeviceMatrix,
  DeviceSet,
  DeviceSparse,
  Kernels,
  MomentumStep,
} from "../contract.js";
import { countBelow } from "../countBelow.js";
import type { DividedKernels, GramBlocks, Items } from "../divided.js";
import { type Communicator, gatherArray } from "./communicator.js";
import { rangesOf } from "./spreadColumns.js";

/** f32 of the room for entries of the Gram matrix that are exchanged at a time. */
const roomWords = 2 ** 24;

/** Seconds to place an entry of G that another rank computed, in both halves. */
const placing = 1e-9;
/** What an entry of a moved atom costs, in products: it is compared with others. */
const choosing = 8;

export class DividedOperations {
  readonly #local: Kernels;
  readonly #divided: DividedKernels;
  readonly #ranks: Communicator;
  readonly #room: number | undefined;

  /** `room`: f32 of the entries of the Gram matrix that are exchanged at a time; by default that of `roomFor`. */
  constructor(local: Kernels, divided: DividedKernels, ranks: Communicator, room?: number) {
    this.#local = local;
    this.#divided = divided;
    this.#ranks = ranks;
    this.#room = room;
  }

  /** Whether to divide work of this many products, if results of this many bytes are exchanged, with more work after that. */
  #pays(products: number, bytes: number, seconds = 0): boolean {
    const { size, rates } = this.#ranks;
    return (products * (1 - 1 / size)) / rates.products > bytes / rates.bytes + seconds;
  }

  /** This rank's part of `count` items. */
  #own(starts: readonly number[]): Items {
    return { from: starts[this.#ranks.rank], to: starts[this.#ranks.rank + 1] };
  }

  /** Where the members of each rank's range of atoms start in S. */
  async #places(S: DeviceSet): Promise<number[]> {
    const members = await this.#local.readSet(S);
    return rangesOf(S.capacity, this.#ranks.size).map((atom) => countBelow(members, atom));
  }

  /** A sum of numbers of which this rank has some, in order. */
  async #sum(own: Float64Array, starts: readonly number[]): Promise<number> {
    const all = new Float64Array(starts[starts.length - 1]);
    all.set(own, starts[this.#ranks.rank]);
    await gatherArray(all, starts, this.#ranks);
    return all.reduce((sum, value) => sum + value, 0);
  }

  /** Columns of the gradient and its energy, on all ranks. */
  async gradient(
    W: DeviceMatrix,
    X: DeviceSparse,
    S: DeviceSet,
    grad: DeviceMatrix,
    energy: { readonly scalars: DeviceMatrix; readonly slot: number } | undefined,
  ): Promise<void> {
    const members = await this.#local.readSet(S);
    if (!this.#pays(this.#nonZeros(X) * W.rows, members.length * W.rows * 4))
      return this.#local.gradient(W, X, S, grad, energy);
    const starts = evenParts(this.#uses(X, members), this.#ranks.size);
    const energies = await this.#divided.gradient(W, X, S, grad, this.#own(starts));
    const columns = this.#divided.values(grad).subarray(0, members.length * W.rows);
    await gatherArray(
      columns,
      starts.map((start) => start * W.rows),
      this.#ranks,
    );
    if (!energy) return;
    const sum = await this.#sum(energies, starts);
    this.#divided.values(energy.scalars)[energy.slot] = sum;
  }

  async movedEnergy(
    base: DeviceBase,
    grad: DeviceMatrix,
    S: DeviceSet,
    X: DeviceSparse,
    scalars: DeviceMatrix,
    slot: number,
  ): Promise<void> {
    const blocks = Math.ceil(X.cols / this.#divided.examplesPerBlock);
    const starts = rangesOf(blocks, this.#ranks.size);
    if (!this.#pays(this.#nonZeros(X) * grad.rows, 8 * blocks))
      return this.#local.movedEnergy(base, grad, S, X, scalars, slot);
    const terms = await this.#divided.movedEnergies(base, grad, S, X, this.#own(starts));
    const sum = await this.#sum(terms, starts);
    this.#divided.values(scalars)[slot] = sum;
  }

  /** Whether the atoms are moved in parts: then each rank changes its range of U and of A. */
  movesInParts(U: DeviceMatrix, A: DeviceSparse): boolean {
    return this.#pays(choosing * U.rows * U.cols, 8 * A.width * A.cols);
  }

  async moveAtoms(
    k: number,
    U: DeviceMatrix,
    S: DeviceSet,
    A: DeviceSparse,
    step: MomentumStep,
  ): Promise<void> {
    await this.#divided.moveAtoms(k, U, S, A, step, this.#own(await this.#places(S)));
  }

  async refreshGram(
    base: DeviceBase,
    A: DeviceSparse,
    S: DeviceSet,
    G: DeviceMatrix | null,
    scale: DeviceMatrix,
  ): Promise<void> {
    const perEntry = this.#nonZeros(A) / Math.max(1, A.cols);
    if (!G || !this.#pays(perEntry, 4, placing)) return this.#local.refreshGram(base, A, S, G, scale);
    const room = this.#room ?? roomFor(A.cols, this.#ranks.size);
    const refresh = this.#divided.gram(base, A, S, G, scale, room);
    await this.#scales(refresh, scale);
    for (let from = 0; from < refresh.blocks; ) {
      const to = roundEnd(refresh, from, refresh.room().length);
      await this.#round(refresh, from, to);
      from = to;
    }
  }

  /** The scales of all atoms of S. */
  async #scales(refresh: GramBlocks, scale: DeviceMatrix): Promise<void> {
    const { rank, size } = this.#ranks;
    const shares = deal(0, refresh.blocks, size);
    await refresh.scales(shares[rank]);
    const atoms = shares.map((blocks) => blocks.flatMap((block) => [...refresh.members(block)]));
    const starts = [0];
    for (let r = 0; r < size; r++) starts.push(starts[r] + atoms[r].length);
    const packed = new Float32Array(starts[size]);
    atoms[rank].forEach((atom, i) => (packed[starts[rank] + i] = this.#divided.values(scale)[atom]));
    await gatherArray(packed, starts, this.#ranks);
    const values = this.#divided.values(scale);
    atoms.flat().forEach((atom, i) => (values[atom] = packed[i]));
  }

  /** The columns of some blocks: this rank's are computed, those of the others exchanged and placed. */
  async #round(refresh: GramBlocks, from: number, to: number): Promise<void> {
    const { rank, size } = this.#ranks;
    const shares = deal(from, to, size);
    const starts = [0];
    for (let r = 0; r < size; r++)
      starts.push(starts[r] + shares[r].reduce((sum, block) => sum + refresh.words(block), 0));
    await refresh.compute(shares[rank], starts[rank]);
    await gatherArray(refresh.room().subarray(0, starts[size]), starts, this.#ranks);
    await refresh.place(shares.slice(0, rank).flat(), 0);
    await refresh.place(shares.slice(rank + 1).flat(), starts[rank + 1]);
  }

  /** How many entries of X each member of S has. */
  #uses(X: DeviceSparse, members: Uint32Array): Uint32Array {
    const { indices, counts } = this.#divided.entries(X, "read");
    const uses = new Uint32Array(X.rows);
    for (let i = 0; i < X.cols; i++)
      for (let s = i * X.width, end = s + counts[i]; s < end; s++) uses[indices[s]]++;
    return members.map((atom) => uses[atom]);
  }

  /** The entries of sparse columns. */
  #nonZeros(X: DeviceSparse): number {
    return this.#divided.entries(X, "read").counts.reduce((sum, count) => sum + count, 0);
  }
}

/** The blocks of each rank: there and back again over the ranks, since later blocks have fewer entries. */
function deal(from: number, to: number, size: number): number[][] {
  const shares = Array.from({ length: size }, (): number[] => []);
  for (let block = from; block < to; block++) {
    const turn = block % (2 * size);
    shares[turn < size ? turn : 2 * size - 1 - turn].push(block);
  }
  return shares;
}

/** f32 of the room for entries of m atoms: a few blocks of sixteen per rank, or all of them. */
export function roomFor(m: number, size: number): number {
  return Math.min(Math.max(roomWords, 64 * size * m), m * (m + 16));
}

/** Where consecutive parts of about equal sums start, and where the last one ends. */
function evenParts(weights: Uint32Array, size: number): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const starts = [0];
  let sum = 0;
  weights.forEach((weight, i) => {
    while (starts.length < size && sum >= (total * starts.length) / size) starts.push(i);
    sum += weight;
  });
  while (starts.length <= size) starts.push(weights.length);
  return starts;
}

/** The block after the last that fits with the ones before into the room. */
function roundEnd(refresh: GramBlocks, from: number, room: number): number {
  let words = 0;
  let to = from;
  while (to < refresh.blocks && words + refresh.words(to) <= room) words += refresh.words(to++);
  return Math.max(to, from + 1);
}
