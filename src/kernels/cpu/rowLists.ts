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
    for (let s = i * width, end = s + counts[i]!; s < end; s++)
      if (values[s] !== 0) visit(indices[s]!, values[s]!, i);
  }
}

/** starts (m + 1), then examples and coefficients of atom j from starts[j] to starts[j + 1]. */
export interface RowLists {
  readonly starts: Uint32Array;
  readonly examples: Uint32Array;
  readonly coefficients: Float32Array;
  /** The most examples that use one atom. */
  readonly longest: number;
}

/** For each atom, the slots of X with its coefficients: those of atom j from starts[j] to starts[j + 1]. */
export function slotLists(X: SparseViews, atoms: number): { starts: Uint32Array; slots: Uint32Array } {
  const { indices, values, counts, width } = X;
  const starts = new Uint32Array(atoms + 1);
  eachEntry(X, (row) => {
    starts[row + 1]! += 1;
  });
  for (let j = 0; j < atoms; j++) starts[j + 1]! += starts[j]!;
  const next = starts.slice();
  const slots = new Uint32Array(starts[atoms]!);
  for (let i = 0; i < counts.length; i++) {
    for (let s = i * width, end = s + counts[i]!; s < end; s++)
      if (values[s] !== 0) slots[next[indices[s]!]!++] = s;
  }
  return { starts, slots };
}

export function rowLists(X: SparseViews, atoms: number): RowLists {
  const starts = new Uint32Array(atoms + 1);
  eachEntry(X, (row) => {
    starts[row + 1]! += 1;
  });
  let longest = 0;
  for (let j = 0; j < atoms; j++) {
    longest = Math.max(longest, starts[j + 1]!);
    starts[j + 1]! += starts[j]!;
  }
  const next = starts.slice();
  const examples = new Uint32Array(starts[atoms]!);
  const coefficients = new Float32Array(starts[atoms]!);
  eachEntry(X, (row, value, column) => {
    const at = next[row]!++;
    examples[at] = column;
    coefficients[at] = value;
  });
  return { starts, examples, coefficients, longest };
}
