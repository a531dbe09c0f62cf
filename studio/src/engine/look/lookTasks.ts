/**
 * A picture through a dictionary: its patches coded by one pursuit each, and the pictures that the first k atoms of every
 * patch make, for all k at once; so a slider of k need not wait for anything. Two pictures are kept, to be compared.
 *
 * Memory   one f32 picture for each k while they are added up; one byte per sample of them goes to the page
 */

import { DenseMatrix, Model } from "trainlets";
import { Coder, type Kernels, SparseColumns } from "trainlets/parts";
import { modelOf } from "../models";
import { nextTurn, onKernels } from "../onKernels";
import { type Task, type TaskContext, transferring } from "../protocol";
import { type LookPath, lookPath, pathCoefficients } from "./lookPath";
import { type PatchGrid, patchGrid } from "./patchGrid";

/** Grey samples, row by row, and the values that are drawn black and white. */
export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
  readonly range: readonly [number, number];
}

type SlotName = "first" | "second";

export interface LookInput {
  /** Which of the two it replaces. */
  readonly slot: SlotName;
  readonly model: number;
  readonly picture: GreyPicture;
  /** Patches along an axis for each patch that would do: 1 for no overlap. */
  readonly overlap: number;
}

export interface LookResult {
  readonly grid: PatchGrid;
  /** The largest k. */
  readonly most: number;
  /** For k = 0 … most: the picture as bytes, one after the other. */
  readonly frames: Uint8Array<ArrayBuffer>;
  /** For each k: the root-mean-square error, in the units of the samples. */
  readonly rmse: Float64Array;
  /** For each k: the coefficients of all patches together. */
  readonly nonZeros: Float64Array;
}

/** What is kept of a picture, for the patch that a person looks at. */
interface Look {
  readonly grid: PatchGrid;
  readonly picture: GreyPicture;
  readonly codes: SparseColumns;
  readonly means: Float32Array;
  readonly atoms: UsedAtoms;
}

interface Slot {
  look?: Look | undefined;
  coder?: { readonly coder: Coder; readonly model: Model; readonly kernels: Kernels } | undefined;
  /** Ends when the request before has ended. */
  busy: Promise<unknown>;
}

const slots: Record<SlotName, Slot> = {
  first: { busy: Promise.resolve() },
  second: { busy: Promise.resolve() },
};

/** Bytes of all pictures together, as f32. */
const mostBytes = 2 ** 28;

/** The largest k: an eighth of the samples of a patch, from 16 to 128, if there are as many atoms and the memory. */
function mostAtoms(n: number, atoms: number, pixels: number): number {
  const room = Math.floor(mostBytes / (4 * pixels)) - 1;
  return Math.max(1, Math.min(n, atoms, room, Math.max(16, Math.min(128, n >> 3))));
}

/** Code a picture and rebuild it with 0, 1, 2 … atoms per patch. A request ends the one before in the same slot. */
const lookAt: Task<LookInput, LookResult, number> = async (input, context) => {
  const slot = slots[input.slot];
  const before = slot.busy;
  const work = before
    .catch(() => {})
    .then(async () => {
      context.signal.throwIfAborted();
      return onKernels((kernels) => look(slot, input, kernels, context));
    });
  slot.busy = work;
  return work;
};

async function look(
  slot: Slot,
  { model: id, picture, overlap }: LookInput,
  kernels: Kernels,
  context: TaskContext<number>,
): Promise<LookResult> {
  const model = modelOf(id);
  const { width, height } = picture;
  const [rows, columns] = model.shape;
  const grid = patchGrid([height, width], [rows, columns], overlap);
  const most = mostAtoms(rows * columns, model.A.cols, width * height);
  const coder = await coderFor(slot, model, kernels);
  const { codes, means } = await codesOf(picture, grid, most, coder, context);
  const atoms = await usedAtoms(model, codes, kernels);
  slot.look = { grid, picture, codes, means, atoms };
  return rebuild(slot.look, most, context);
}

async function coderFor(slot: Slot, model: Model, kernels: Kernels): Promise<Coder> {
  const kept = slot.coder;
  if (kept?.model === model && kept.kernels === kernels) return kept.coder;
  slot.coder = undefined;
  await kept?.coder.close().catch(() => {}); // its device may be lost
  const coder = await Coder.open(model, kernels);
  slot.coder = { coder, model, kernels };
  return coder;
}

