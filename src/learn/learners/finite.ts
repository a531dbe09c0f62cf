/**
 * Whether a dictionary in training is still made of numbers. A step that explodes
 * leaves NaN or infinities in atoms; the pursuit then never takes such an atom again,
 * so the error alone may not show it. What a look costs is one number an atom.
 */

import type { ExplicitDictionary } from "../../dictionaries/explicitDictionary.js";
import type { SparseDictionary } from "../../dictionaries/sparseDictionary.js";
import type { Kernels } from "../../kernels/contract.js";

/** A run that has come to numbers that are none. Its message names the step. */
export class UnhealthyError extends Error {
  override readonly name = "UnhealthyError";
}

/** The first of these values that is not finite; −1 where all are. */
export function firstNotFinite(values: ArrayLike<number>): number {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return i;
  return -1;
}

/** A norm above this has exploded: sums of squares are about to leave the range of f32. */
const outsize = 2 ** 60;

/** What is wrong with an atom of D = ΦA, in words. A zero atom is nothing wrong. */
export async function sparseFlaw(D: SparseDictionary, kernels: Kernels): Promise<string | undefined> {
  const scale = (await kernels.readMatrix(D.scale)).data;
  const suspects = Array.from(scale.keys()).filter((j) => !(scale[j] > 1 / outsize));
  if (suspects.length === 0) return undefined;
  const A = await kernels.readSparse(D.A);
  const exploded = (j: number) => A.slice(j, j + 1).values.some((value) => !(Math.abs(value) < 2 ** 40));
  const bad = suspects.find((j) => scale[j] !== 0 || exploded(j)); // 1/∞ is 0 as well
  return bad === undefined ? undefined : `atom ${bad} is not finite`;
}

/** The same of an explicit dictionary. */
export async function explicitFlaw(D: ExplicitDictionary, kernels: Kernels): Promise<string | undefined> {
  const energies = kernels.matrix(1, D.cols);
  await kernels.columnEnergies(D.atoms, energies);
  const bad = firstNotFinite((await kernels.readMatrix(energies)).data);
  kernels.free(energies);
  return bad < 0 ? undefined : `atom ${bad} is not finite`;
}
