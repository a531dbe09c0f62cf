/** A dictionary prepared for compression, on the device and on the host. */

import type { DenseMatrix } from "../../core/matrix.js";
import { type Dictionary, openDictionary } from "../../dictionaries/dictionary.js";
import type { Kernels } from "../../kernels/contract.js";
import type { Model } from "../../model/model.js";
import { AtomSetModel } from "./atomSetModel.js";
import { dictionaryFingerprint } from "./dictionaryFingerprint.js";
import { HostAtoms } from "./hostAtoms.js";

/** Inner products of atoms by their numbers. */
export type GramEntries = Pick<DenseMatrix, "at">;

/** Inner products of atoms, computed when they are first asked for: for dictionaries without a Gram matrix. */
class AtomProducts implements GramEntries {
  readonly #atoms: HostAtoms;
  readonly #count: number;
  readonly #known = new Map<number, number>();

  constructor(atoms: HostAtoms, count: number) {
    this.#atoms = atoms;
    this.#count = count;
  }

  at(i: number, j: number): number {
    const key = Math.min(i, j) * this.#count + Math.max(i, j);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [a, b] = [this.#atoms.atom(i), this.#atoms.atom(j)];
    const product = Math.fround(a.reduce((sum, value, s) => sum + value * b[s], 0));
    this.#known.set(key, product);
    return product;
  }
}

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
