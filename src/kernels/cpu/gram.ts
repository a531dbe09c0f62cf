/** A refresh of the unit Gram matrix by blocks of sixteen atoms of S: assembly/gram.ts. */

import type { DeviceBase, DeviceMatrix, DeviceSet, DeviceSparse } from "../contract.js";
import { countBelow } from "../countBelow.js";
import type { GramBlocks } from "../divided.js";
import { lanes, panel, rowBytes } from "./assembly/constants.js";
import { base, dense, set, sparse } from "./handles.js";
import type { CpuMemory } from "./memory.js";
import type { Pool } from "./pool.js";

/** What is refreshed: `refreshGram` of the contract. */
export interface GramParts {
  readonly phi: DeviceBase;
  readonly A: DeviceSparse;
  readonly S: DeviceSet;
  readonly G: DeviceMatrix | null;
  readonly scale: DeviceMatrix;
}

export class GramRefresh implements GramBlocks {
  readonly blocks: number;
  readonly #pool: Pool;
  readonly #memory: CpuMemory;
  readonly #parts: GramParts;
  readonly #outside: Uint32Array;
  readonly #words: number;
  /** Addresses: blocks of Φa that are kept, atoms outside S, the order of blocks, where their entries are, and the entries. */
  readonly #places: { kept: number; outside: number; order: number; rooms: number; room: number };

  /** `words`: f32 of the room for entries. */
  constructor(pool: Pool, memory: CpuMemory, parts: GramParts, words = 0) {
    const { phi, A, S, G } = parts;
    this.#pool = pool;
    this.#memory = memory;
    this.#parts = parts;
    this.#words = words;
    this.blocks = Math.ceil(set(S).size / lanes);
    this.#outside = atomsOutside(memory.members(S), A.cols);
    const kept = G ? keptBytes(phi.rows, lanes * this.blocks) : 0;
    const sizes = [kept, this.#outside.length * 4, this.blocks * 4, this.blocks * 4];
    const [at, outside, order, rooms, room] = placesOf(sizes, (bytes) => memory.stage(bytes + words * 4));
    this.#places = { kept: kept > 0 ? at : 0, outside, order, rooms, room };
    memory.arena.u32(outside, this.#outside.length).set(this.#outside);
    pool.reserveScratch(3 * this.#blockBytes + panel * rowBytes);
  }

  members(block: number): Uint32Array {
    return this.#memory.members(this.#parts.S).slice(block * lanes, (block + 1) * lanes);
  }

  /** A row for each atom from the block's first one on, and for each one before it that is not in S. */
  words(block: number): number {
    const [lowest] = this.members(block);
    return lanes * (this.#parts.A.cols - lowest + countBelow(this.#outside, lowest));
  }

  async scales(blocks: readonly number[]): Promise<void> {
    await this.#pool.run("atomScales", this.#arguments(blocks), blocks.length, 1);
  }

  async compute(blocks: readonly number[], first?: number): Promise<void> {
    await this.#pool.run("gramColumns", this.#arguments(blocks, first), blocks.length, 1);
  }

  async place(blocks: readonly number[], first: number): Promise<void> {
    await this.#pool.run("placeColumns", this.#arguments(blocks, first), blocks.length, 1);
  }

  room(): Float32Array {
    return this.#memory.arena.f32(this.#places.room, this.#words);
  }

  get #blockBytes(): number {
    const { rows, plans } = base(this.#parts.phi);
    return Math.max(plans.blockRows, rows) * rowBytes;
  }

  /** Arguments for these blocks in this order, with their entries from `first` on if they are kept. */
  #arguments(blocks: readonly number[], first?: number) {
    const { phi, A, S, G, scale } = this.#parts;
    const { kept, outside, order, rooms, room } = this.#places;
    this.#memory.arena.u32(order, blocks.length).set(blocks);
    if (first !== undefined) {
      let at = room + first * 4;
      const addresses = blocks.map((block) => {
        at += this.words(block) * 4;
        return at - this.words(block) * 4;
      });
      this.#memory.arena.u32(rooms, blocks.length).set(addresses);
    }
    return {
      base: base(phi).at,
      A: sparse(A).at,
      m: A.cols,
      members: set(S).at,
      size: set(S).size,
      outside,
      outsideCount: this.#outside.length,
      direct: isDirect(phi, A) ? 1 : 0,
      scale: dense(scale).at,
      G: G ? dense(G).at : 0,
      blockBytes: this.#blockBytes,
      blocks: kept,
      order,
      rooms: first === undefined ? 0 : rooms,
    };
  }
}

/** Blocks from both ends in turn: neighbouring ones would write to the same cache lines. */
export function fromBothEnds(blocks: number): number[] {
  return Array.from({ length: blocks }, (_, i) => (i & 1 ? blocks - 1 - (i >> 1) : i >> 1));
}

/** Whether an atom Φa is summed from columns of Φ, since the whole transform would cost more. */
export function isDirect(phi: DeviceBase, A: DeviceSparse): boolean {
  const { rows, plans } = base(phi);
  return A.width * rows <= plans.weights;
}

/** Bytes of the atoms Φa that are kept from their norms to their columns of G, if they are not too many. */
function keptBytes(n: number, atoms: number): number {
  const bytes = 4 * n * atoms;
  return bytes <= mostKept ? bytes : 0;
}

const mostKept = 2 ** 25;

/** The most bytes that are kept in a refresh of any of the atoms. */
export function mostKeptBytes(n: number, atoms: number): number {
  return Math.min(mostKept, 4 * n * atoms);
}

/** Where parts of these sizes start one after the other, and where the last one ends. */
function placesOf(sizes: readonly number[], take: (bytes: number) => number): number[] {
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const places = [take(total)];
  for (const bytes of sizes) places.push(places[places.length - 1] + bytes);
  return places;
}

/** The atoms that are not in a set, ascending. */
function atomsOutside(members: Uint32Array, atoms: number): Uint32Array {
  const outside = new Uint32Array(atoms - members.length);
  let count = 0;
  let next = 0;
  for (const atom of members) {
    while (next < atom) outside[count++] = next++;
    next = atom + 1;
  }
  while (next < atoms) outside[count++] = next++;
  return outside;
}
