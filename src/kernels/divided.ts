/**
 * Operations in parts, for processes that divide the work of one between them (cluster/): each does some of its items on
 * whole matrices, and they exchange the results. Kernels have these where that is faster than for each process to do it
 * all. The results are those of the contract, to the bit.
 */

import type { DeviceBase, DeviceMatrix, DeviceSet, DeviceSparse, MomentumStep } from "./deviceHandles.js";

/** Items from one up to another, which is not among them. */
export interface Items {
  readonly from: number;
  readonly to: number;
}

export interface DividedKernels {
  /** The values of a matrix where they are, until memory is next asked for. */
  values(M: DeviceMatrix): Float32Array;
  /** The entries of sparse columns where they are: `width` per column, and how many of them are used; to be changed, or to be read. */
  entries(
    A: DeviceSparse,
    use: "change" | "read",
  ): {
    readonly indices: Uint32Array;
    readonly values: Float32Array;
    readonly counts: Uint32Array;
  };
  /** Columns of `gradient` at these places of S; the energy ‖∇ⱼ‖² of each. Their sum, in order, is that of all. */
  gradient(
    W: DeviceMatrix,
    X: DeviceSparse,
    S: DeviceSet,
    grad: DeviceMatrix,
    places: Items,
  ): Promise<Float64Array>;
  /** The terms of `movedEnergy` for these blocks of examples: in order, they add up to it. */
  movedEnergies(
    base: DeviceBase,
    grad: DeviceMatrix,
    S: DeviceSet,
    X: DeviceSparse,
    blocks: Items,
  ): Promise<Float64Array>;
  /** Examples of a block of `movedEnergies`. */
  readonly examplesPerBlock: number;
  /** `moveAtoms` at these places of S. */
  moveAtoms(
    k: number,
    U: DeviceMatrix,
    S: DeviceSet,
    A: DeviceSparse,
    step: MomentumStep,
    places: Items,
  ): Promise<void>;
  /** `refreshGram` by blocks of atoms of S, with room for this many f32 of entries. */
  gram(
    base: DeviceBase,
    A: DeviceSparse,
    S: DeviceSet,
    G: DeviceMatrix | null,
    scale: DeviceMatrix,
    words: number,
  ): GramBlocks;
}

/** A refresh of the Gram matrix by blocks. No other operation may come in between. */
export interface GramBlocks {
  readonly blocks: number;
  /** The atoms of a block. */
  members(block: number): Uint32Array;
  /** f32 of the entries of a block. */
  words(block: number): number;
  /** The scales of the atoms of these blocks. */
  scales(blocks: readonly number[]): Promise<void>;
  /** Rows and columns of G of these blocks; their entries are in `room` from `first` on, one block after the other. */
  compute(blocks: readonly number[], first?: number): Promise<void>;
  /** Rows and columns of G of these blocks from entries in `room` from `first` on. */
  place(blocks: readonly number[], first: number): Promise<void>;
  /** The room for entries where it is. */
  room(): Float32Array;
}
