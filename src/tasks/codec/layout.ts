/** How an array lies in blocks of a model's patch, and what whole numbers of steps stand for. */

import { InputError } from "../../core/errors.js";
import { formatShape, type Shape, sizeOf } from "../../core/shape.js";
import type { Model } from "../../model/model.js";
import { AtomOdds } from "./atomOdds.js";
import { BlockGrid } from "./blockGrid.js";
import { type BlockCode, BlockSyntax } from "./blockSyntax.js";
import { stepOf } from "./container.js";
import type { ExactAtoms } from "./exactAtoms.js";
import { type BitCoder, BitReader } from "./rangeCoder.js";
import { planeShape } from "./samples.js";

export interface Layout {
  readonly model: Model;
  readonly grid: BlockGrid;
  /** The shape of a plane. */
  readonly shape: Shape;
  readonly planes: 1 | 3;
}

/** Arrays have as many axes as the patch, or one more, which counts arrays. */
export function layoutOf(model: Model, shape: Shape, colour: boolean, where: string): Layout {
  const plane = planeShape(shape, colour);
  const more = plane.length - model.shape.length;
  if (more !== 0 && more !== 1)
    throw new InputError(
      `${formatShape(shape)} cannot be cut into blocks of ${formatShape(model.shape)}, the patch of the dictionary`,
      { where },
    );
  const block = more === 1 ? [1, ...model.shape] : model.shape;
  return { model, shape: plane, planes: colour ? 3 : 1, grid: new BlockGrid(plane, block) };
}

/** The largest power of two at most n^(-1/2): a step of means is this times that of coefficients, whose atoms have unit norm. */
export function meanScale({ shape }: Model): number {
  let scale = 1;
  while (scale * scale * sizeOf(shape) > 1) scale /= 2;
  return scale;
}

/** Code all blocks, plane by plane; `given` tells the writer's, and is not called by a reader. */
export function codeBlocks(
  coder: BitCoder,
  { model, grid, planes }: Layout,
  grade: number,
  given: ((plane: number, block: number) => BlockCode) | undefined,
): BlockCode[][] {
  const nothing: BlockCode = { mean: 0, ranks: [], values: [] };
  return Array.from({ length: planes }, (_, plane) => {
    const odds = new AtomOdds(model.A.cols, model.uses);
    const syntax = new BlockSyntax(odds, model.meta.removeMean, grade);
    const done: BlockCode[] = [];
    for (let b = 0; b < grid.blocks; b++) {
      const before = grid.before(b).map((earlier) => done[earlier]);
      done.push(syntax.code(coder, given?.(plane, b) ?? nothing, before));
    }
    return done;
  });
}

/** The blocks in the bits of a file. */
export function readBlocks(payload: Uint8Array, layout: Layout, grade: number, name: string): BlockCode[][] {
  // Each block takes two bits of at least 1/710 bit: a file cannot hold more blocks than this.
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
  throw new InputError(`${name}: damaged: its blocks do not end where the file does`);
}

/**
 * The samples that blocks stand for, a sum in the order of the ranks:
 *
 *     mean · step · meanScale + Σ value · step · atom
 */
export function synthesizePlane(
  blocks: readonly BlockCode[],
  { model, grid, shape }: Layout,
  step: number,
  atoms: ExactAtoms,
  ranked: Uint32Array,
): Float32Array {
  const [delta, offset] = [stepOf(step), stepOf(step) * meanScale(model)];
  const samples = new Float32Array(sizeOf(shape));
  const column = new Float64Array(sizeOf(model.shape));
  blocks.forEach(({ mean, ranks, values }, b) => {
    column.fill(mean * offset);
    for (let i = 0; i < ranks.length; i++) {
      const atom = atoms.atom(ranked[ranks[i]]);
      const weight = values[i] * delta;
      for (let r = 0; r < column.length; r++) column[r] += weight * atom[r];
    }
    grid.write(column, b, samples);
  });
  return samples;
}
