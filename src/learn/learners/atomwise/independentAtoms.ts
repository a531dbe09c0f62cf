/**
 * Groups of atoms of which no example uses two. An atom of a group changes only residuals
 * that no other atom of the group looks at, so updating a group at once gives the same
 * result as updating its atoms one after the other. (8) and Sparse K-SVD ask for the
 * latter; the former is fast on a device.
 */

import type { SparseRows } from "../../../kernels/contract.js";

/** Groups of at most `maxSize` atoms, in the order of their updates; every atom that X uses is in one of them. */
export function independentGroups(X: SparseRows, maxSize: number): Uint32Array[] {
  const { starts, columns: examples } = X;
  const atoms = starts.length - 1;
  const words = Math.ceil(atoms / 32);
  const taken = new Uint32Array(X.cols * words); // per example, a bit for each group that has one of its atoms
  const found = new Uint32Array(words);
  const groups: number[][] = [];
  for (let atom = 0; atom < atoms; atom++) {
    const users = examples.subarray(starts[atom], starts[atom + 1]);
    if (users.length === 0) continue;
    const known = Math.ceil(groups.length / 32);
    found.fill(0, 0, known);
    for (const i of users) for (let w = 0; w < known; w++) found[w] |= taken[i * words + w];
    let group = 0;
    while (group < groups.length && (hasBit(found, group) || groups[group].length === maxSize)) group++;
    if (group === groups.length) groups.push([]);
    groups[group].push(atom);
    for (const i of users) taken[i * words + (group >> 5)] |= 1 << (group & 31);
  }
  return groups.map((group) => Uint32Array.from(group));
}

function hasBit(bits: Uint32Array, at: number): boolean {
  return ((bits[at >> 5] >>> (at & 31)) & 1) === 1;
}

/** ‖xⱼ‖² of each row of X. */
export function rowEnergies({ starts, values }: SparseRows): Float64Array {
  const energies = new Float64Array(starts.length - 1);
  for (let j = 0; j < energies.length; j++) {
    for (let e = starts[j]; e < starts[j + 1]; e++) energies[j] += values[e] ** 2;
  }
  return energies;
}
