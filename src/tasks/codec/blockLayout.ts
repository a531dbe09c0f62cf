/** How an array is divided into planes and blocks, how all blocks are coded, and how they become samples again. */

import { InputError } from "../../core/errors.js";
import { formatShape, type Shape, sizeOf } from "../../core/shape.js";
import type { Model } from "../../model/model.js";
import { BlockGrid } from "./blockGrid.js";
import { type BlockCode, BlockSyntax } from "./blockSyntax.js";
import { stepSize } from "./container.js";
import { AtomSetModel } from "./entropy/atomSetModel.js";
import { type BitCoder, BitReader } from "./entropy/rangeCoder.js";
import type { HostAtoms } from "./hostAtoms.js";
import { planeShape } from "./sampleArray.js";

export interface BlockLayout {
  readonly model: Model;
  readonly grid: BlockGrid;
  /** The shape of a plane. */
  readonly shape: Shape;
  readonly planes: 1 | 3;
}

/** The layout of an array, which has as many axes as the patch, or one more that counts signals. */
export function createBlockLayout(model: Model, shape: Shape, colour: boolean, where: string): BlockLayout {
  const plane = planeShape(shape, colour);
  const more = plane.length - model.shape.length;
  if (more !== 0 && more !== 1)
    throw new InputError(
      `${formatShape(shape)} cannot be divided into blocks of ${formatShape(model.shape)}, the patch of the dictionary`,
      { where },
    );
  const block = more === 1 ? [1, ...model.shape] : model.shape;
  return { model, shape: plane, planes: colour ? 3 : 1, grid: new BlockGrid(plane, block) };
}

/** The step of means relative to that of coefficients: the largest power of two that is at most n^(-1/2). */
export function meanScale({ shape }: Model): number {
  let scale = 1;
  while (scale * scale * sizeOf(shape) > 1) scale /= 2;
  return scale;
}

/** Code all blocks, plane by plane. A writer gets them from `given`; a reader has undefined there. */
export function codeBlocks(
  coder: BitCoder,
  { model, grid, planes }: BlockLayout,
  grade: number,
  given: ((plane: number, block: number) => BlockCode) | undefined,
): BlockCode[][] {
  const empty: BlockCode = { mean: 0, ranks: [], values: [] };
  return Array.from({ length: planes }, (_, plane) => {
    const atomSets = new AtomSetModel(model.A.cols, model.uses);
    const syntax = new BlockSyntax(atomSets, model.meta.removeMean, grade);
    const coded: BlockCode[] = [];
    for (let b = 0; b < grid.blocks; b++) {
      const before = grid.before(b).map((earlier) => coded[earlier]);
      coded.push(syntax.code(coder, given?.(plane, b) ?? empty, before));
    }
    return coded;
  });
}

/** The blocks in the payload of a file. */
export function readBlocks(
  payload: Uint8Array,
  layout: BlockLayout,
  grade: number,
  name: string,
): BlockCode[][] {
  // Each block codes two binary decisions of at least 1/710 bit: a file cannot hold more blocks than this.
  if (layout.grid.blocks * layout.planes > 8192 * (payload.length + 4))
    throw new InputError(`${name}: damaged: ${layout.grid.blocks} blocks in ${payload.length} bytes`);
  const reader = new BitReader(payload);
  try {
    const blocks = codeBlocks(reader, layout, grade, undefined);
    if (reader.atEnd) return blocks;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`${name}: damaged: ${error.message}`);
  }
  throw new InputError(`${name}: damaged: its blocks do not end with the payload`);
}

/**
 * The samples of a plane from its blocks, with sums in the order of the ranks:
 *
 *     mean · step · meanScale + Σ value · step · atom
 */
export function synthesizePlane(
  blocks: readonly BlockCode[],
  { model, grid, shape }: BlockLayout,
  step: number,
  atoms: HostAtoms,
  atomsByRank: Uint32Array,
): Float32Array {
  const delta = stepSize(step);
  const meanStep = delta * meanScale(model);
  const samples = new Float32Array(sizeOf(shape));
  const column = new Float64Array(sizeOf(model.shape));
  blocks.forEach(({ mean, ranks, values }, b) => {
    column.fill(mean * meanStep);
    for (let i = 0; i < ranks.length; i++) {
      const atom = atoms.atom(atomsByRank[ranks[i]]);
      const weight = values[i] * delta;
      for (let r = 0; r < column.length; r++) column[r] += weight * atom[r];
    }
    grid.write(column, b, samples);
  });
  return samples;
}