/** Patches that are coded at a time. */
const batch = 512;
/** The part of the time that coding takes. */
const codingShare = 0.6;

/** Codes of all patches of a grid, row by row. */
async function codesOf(
  picture: GreyPicture,
  grid: PatchGrid,
  most: number,
  coder: Coder,
  { signal, report }: TaskContext<number>,
): Promise<{ codes: SparseColumns; means: Float32Array }> {
  const count = grid.tops.length * grid.lefts.length;
  const n = grid.patch[0] * grid.patch[1];
  const means = new Float32Array(count);
  let codes: SparseColumns | undefined;
  for (let from = 0; from < count; from += batch) {
    const Y = new DenseMatrix(n, Math.min(batch, count - from));
    for (let i = 0; i < Y.cols; i++) cutPatch(picture, grid, from + i, Y.column(i));
    const part = await coder.encode(Y, { sparsity: most, pursuit: "omp" });
    codes ??= new SparseColumns(part.X.rows, count, most);
    for (let i = 0; i < Y.cols; i++) codes.copyColumn(part.X, i, from + i);
    means.set(part.means, from);
    report((codingShare * (from + Y.cols)) / count);
    await nextTurn(signal);
  }
  return { codes: codes as SparseColumns, means };
}

function cutPatch({ width, data }: GreyPicture, grid: PatchGrid, index: number, target: Float32Array): void {
  const [rows, columns] = grid.patch;
  const start = startOf(grid, index, width);
  for (let r = 0; r < rows; r++) {
    const row = start + r * width;
    target.set(data.subarray(row, row + columns), r * columns);
  }
}

/** Where the first sample of a patch stands in the picture. */
function startOf({ tops, lefts }: PatchGrid, index: number, width: number): number {
  return tops[Math.floor(index / lefts.length)] * width + lefts[index % lefts.length];
}

/** The atoms that some code uses: a large dictionary is not written out as a whole. */
interface UsedAtoms {
  readonly D: DenseMatrix;
  /** The column of an atom in D. */
  readonly places: ReadonlyMap<number, number>;
}

async function usedAtoms(model: Model, codes: SparseColumns, kernels: Kernels): Promise<UsedAtoms> {
  const places = new Map<number, number>();
  for (let i = 0; i < codes.cols; i++)
    for (let s = 0; s < codes.counts[i]; s++) {
      const atom = codes.indices[i * codes.width + s];
      if (!places.has(atom)) places.set(atom, places.size);
    }
  const { A, base, meta, dictionary } = model;
  if (dictionary) {
    const D = new DenseMatrix(dictionary.rows, places.size);
    for (const [atom, place] of places) D.column(place).set(dictionary.column(atom));
    return { D, places };
  }
  const used = new SparseColumns(A.rows, places.size, A.width);
  for (const [atom, place] of places) used.copyColumn(A, atom, place);
  return { D: await new Model(base, used, meta).atoms(kernels), places };
}

/** The numbers of the atoms of a patch, in the order they were taken. */
function atomsOf({ codes }: Look, index: number): number[] {
  const from = index * codes.width;
  return Array.from(codes.indices.subarray(from, from + codes.counts[index]));
}

function pathOf(look: Look, index: number): LookPath {
  const { grid, picture, means, atoms } = look;
  const y = new Float32Array(grid.patch[0] * grid.patch[1]);
  cutPatch(picture, grid, index, y);
  for (let i = 0; i < y.length; i++) y[i] -= means[index];
  return lookPath(
    y,
    atomsOf(look, index).map((atom) => atoms.D.column(atoms.places.get(atom) as number)),
  );
}

/** Milliseconds of work between two looks at messages. */
const turn = 40;

