/**
 * Kernels that remember what is made through them, so that all of it is freed even if the work fails
 * half-way: when memory runs out, say. Kernels that are shared then give everything back.
 */

import { chooseKernels } from "./chooseDevice.js";
import type { Kernels } from "./contract.js";

export class HandleScope {
  /** The same kernels; what is made with these belongs to the scope. */
  readonly kernels: Kernels;
  readonly #outer: Kernels;
  readonly #made = new Set<object>();

  constructor(outer: Kernels) {
    this.#outer = outer;
    this.kernels = {
      ...outer,
      get memory() {
        return outer.memory;
      },
      matrix: (rows, cols) => this.#keep(outer.matrix(rows, cols)),
      sparse: (rows, cols, width) => this.#keep(outer.sparse(rows, cols, width)),
      set: (capacity) => this.#keep(outer.set(capacity)),
      base: (factors) => this.#keep(outer.base(factors)),
      signals: (list, scale) => this.#keep(outer.signals(list, scale)),
      free: (...handles) => {
        outer.free(...handles);
        for (const handle of handles) this.#made.delete(handle);
      },
    };
  }

  /** Free what is left. */
  freeAll(): void {
    const left = [...this.#made];
    this.#made.clear();
    this.#outer.free(...left);
  }

  #keep<Made extends object>(handle: Made): Made {
    this.#made.add(handle);
    return handle;
  }
}

/** Run with the caller's kernels, or with the best there are for the time of the call. Nothing made there outlives it. */
export async function withKernels<T>(
  given: Kernels | undefined,
  run: (kernels: Kernels) => Promise<T>,
): Promise<T> {
  const outer = given ?? (await chooseKernels()).kernels;
  const scope = new HandleScope(outer);
  try {
    return await run(scope.kernels);
  } finally {
    scope.freeAll();
    if (!given) await outer.close();
  }
}
