/**
 * What a program on the other side of a pipe may ask for: to learn a dictionary, to code signals, to
 * read a model. One request at a time; frames.ts has the form of the messages.
 *
 * Signals come as the rows of an array, and atoms leave as the rows of one: in memory these are the
 * columns of our matrices. A model travels as the bytes of its file, and stays with the caller: what is
 * kept here (devices, dictionaries that are ready to code) can be made again.
 */

import { inputError } from "../../core/errors.js";
import type { SparseColumns } from "../../core/matrix.js";
import type { Shape } from "../../core/shape.js";
import { chooseKernels, type DeviceChoice, type DeviceName } from "../../kernels/chooseDevice.js";
import type { Kernels } from "../../kernels/contract.js";
import { describeFewTests } from "../../learn/run/plan/runLength.js";
import { train } from "../../learn/run/train.js";
import type { TrainOptions } from "../../learn/run/trainOptions.js";
import { code } from "../../model/code.js";
import type { Coder } from "../../model/coder.js";
import { modelToBytes } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import { version } from "../../model/version.js";
import type { CodingRule } from "../../pursuit/encoder.js";
import type { Frame, ShapedArray } from "./frames.js";
import { PushedLearner } from "./pushedLearner.js";
import { columnsOf, modelOf, samplesOf } from "./requestArrays.js";

/** The last message of an answer. */
export interface Answer {
  readonly head: Readonly<Record<string, unknown>>;
  readonly arrays?: Readonly<Record<string, ShapedArray>>;
}

/** Sends what is known before the answer. */
export type Report = (head: Readonly<Record<string, unknown>>) => void;

/** Dictionaries that are kept ready to code. */
const mostCoders = 4;

export class Session {
  readonly #devices = new Map<string, Promise<DeviceChoice>>();
  /** By key and device, the one used last at the end. */
  readonly #coders = new Map<string, Coder>();
  #pushed: PushedLearner | undefined;

  /** The answer to a request. An `InputError` says what is wrong with it. */
  async answer(request: Frame, report: Report): Promise<Answer> {
    const method = request.head.method;
    if (method === "describe")
      return { head: { version, device: (await this.#device(request)).description } };
    if (method === "train") return this.#train(request, report);
    if (method === "read model") return this.#describeModel(modelOf(request), await this.#device(request));
    if (method === "encode") return this.#encode(request);
    if (method === "code") return this.#code(request);
    if (method === "push") return this.#push(request);
    if (method === "save learner") return this.#saveLearner();
    throw inputError("serve", "method", "must be one that this version knows", method);
  }

  async #device({ head }: Frame): Promise<Kernels> {
    const { device = "auto", threads } = head as { device?: DeviceName; threads?: number };
    const key = `${device} ${threads}`;
    const known = this.#devices.get(key) ?? chooseKernels(device, { threads });
    this.#devices.set(key, known);
    try {
      return (await known).kernels;
    } catch (error) {
      this.#devices.delete(key);
      throw error;
    }
  }

  async #train(request: Frame, report: Report): Promise<Answer> {
    const kernels = await this.#device(request);
    const options = { ...(request.head.options as TrainOptions), kernels };
    const { data, shape } = samplesOf(request, "X");
    const patch = options.patch as Shape;
    const run = train({ shape: [shape[0], ...patch], data }, options);
    const { examples, epochs, batch, holdout, steps, warnings } = await run.plan();
    const rough = describeFewTests(holdout); // of no use to a program that does not show the errors of tests
    const notes = warnings.filter((line) => !rough.includes(line));
    report({ kind: "plan", examples, epochs, batch, steps, warnings: notes, device: kernels.description });
    for await (const { kept, ...one } of run) report({ kind: "report", ...one });
    return this.#describeModel(await run.model(), kernels);
  }

  async #describeModel(model: Model, kernels: Kernels): Promise<Answer> {
    const atoms = await model.atoms(kernels);
    const bytes = modelToBytes(model);
    const { shape, base, meta } = model;
    return {
      head: { shape, base: base.name, meta },
      arrays: {
        components: { shape: [atoms.cols, atoms.rows], data: atoms.data },
        model: { shape: [bytes.length], data: bytes },
      },
    };
  }

  /** Codes of signals; if the dictionary is not known by its key, the caller is asked for it. */
  async #encode(request: Frame): Promise<Answer> {
    const coder = await this.#coder(request);
    if (!coder) return { head: { unknownModel: true } };
    const { X, means } = await coder.encode(columnsOf(request, "X"), request.head.coding as CodingRule);
    return { head: {}, arrays: { ...codeArrays(X), means: { shape: [X.cols], data: means } } };
  }

  async #coder(request: Frame): Promise<Coder | undefined> {
    const { key, device, threads } = request.head;
    const name = `${key} ${device} ${threads}`;
    const kernels = await this.#device(request);
    const known = this.#coders.get(name);
    if (!known && !request.arrays.has("model")) return undefined;
    const coder = known ?? (await modelOf(request).open(kernels));
    this.#coders.delete(name);
    this.#coders.set(name, coder);
    for (const [oldest, one] of [...this.#coders].slice(0, -mostCoders)) {
      this.#coders.delete(oldest);
      await one.close();
    }
    return coder;
  }

  async #code(request: Frame): Promise<Answer> {
    const kernels = await this.#device(request);
    const coding = request.head.coding as CodingRule;
    const X = await code(columnsOf(request, "D"), columnsOf(request, "Y"), { ...coding, kernels });
    return { head: {}, arrays: codeArrays(X) };
  }

  /** Learn from one batch. The first request opens the learner, from a model or a saved learner where there is one. */
  async #push(request: Frame): Promise<Answer> {
    if (request.head.continues && !this.#pushed)
      throw new Error("the learner of earlier batches is not here");
    const kernels = await this.#device(request);
    this.#pushed ??= await PushedLearner.open(request, kernels);
    const report = await this.#pushed.learn(columnsOf(request, "X"));
    const answer = await this.#describeModel(await this.#pushed.model(), kernels);
    return { ...answer, head: { ...answer.head, report } };
  }

  async #saveLearner(): Promise<Answer> {
    if (!this.#pushed) throw inputError("serve", "method", "needs a batch first", "save learner");
    const bytes = await this.#pushed.save();
    return { head: {}, arrays: { learner: { shape: [bytes.length], data: bytes } } };
  }
}

function codeArrays({ cols, width, indices, values, counts }: SparseColumns): Record<string, ShapedArray> {
  return {
    indices: { shape: [cols, width], data: indices },
    values: { shape: [cols, width], data: values },
    counts: { shape: [cols], data: counts },
  };
}
