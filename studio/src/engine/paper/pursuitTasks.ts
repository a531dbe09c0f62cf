/** OMP in the worker, one atom after the other, on one patch. */

import { createBase, DenseMatrix, Model } from "trainlets";
import { type Dictionary, Encoder, type Kernels, openDictionary, SparseColumns } from "trainlets/parts";
import { modelOf } from "../models";
import { onKernels } from "../onKernels";
import { type Task, transferring } from "../protocol";

export interface PursuitInput {
  /** A dictionary of the page, or a base for patches of a shape. */
  readonly dictionary: number | { readonly base: string; readonly shape: readonly number[] };
  /** Row by row. */
  readonly patch: Float32Array;
  /** Atoms at most. */
  readonly most: number;
}

/** After some atoms were taken. */
export interface PursuitStep {
  /** The atoms in the order they were taken, and their coefficients, all fitted together. */
  readonly atoms: readonly number[];
  readonly coefficients: readonly number[];
  readonly residual: Float32Array;
  /** ‖residual‖. */
  readonly norm: number;
  /** |⟨residual, d⟩| for each unit atom d. */
  readonly correlations: Float32Array;
}

export interface PursuitResult {
  readonly shape: readonly number[];
  readonly patch: Float32Array;
  readonly mean: number;
  /** With 0, 1, 2 … atoms. */
  readonly steps: readonly PursuitStep[];
  /** The pictures of the atoms that are taken, in their order. */
  readonly pictures: readonly Float32Array[];
}

const paperPursuit: Task<PursuitInput, PursuitResult> = (input) =>
  onKernels((kernels) => pursue(input, kernels));

async function pursue({ dictionary: given, patch, most }: PursuitInput, kernels: Kernels) {
  const { model, dictionary } = await openFor(given, kernels);
  const mean = model.meta.removeMean ? patch.reduce((sum, value) => sum + value, 0) / patch.length : 0;
  const Y = new DenseMatrix(
    patch.length,
    1,
    patch.map((value) => value - mean),
  );
  const steps: PursuitStep[] = [];
  for (let sparsity = 0; sparsity <= Math.min(most, dictionary.cols, Y.rows); sparsity++) {
    const step = await stepOf(dictionary, Y, sparsity, kernels);
    if (step.atoms.length < sparsity) break; // nothing is left
    steps.push(step);
  }
  const { atoms } = steps[steps.length - 1];
  const X = SparseColumns.fromEntries(
    dictionary.cols,
    1,
    atoms.map((atom) => [[atom, 1]]),
  );
  const D = await model.decode({ X, means: new Float32Array(atoms.length) }, kernels);
  const pictures = atoms.map((_, i) => D.column(i).slice());
  const buffers = steps.flatMap(({ residual, correlations }) => [residual.buffer, correlations.buffer]);
  return transferring({ shape: model.shape, patch, mean, steps, pictures }, buffers as ArrayBuffer[]);
}

/** The code with this many atoms, its residual, and the correlations that choose the next atom. */
async function stepOf(
  dictionary: Dictionary,
  patch: DenseMatrix,
  sparsity: number,
  kernels: Kernels,
): Promise<PursuitStep> {
  const encoder = new Encoder(dictionary, { sparsity, residualEnergy: 0 }, 1, kernels);
  const [Y, P] = [kernels.matrix(patch.rows, 1), kernels.matrix(dictionary.cols, 1)];
  await kernels.writeMatrix(Y, patch);
  const codes = await encoder.encode(Y);
  const X = await kernels.readSparse(codes);
  await encoder.residual(Y, codes, Y);
  await dictionary.project(Y, P);
  const { data: residual } = await kernels.readMatrix(Y);
  const { data: correlations } = await kernels.readMatrix(P);
  encoder.free();
  kernels.free(Y, P);
  return {
    atoms: [...X.indices.subarray(0, X.counts[0])],
    coefficients: [...X.values.subarray(0, X.counts[0])],
    residual,
    norm: Math.sqrt(residual.reduce((sum, value) => sum + value * value, 0)),
    correlations: correlations.map(Math.abs),
  };
}

interface Opened {
  readonly key: unknown;
  readonly kernels: Kernels;
  readonly model: Model;
  readonly dictionary: Dictionary;
}

/** The dictionary of the last call: its Gram matrix takes longer than the pursuit. */
let opened: Opened | undefined;

async function openFor(given: PursuitInput["dictionary"], kernels: Kernels): Promise<Opened> {
  const model = typeof given === "number" ? modelOf(given) : undefined;
  const key = model ?? JSON.stringify(given);
  if (opened?.key === key && opened.kernels === kernels) return opened;
  if (opened?.kernels === kernels) opened.dictionary.free();
  opened = undefined;
  const used = model ?? baseModel(given as Exclude<typeof given, number>);
  opened = { key, kernels, model: used, dictionary: await openDictionary(used, kernels) };
  return opened;
}

function baseModel({ base, shape }: { readonly base: string; readonly shape: readonly number[] }): Model {
  const phi = createBase(base, shape);
  const count = phi.factors.reduce((product, { cols }) => product * cols, 1);
  const meta = { learner: "none", options: { base }, seed: 0, examplesSeen: 0, removeMean: true };
  return new Model(phi, SparseColumns.identity(count, 1), { ...meta, coding: { sparsity: 1 } });
}

export const pursuitTasks = { paperPursuit };
