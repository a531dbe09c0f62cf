/**
 * Codes by rows: for each atom, the examples that use it and their coefficients,
 * in the order of the examples. A counting sort of the non-zero entries.
 */

/** The entries of sparse columns, as they lie in memory. */
export interface SparseViews {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
  readonly counts: Uint32Array;
  readonly width: number;
}

/** Call `visit` for every entry that is not zero. */
export function eachEntry(X: SparseViews, visit: (row: number, value: number, column: number) => void): void {
  const { indices, values, counts, width } = X;
  for (let i = 0; i < counts.length; i++) {
    for (let s = i * width, end = s + counts[i]; s < end; s++)
      if (values[s] !== 0) visit(indices[s], values[s], i);
  }
}

/** starts (m + 1), then examples and coefficients of atom j from starts[j] to starts[j + 1]. */
export interface RowLists {
  readonly starts: Uint32Array;
  readonly examples: Uint32Array;
  readonly coefficients: Float32Array;
  /** Where each coefficient stands in X. */
  readonly slots: Uint32Array;
  /** The most examples that use one atom. */
  readonly longest: number;
}

/** The lists of all atoms, or of those of S; then those of others are empty. */
export function rowLists(X: SparseViews, atoms: number, members?: Uint32Array): RowLists {
  const inside = new Uint8Array(atoms).fill(members ? 0 : 1);
  for (const atom of members ?? []) inside[atom] = 1;
  const found = entriesOf(X, inside); // by examples: few, where S is small
  const starts = new Uint32Array(atoms + 1);
  for (const s of found) starts[X.indices[s] + 1] += 1;
  let longest = 0;
  for (let j = 0; j < atoms; j++) {
    longest = Math.max(longest, starts[j + 1]);
    starts[j + 1] += starts[j];
  }
  const next = starts.slice();
  const examples = new Uint32Array(found.length);
  const coefficients = new Float32Array(found.length);
  const slots = new Uint32Array(found.length);
  for (const s of found) {
    const at = next[X.indices[s]]++;
    examples[at] = Math.floor(s / X.width);
    coefficients[at] = X.values[s];
    slots[at] = s;
  }
  return { starts, examples, coefficients, slots, longest };
}

/** The slots of non-zero entries of some atoms, ascending. */
function entriesOf({ indices, values }: SparseViews, inside: Uint8Array): Uint32Array {
  const slots = new Uint32Array(indices.length);
  let count = 0;
  for (let s = 0; s < indices.length; s++) if (inside[indices[s]] && values[s] !== 0) slots[count++] = s;
  return slots.subarray(0, count);
}
