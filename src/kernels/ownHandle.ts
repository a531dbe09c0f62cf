/** The check that a handle belongs to the kernels it is given to. */

import type { Kernels } from "./contract.js";

/** The handle as the class its kernels made it of. A handle of other kernels is an error of the program. */
export function ownHandle<T extends object>(
  kernels: Kernels["name"],
  handle: object,
  type: new (...args: never[]) => T,
): T {
  if (handle instanceof type) return handle;
  throw new TypeError(`${kernels} kernels: ${handle?.constructor?.name} belongs to other kernels`);
}
