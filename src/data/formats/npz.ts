/**
 * numpy's `.npz`: a zip archive with one `.npy` file per array, named after the array.
 *
 * Written archives are not compressed and depend on the arrays only: the same
 * arrays give the same bytes. Read archives may be stored or deflated
 * (`numpy.savez`, `numpy.savez_compressed`, `scipy.sparse.save_npz`).
 */

import { InputError, show } from "../../core/errors.js";
import { type NpyArray, npyParts, readNpy } from "./npy.js";
import { extractZip, listZip, writeZip } from "./zip.js";

/** How many bytes an archive of `packed` bytes may inflate to: enough for arrays, too little for zip bombs. */
function maxInflated(packed: number): number {
  return Math.min(2 ** 33, Math.max(2 ** 28, 64 * packed));
}

/**
 * The arrays of an archive by name, in its order; `name` is for messages.
 * Members that are not `.npy` files are skipped. An archive that declares more
 * than `limit` bytes is rejected before anything is inflated.
 */
export function readNpz(
  bytes: Uint8Array,
  name: string,
  limit = maxInflated(bytes.length),
): Map<string, NpyArray> {
  const members = listZip(bytes, name).filter((member) => member.name.endsWith(".npy"));
  const total = members.reduce((sum, member) => sum + member.size, 0);
  if (!(total <= limit)) {
    throw new InputError(`${name}: holds ${total} bytes when inflated, more than the limit of ${limit}`);
  }
  const arrays = new Map<string, NpyArray>();
  for (const member of members) {
    const key = member.name.slice(0, -".npy".length);
    if (arrays.has(key)) throw new InputError(`${name}: array ${show(key)} appears twice`);
    const label = /^[\w./-]{1,60}$/.test(key) ? key : show(key);
    arrays.set(key, readNpy(extractZip(bytes, member, name), `${name}[${label}]`));
  }
  return arrays;
}

/** The bytes of a `.npz` file of these arrays, in this order. */
export function writeNpz(entries: Iterable<readonly [string, NpyArray]>): Uint8Array {
  return writeZip(Array.from(entries, ([name, array]) => ({ name: `${name}.npy`, parts: npyParts(array) })));
}
