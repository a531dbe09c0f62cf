/** Dense products in blocks (tiles.ts): P = DᵀY and C + YYᵀ. */

import { blockSide, panelTerms, tileColumns, tileRows } from "./constants";
import {
  addPanels,
  clearSums,
  columnPanel,
  packColumns,
  packRows,
  putColumns,
  putMirror,
  rowPanel,
  sumStep,
} from "./tiles";

/** The row of blocks that block `item` of a lower triangle is in, counted row by row. */
function triangleRow(item: i32): i32 {
  let row = <i32>((sqrt<f64>(8 * <f64>item + 1) - 1) / 2);
  while ((row * (row + 1)) / 2 > item) row--;
  while (((row + 1) * (row + 2)) / 2 <= item) row++;
  return row;
}

@unmanaged
class CorrelateArguments {
  D: usize;
  n: i32;
  m: i32;
  Y: usize;
  columns: i32;
  P: usize;
}

/**
 * P ← DᵀY. Items are blocks of P. If Y is D, they are those of its lower triangle, and the upper one is its mirror.
 * Scratch: a block.
 */
export function correlate(from: i32, to: i32, scratch: usize, args: CorrelateArguments): void {
  const m = args.m;
  const own = args.D === args.Y && args.columns === m;
  const high = (m + blockSide - 1) / blockSide;
  const step = (<usize>m) << 2;
  for (let item = from; item < to; item++) {
    const row = own ? triangleRow(item) : item % high;
    const column = own ? item - (row * (row + 1)) / 2 : item / high;
    const i = row * blockSide;
    const j = column * blockSide;
    const rows = min(blockSide, m - i);
    const columns = min(blockSide, args.columns - j);
    correlateBlock(args, i, rows, j, columns, own && row === column, scratch);
    const at = args.P + <usize>j * step + ((<usize>i) << 2);
    if (own && row === column) {
      putLower(scratch, rows, at, step);
      continue;
    }
    putColumns(scratch, rows, columns, at, step);
    if (own) putMirror(scratch, rows, columns, args.P + <usize>i * step + ((<usize>j) << 2), step);
  }
}

/** The sums of a block ← correlations of atoms [i, i + rows) with columns [j, j + columns) of Y. */
function correlateBlock(
  args: CorrelateArguments,
  i: i32,
  rows: i32,
  j: i32,
  columns: i32,
  lower: bool,
  scratch: usize,
): void {
  const n = args.n;
  const step = (<usize>n) << 2;
  clearSums(scratch, columns);
  for (let first = 0; first < n; first += panelTerms) {
    const terms = min(panelTerms, n - first);
    const at = (<usize>first) << 2;
    packColumns(args.D + <usize>i * step + at, step, rows, terms, rowPanel(scratch), tileRows);
    packColumns(args.Y + <usize>j * step + at, step, columns, terms, columnPanel(scratch), tileColumns);
    addPanels(scratch, rows, columns, terms, lower);
  }
}

/** A block on the diagonal ← the lower triangle of its sums, and the mirror. */
function putLower(scratch: usize, side: i32, to: usize, step: usize): void {
  for (let j = 0; j < side; j++) {
    for (let i = j; i < side; i++) {
      const sum = load<f32>(scratch + <usize>j * sumStep + ((<usize>i) << 2));
      store<f32>(to + <usize>j * step + ((<usize>i) << 2), sum);
      store<f32>(to + <usize>i * step + ((<usize>j) << 2), sum);
    }
  }
}

@unmanaged
class AddOuterArguments {
  Y: usize;
  n: i32;
  columns: i32;
  C: usize;
}

/** C ← C + YYᵀ. Items are blocks of the lower triangle of C; the upper one is its mirror. Scratch: a block. */
export function addOuter(from: i32, to: i32, scratch: usize, args: AddOuterArguments): void {
  const n = args.n;
  const step = (<usize>n) << 2;
  for (let item = from; item < to; item++) {
    const row = triangleRow(item);
    const i = row * blockSide;
    const j = (item - (row * (row + 1)) / 2) * blockSide;
    const rows = min(blockSide, n - i);
    const columns = min(blockSide, n - j);
    clearSums(scratch, columns);
    for (let first = 0; first < args.columns; first += panelTerms) {
      const terms = min(panelTerms, args.columns - first);
      const Y = args.Y + <usize>first * step;
      packRows(Y + ((<usize>i) << 2), step, rows, terms, rowPanel(scratch), tileRows);
      packRows(Y + ((<usize>j) << 2), step, columns, terms, columnPanel(scratch), tileColumns);
      addPanels(scratch, rows, columns, terms, i === j);
    }
    for (let c = 0; c < columns; c++)
      addColumn(
        args.C,
        n,
        i === j ? i + c : i,
        i + rows,
        j + c,
        scratch + <usize>c * sumStep - ((<usize>i) << 2),
      );
  }
}

/** Rows [from, to) of a column of C, and their mirror, ← themselves + sums[row]. */
function addColumn(C: usize, n: i32, from: i32, to: i32, column: i32, sums: usize): void {
  for (let row = from; row < to; row++) {
    const at = C + ((<usize>column * <usize>n + <usize>row) << 2);
    const value = load<f32>(at) + load<f32>(sums + ((<usize>row) << 2));
    store<f32>(at, value);
    store<f32>(C + ((<usize>row * <usize>n + <usize>column) << 2), value);
  }
}
