/** A dictionary prepared for compression, on the device and on the host. */

import type { DenseMatrix } from "../../core/matrix.js";
import { type Dictionary, openDictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { AtomProducts, type GramEntries } from "./atomProducts.js";
import { dictionaryFingerprint } from "./dictionaryFingerprint.js";
import { AtomSetModel } from "./entropy/atomSetModel.js";
import { HostAtoms } from "./hostAtoms.js";

export class CodecDictionary {
  readonly onDevice: Dictionary;
  /** Entries of G = DᵀD. */
  readonly gram: GramEntries;
  /** The atom set model at the start of each plane. */
  readonly atomSets: AtomSetModel;
  readonly atoms: HostAtoms;
  readonly fingerprint: Uint8Array;

  private constructor(model: Model, onDevice: Dictionary, gram: DenseMatrix | undefined) {
    this.onDevice = onDevice;
    this.atomSets = new AtomSetModel(model.A.cols, model.uses);
    this.atoms = new HostAtoms(model);
    this.gram = gram ?? new AtomProducts(this.atoms, model.A.cols);
    this.fingerprint = dictionaryFingerprint(model);
  }

  static async open(model: Model, kernels: Kernels): Promise<CodecDictionary> {
    const onDevice = await openDictionary(model, kernels);
    const { gram } = onDevice;
    return new CodecDictionary(model, onDevice, gram && (await kernels.readMatrix(gram)));
  }

  free(): void {
    this.onDevice.free();
  }
}