/** The pictures of all k: the means, and then what the k-th atom of every patch adds. Overlaps are averaged. */
async function rebuild(
  look: Look,
  most: number,
  { signal, report }: TaskContext<number>,
): Promise<LookResult> {
  const { grid, picture, codes, means } = look;
  const pixels = picture.width * picture.height;
  const sums = Array.from({ length: most + 1 }, () => new Float32Array(pixels));
  const weights = new Uint16Array(pixels);
  const nonZeros = new Float64Array(most + 1);
  const flat = new Float64Array(grid.patch[0] * grid.patch[1]);
  let last = performance.now();
  for (let i = 0; i < codes.cols; i++) {
    const start = startOf(grid, i, picture.width);
    const { steps } = pathOf(look, i);
    const put = patchAdder(start, grid, picture.width);
    put(sums[0], flat.fill(means[i]));
    put(weights, flat.fill(1));
    for (let k = 1; k <= codes.counts[i]; k++)
      put(sums[k], steps.subarray((k - 1) * flat.length, k * flat.length));
    for (let k = 1; k <= most; k++) nonZeros[k] += Math.min(k, codes.counts[i]);
    if (performance.now() - last < turn) continue;
    report(codingShare + ((1 - codingShare) * i) / codes.cols);
    await nextTurn(signal);
    last = performance.now();
  }
  return finish(look, sums, weights, nonZeros, signal);
}

function patchAdder(start: number, { patch: [rows, columns] }: PatchGrid, width: number) {
  return (target: Float32Array | Uint16Array, values: Float64Array): void => {
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++) target[start + r * width + c] += values[r * columns + c];
  };
}

/** Sums of patches to pictures: z ← z + what the next atoms add. */
async function finish(
  { grid, picture }: Look,
  sums: readonly Float32Array[],
  weights: Uint16Array,
  nonZeros: Float64Array,
  signal: AbortSignal,
): Promise<LookResult> {
  const { data, range } = picture;
  const frames = new Uint8Array(sums.length * data.length);
  const rmse = new Float64Array(sums.length);
  const z = new Float64Array(data.length);
  const scale = 255 / (range[1] - range[0]);
  for (const [k, sum] of sums.entries()) {
    const frame = new Uint8ClampedArray(frames.buffer, k * data.length, data.length);
    let energy = 0;
    for (let i = 0; i < z.length; i++) {
      z[i] += sum[i] / weights[i];
      energy += (z[i] - data[i]) ** 2;
      frame[i] = (z[i] - range[0]) * scale;
    }
    rmse[k] = Math.sqrt(energy / z.length);
    await nextTurn(signal);
  }
  const result = { grid, most: sums.length - 1, frames, rmse, nonZeros };
  return transferring(result, [frames.buffer, rmse.buffer, nonZeros.buffer]);
}

export interface PatchFacts {
  /** The patch and its approximation, in the units of the samples. */
  readonly patch: Float32Array;
  readonly approximation: Float32Array;
  readonly mean: number;
  /** The first k atoms that the pursuit took, with their coefficients. */
  readonly parts: readonly PatchPart[];
}

export interface PatchPart {
  /** Its number in the dictionary. */
  readonly atom: number;
  readonly coefficient: number;
  readonly samples: Float32Array;
  /** The mean and the atoms up to this one, with these coefficients. */
  readonly sum: Float32Array;
}

/** One patch of a picture that was looked at, by its number in the grid, with its first k atoms. */
const lookPatch: Task<{ slot: SlotName; index: number; k: number }, PatchFacts> = async ({
  slot,
  index,
  k,
}) => {
  const { look } = slots[slot];
  if (!look || index >= look.codes.cols) throw new Error("the worker has not coded this patch");
  const { grid, picture, means, atoms, codes } = look;
  const patch = new Float32Array(grid.patch[0] * grid.patch[1]);
  cutPatch(picture, grid, index, patch);
  const count = Math.min(k, codes.counts[index]);
  const coefficients = pathCoefficients(pathOf(look, index), count);
  let sum = new Float32Array(patch.length).fill(means[index]);
  const parts = atomsOf(look, index)
    .slice(0, count)
    .map((atom, j): PatchPart => {
      const samples = atoms.D.column(atoms.places.get(atom) as number).slice();
      const coefficient = coefficients[j];
      sum = sum.map((value, i) => value + coefficient * samples[i]);
      return { atom, coefficient, samples, sum };
    });
  return { patch, approximation: sum, mean: means[index], parts };
};

export const lookTasks = { lookAt, lookPatch };
