/**
 * Groups of atoms of which no example uses two. An atom of a group changes only residuals
 * that no other atom of the group looks at, so updating a group at once gives the same
 * result as updating its atoms one after the other. (8) and Sparse K-SVD ask for the
 * latter; the former is fast on a device.
 */

import type { SparseColumns } from "../../../core/matrix.js";

/** Groups of at most `maxSize` atoms, in the order of their updates; every atom that X uses is in one of them. */
export function independentGroups(X: SparseColumns, maxSize: number): Uint32Array[] {
  const { starts, examples } = examplesByAtom(X);
  const words = Math.ceil(X.rows / 32);
  const taken = new Uint32Array(X.cols * words); // per example, a bit for each group that has one of its atoms
  const found = new Uint32Array(words);
  const groups: number[][] = [];
  for (let atom = 0; atom < X.rows; atom++) {
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

/** The examples that use each atom, those of atom j from starts[j] to starts[j + 1]. */
function examplesByAtom(X: SparseColumns): { starts: Uint32Array; examples: Uint32Array } {
  const starts = new Uint32Array(X.rows + 1);
  for (let s = 0; s < X.values.length; s++) if (X.values[s] !== 0) starts[X.indices[s] + 1] += 1;
  for (let j = 0; j < X.rows; j++) starts[j + 1] += starts[j];
  const next = starts.slice();
  const examples = new Uint32Array(starts[X.rows]);
  for (let s = 0; s < X.values.length; s++)
    if (X.values[s] !== 0) examples[next[X.indices[s]]++] = Math.floor(s / X.width);
  return { starts, examples };
}

/** ‖xⱼ‖² of each row of X. */
export function rowEnergies(X: SparseColumns): Float64Array {
  const energies = new Float64Array(X.rows);
  for (let s = 0; s < X.values.length; s++) energies[X.indices[s]] += X.values[s] ** 2;
  return energies;
}
