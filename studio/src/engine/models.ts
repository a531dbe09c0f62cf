/** Dictionaries in the worker: read from the bytes of a file, kept by the number that the page gives them. */

import { createBase, Model, modelFromBytes, modelToBytes } from "trainlets";
import { defaultSparsity, type ModelMeta, SparseColumns } from "trainlets/parts";
import { type Task, transferring } from "./protocol";

const models = new Map<number, Model>();

/** A model that the page has sent before. */
export function modelOf(id: number): Model {
  const model = models.get(id);
  if (!model) throw new Error(`the worker has no model ${id}`);
  return model;
}

/** What the page knows of a model without its atoms. */
export interface ModelFacts {
  /** The shape of an atom. */
  readonly shape: readonly number[];
  readonly atoms: number;
  /** Whether it is D = ΦA; otherwise D itself is stored. */
  readonly sparse: boolean;
  /** The name of Φ; that of an explicit dictionary has no meaning. */
  readonly base: string;
  /** Non-zeros of a column of A, at most. */
  readonly atomSparsity: number;
  /** How it was learned, as its file has it. */
  readonly meta: ModelMeta;
}

function factsOf(model: Model): ModelFacts {
  const { A, base, shape, meta, dictionary } = model;
  const atomSparsity = A.counts.reduce((most, count) => Math.max(most, count), 0);
  return { shape, atoms: A.cols, sparse: dictionary === undefined, base: base.name, atomSparsity, meta };
}

/** Read a model file (.npz); `name` is for messages. */
const openModel: Task<{ id: number; name: string; bytes: Uint8Array }, ModelFacts> = async ({
  id,
  name,
  bytes,
}) => {
  const model = modelFromBytes(bytes, name);
  models.set(id, model);
  return factsOf(model);
};

/** A base dictionary as a model of its own: every atom is one atom of the base. */
const openBase: Task<
  { id: number; base: string; shape: readonly number[] },
  { facts: ModelFacts; bytes: Uint8Array }
> = async ({ id, base, shape }) => {
  const phi = createBase(base, shape);
  const cols = phi.factors.reduce((product, factor) => product * factor.cols, 1);
  const meta: ModelMeta = {
    learner: "none",
    options: { base },
    seed: 0,
    examplesSeen: 0,
    removeMean: true,
    coding: { sparsity: defaultSparsity(shape.reduce((n, size) => n * size, 1)) },
  };
  const model = new Model(phi, SparseColumns.identity(cols, 1), meta);
  models.set(id, model);
  const bytes = modelToBytes(model);
  return transferring({ facts: factsOf(model), bytes }, [bytes.buffer]);
};

/** Forget a model. */
const closeModel: Task<{ id: number }, void> = async ({ id }) => {
  models.delete(id);
};

export const modelTasks = { openModel, openBase, closeModel };
