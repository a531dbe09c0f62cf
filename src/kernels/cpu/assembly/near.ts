/**
 * Pursuits among a few atoms of each example (`ompNear` of the contract): the pursuits of omp.ts and ols.ts over these atoms
 * alone, numbered from 0 in ascending rows. Of G, the columns of the atoms that are taken are copied, at these rows (`columnOf`).
 *
 * Scratch: arguments of its own, the rows and P of the atoms, copies of p columns, then a column of all atoms and twice
 * as much for the selection; the pursuit has what comes after.
 */

import { PursuitArguments } from "./structs";
import { keepLargest } from "./update";

/** Bytes for the arguments. */
const argumentBytes: usize = 256;

/** Arguments of its own for a thread, at the start of the scratch; P, m and rows are those of an example. */
export function ownArguments(args: PursuitArguments, scratch: usize): PursuitArguments {
  const own = changetype<PursuitArguments>(scratch);
  memory.copy(scratch, changetype<usize>(args), offsetof<PursuitArguments>());
  own.all = args.m;
  own.rows = scratch + argumentBytes;
  own.P = own.rows + ((<usize>args.choices) << 2);
  own.columns = own.P + ((<usize>args.choices) << 2);
  return own;
}

/** Where the selection works, and where the pursuit does. */
function selectionOf(own: PursuitArguments): usize {
  return (own.columns + ((<usize>own.choices * <usize>own.p) << 2) + 63) & ~63;
}

export function pursuitScratch(own: PursuitArguments): usize {
  return (selectionOf(own) + 12 * <usize>own.all + 127) & ~63;
}

/** The atoms that example i chooses among: those of its column of A, and the largest of |W|. */
export function chooseNear(own: PursuitArguments, given: PursuitArguments, i: i32): void {
  const size = (<usize>own.all) << 2;
  const column = selectionOf(own);
  const from = <usize>i * size;
  memory.copy(column, own.W + from, size);
  const atom = <usize>(own.first + i * own.step);
  const start = (atom * <usize>own.A.width) << 2;
  const end = start + ((<usize>load<i32>(own.A.counts + (atom << 2))) << 2);
  for (let s = start; s < end; s += 4)
    store<f32>(column + ((<usize>load<u32>(own.A.indices + s)) << 2), f32.MAX_VALUE);
  own.m = keepLargest(column, own.all, own.choices, own.choices, own.rows, own.P, column + size);
  for (let c: usize = 0; c < (<usize>own.m) << 2; c += 4)
    store<f32>(own.P + c, load<f32>(given.P + from + ((<usize>load<u32>(own.rows + c)) << 2)));
}

/** Numbers among the few become rows. */
export function nameRows(own: PursuitArguments, indices: usize, taken: i32): void {
  for (let t: usize = 0; t < (<usize>taken) << 2; t += 4)
    store<u32>(indices + t, load<u32>(own.rows + ((<usize>load<u32>(indices + t)) << 2)));
}
