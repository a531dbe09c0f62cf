/** A dictionary with all that compressing needs of it: on the device, and on the host. */

import type { DenseMatrix } from "../../core/matrix.js";
import { type Dictionary, openDictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { AtomOdds } from "./atomOdds.js";
import { dictionaryName } from "./dictionaryFingerprint.js";
import { ExactAtoms } from "./exactAtoms.js";

export class DictionaryAtHand {
  readonly dictionary: Dictionary;
  /** G = DᵀD on the host, m × m. */
  readonly gram: DenseMatrix;
  readonly odds: AtomOdds;
  readonly atoms: ExactAtoms;
  readonly name: Uint8Array;

  private constructor(model: Model, dictionary: Dictionary, gram: DenseMatrix) {
    this.dictionary = dictionary;
    this.gram = gram;
    this.odds = new AtomOdds(model.A.cols, model.uses);
    this.atoms = new ExactAtoms(model);
    this.name = dictionaryName(model);
  }

  static async open(model: Model, kernels: Kernels): Promise<DictionaryAtHand> {
    const dictionary = await openDictionary(model, kernels);
    return new DictionaryAtHand(model, dictionary, await kernels.readMatrix(dictionary.gram));
  }

  free(): void {
    this.dictionary.free();
  }
}
