/** Codes over the current factors of SeDiL: a pursuit whose dictionary is built again after `base` has changed. */

import type { Shape } from "../../../core/shape.js";
import type { BaseDictionary } from "../../../dictionaries/base.js";
import { SparseDictionary } from "../../../dictionaries/dictionary.js";
import type { DeviceMatrix, DeviceSparse, Kernels } from "../../../kernels/contract.js";
import { type BatchEncoder, type CodingRule, Encoder, resolveLimits } from "../../../pursuit/encoder.js";
import type { LearnerSetting } from "../learner.js";

export class FactorEncoder implements BatchEncoder {
  readonly shape: Shape;
  readonly capacity: number;
  /** The current factors. */
  base: BaseDictionary;
  readonly #coding: CodingRule;
  readonly #kernels: Kernels;
  #built: { base: BaseDictionary; dictionary: SparseDictionary; encoder: Encoder } | undefined;

  constructor({ options, examples, kernels }: LearnerSetting) {
    this.shape = options.base.shape;
    this.capacity = Math.min(options.batch, examples);
    this.base = options.base;
    this.#coding = options.coding;
    this.#kernels = kernels;
  }

  async encode(Y: DeviceMatrix, path?: DeviceMatrix): Promise<DeviceSparse> {
    return (await this.#build()).encode(Y, path);
  }

  async residual(Y: DeviceMatrix, X: DeviceSparse, R: DeviceMatrix): Promise<void> {
    await (await this.#build()).residual(Y, X, R);
  }

  /** The pursuit over the current factors. */
  async #build(): Promise<Encoder> {
    const { base } = this;
    if (this.#built?.base === base) return this.#built.encoder;
    this.free();
    const dictionary = await SparseDictionary.ofBase(base, this.#kernels);
    const limits = resolveLimits("train", this.#coding, dictionary.rows, dictionary.cols);
    const encoder = new Encoder(dictionary, limits, this.capacity, this.#kernels);
    this.#built = { base, dictionary, encoder };
    return encoder;
  }

  free(): void {
    this.#built?.encoder.free();
    this.#built?.dictionary.free();
    this.#built = undefined;
  }
}
