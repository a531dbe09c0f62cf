/** A dictionary prepared for compression, on the device and on the host. */

import type { DenseMatrix } from "../../core/matrix.js";
import { type Dictionary, openDictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { AtomSetModel } from "./atomSetModel.js";
import { dictionaryFingerprint } from "./dictionaryFingerprint.js";
import { HostAtoms } from "./hostAtoms.js";

export class CodecDictionary {
  readonly onDevice: Dictionary;
  /** G = DᵀD on the host, m × m. */
  readonly gram: DenseMatrix;
  /** The atom set model at the start of each plane. */
  readonly atomSets: AtomSetModel;
  readonly atoms: HostAtoms;
  readonly fingerprint: Uint8Array;

  private constructor(model: Model, onDevice: Dictionary, gram: DenseMatrix) {
    this.onDevice = onDevice;
    this.gram = gram;
    this.atomSets = new AtomSetModel(model.A.cols, model.uses);
    this.atoms = new HostAtoms(model);
    this.fingerprint = dictionaryFingerprint(model);
  }

  static async open(model: Model, kernels: Kernels): Promise<CodecDictionary> {
    const onDevice = await openDictionary(model, kernels);
    return new CodecDictionary(model, onDevice, await kernels.readMatrix(onDevice.gram));
  }

  free(): void {
    this.onDevice.free();
  }
}
