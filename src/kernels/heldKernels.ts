/** Kernels in use by one owner, and what was made with them: given back together, once. */

import type { Kernels } from "./contract.js";
import { HandleScope } from "./handleScope.js";

export class HeldKernels {
  /** What is made with these is freed in the end, also if an operation fails half-way. */
  readonly kernels: Kernels;
  readonly #scope: HandleScope;
  readonly #ownsKernels: boolean;
  #released: Promise<void> | undefined;

  /** `ownsKernels`: the kernels are closed, too. */
  constructor(kernels: Kernels, ownsKernels: boolean) {
    this.#scope = new HandleScope(kernels);
    this.kernels = this.#scope.kernels;
    this.#ownsKernels = ownsKernels;
  }

  release(): Promise<void> {
    this.#released ??= this.free();
    return this.#released;
  }

  protected async free(): Promise<void> {
    this.#scope.freeAll();
    if (this.#ownsKernels) await this.kernels.close();
  }
}
