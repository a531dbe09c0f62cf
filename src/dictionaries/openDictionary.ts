/** From the parts of a dictionary on the host to one where the kernels compute. */

import type { Kernels } from "../kernels/contract.js";
import type { Dictionary, DictionaryParts } from "./dictionary.js";
import { ExplicitDictionary } from "./explicitDictionary.js";
import { SparseDictionary } from "./sparseDictionary.js";

/** The dictionary of parts on the host. */
export function openDictionary(
  { base, A, dictionary }: DictionaryParts,
  kernels: Kernels,
): Promise<Dictionary> {
  if (dictionary) return ExplicitDictionary.create(base.shape, dictionary, kernels);
  return A ? SparseDictionary.create(base, A, kernels) : SparseDictionary.ofBase(base, kernels);
}
