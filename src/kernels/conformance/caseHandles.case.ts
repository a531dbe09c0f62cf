/**
 * The handles of a conformance case, which are checked and freed after it.
 *
 * Inputs (`put`) must not change. Outputs (`room`) start full of old values, which no
 * result may depend on, and are the head of something larger, whose other columns no
 * operation may touch.
 */

import { expect } from "vitest";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import type { DeviceMatrix, DeviceSet, DeviceSparse, Kernels } from "../contract.js";
import { expectSame } from "./oracle.case.js";

/** One requirement of kernels. `scale` is the size of the data: 1, 1e-12 or 1e12. */
export interface ConformanceCase {
  readonly title: string;
  /** Run it once rather than for many draws. */
  readonly once?: boolean;
  /** Whether it takes long on a slow device, and is left out there. */
  readonly large?: true;
  check(bench: Bench, rng: Rng, scale: number): Promise<void>;
}

/** Room for a result. */
export interface Room<Handle, Host> {
  readonly handle: Handle;
  /** The result, after checking that the columns after it did not change. */
  read(): Promise<Host>;
}

/** The contents of an output before the operation, and of the columns after it. */
const old = 12345;
const spare = 2;

export class Bench {
  readonly kernels: Kernels;
  #handles: object[] = [];
  #checks: (() => Promise<void>)[] = [];

  constructor(kernels: Kernels) {
    this.kernels = kernels;
  }

  /** A handle to be freed after the case. */
  keep<T extends object>(handle: T): T {
    this.#handles.push(handle);
    return handle;
  }

  /** A matrix that operations change in place. */
  async hold(matrix: DenseMatrix): Promise<DeviceMatrix> {
    const handle = this.keep(this.kernels.matrix(matrix.rows, matrix.cols));
    await this.kernels.writeMatrix(handle, matrix);
    return handle;
  }

  /** Sparse columns that operations change in place. */
  async holdSparse(matrix: SparseColumns): Promise<DeviceSparse> {
    const handle = this.keep(this.kernels.sparse(matrix.rows, matrix.cols, matrix.width));
    await this.kernels.writeSparse(handle, matrix);
    return handle;
  }

  /** An input: it must not change. */
  async put(matrix: DenseMatrix): Promise<DeviceMatrix> {
    const handle = await this.hold(matrix);
    const before = matrix.copy();
    this.#checks.push(async () => {
      expectSame((await this.kernels.readMatrix(handle)).data, before.data, "an input");
    });
    return handle;
  }

  async putSparse(matrix: SparseColumns): Promise<DeviceSparse> {
    const handle = await this.holdSparse(matrix);
    const before = matrix.toDense();
    this.#checks.push(async () => {
      expectSame((await this.kernels.readSparse(handle)).toDense().data, before.data, "a sparse input");
    });
    return handle;
  }

  async putSet(capacity: number, members: Iterable<number>): Promise<DeviceSet> {
    const handle = this.keep(this.kernels.set(capacity));
    const before = Uint32Array.from(members);
    await this.kernels.writeSet(handle, before.slice());
    this.#checks.push(async () => expect(await this.kernels.readSet(handle)).toEqual(before));
    return handle;
  }

  /** Room for a dense result. */
  async room(rows: number, cols: number): Promise<Room<DeviceMatrix, DenseMatrix>> {
    const whole = await this.hold(DenseMatrix.build(rows, cols + spare, () => old));
    const read = async () => {
      const all = await this.kernels.readMatrix(whole);
      expect(
        all.slice(cols, cols + spare).data.every((value) => value === old),
        "the columns behind the result",
      ).toBe(true);
      return all.slice(0, cols).copy();
    };
    return { handle: this.kernels.head(whole, cols), read };
  }

  /** Room for sparse columns. */
  async sparseRoom(rows: number, cols: number, width: number): Promise<Room<DeviceSparse, SparseColumns>> {
    const full = new SparseColumns(rows, cols + spare, width);
    const filled = Array.from({ length: Math.min(rows, width) }, (_, s) => rows - 1 - s);
    for (let j = 0; j < full.cols; j++)
      full.setColumn(
        j,
        filled,
        filled.map(() => old),
      );
    const whole = await this.holdSparse(full);
    const read = async () => {
      const all = await this.kernels.readSparse(whole);
      const behind = (X: SparseColumns) => X.slice(cols, cols + spare).toDense().data;
      expectSame(behind(all), behind(full), "the columns behind the result");
      const result = all.slice(0, cols).copy();
      expectTidy(result);
      return result;
    };
    return { handle: this.kernels.headSparse(whole, cols), read };
  }

  /** Run a case, check that its inputs did not change, and free everything. */
  async run(body: () => Promise<void>): Promise<void> {
    try {
      await body();
      for (const check of this.#checks) await check();
    } finally {
      this.kernels.free(...this.#handles);
      this.#handles = [];
      this.#checks = [];
    }
  }
}

/** Sparse columns as `SparseColumns` requires: distinct rows in the first slots, zeros after them. */
export function expectTidy(X: SparseColumns): void {
  for (let j = 0; j < X.cols; j++) {
    const [start, count] = [j * X.width, X.counts[j]];
    expect(count).toBeLessThanOrEqual(X.width);
    const rows = [...X.indices.subarray(start, start + count)];
    expect(new Set(rows).size, `column ${j}: rows ${rows}`).toBe(count);
    expect(rows.every((row) => row < X.rows)).toBe(true);
    const behind = [X.indices, X.values].flatMap((slots) => [
      ...slots.subarray(start + count, start + X.width),
    ]);
    expect(
      behind.every((slot) => slot === 0),
      `column ${j}: slots behind its entries`,
    ).toBe(true);
  }
}
