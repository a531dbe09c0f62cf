/** Handles of the CPU kernels: addresses in their memory; and that memory, which is handed out in pieces. */

import { InputError } from "../../core/errors.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import {
  type DeviceBase,
  type DeviceMatrix,
  type DeviceSet,
  type DeviceSignals,
  type DeviceSparse,
  ownHandle,
} from "../deviceHandles.js";
import type { Fields } from "../fields.js";

/** A piece of memory from `at` on. */
export class CpuHandle {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

/** A dense matrix: rows × cols f32. */
export class CpuMatrix extends CpuHandle implements DeviceMatrix {
  readonly rows: number;
  readonly cols: number;

  constructor(rows: number, cols: number, at: number) {
    super(at);
    this.rows = rows;
    this.cols = cols;
  }
}

/** Addresses of a `Sparse` of assembly/structs.ts, and of what it points to. Heads share it. */
export interface SparsePlaces {
  readonly at: number;
  readonly indices: number;
  readonly values: number;
  readonly counts: number;
  /** Grows when entries change, so that lists of older ones are recognised (codeLists.ts). */
  version: number;
}

/** Sparse columns. */
export class CpuSparse extends CpuHandle implements DeviceSparse {
  readonly rows: number;
  readonly cols: number;
  readonly width: number;
  readonly places: SparsePlaces;

  constructor(rows: number, cols: number, width: number, places: SparsePlaces) {
    super(places.at);
    this.rows = rows;
    this.cols = cols;
    this.width = width;
    this.places = places;
  }
}

/** The plans of Φᵀ and of Φ. */
export interface BasePlans {
  /** Their addresses. */
  readonly analysis: number;
  readonly synthesis: number;
  /** Rows of the largest block that either makes on its way. */
  readonly blockRows: number;
  /** Weights that one example meets on its way through Φ. */
  readonly weights: number;
}

/** Φ: a `Base` of assembly/structs.ts, and what it points to. */
export class CpuBase extends CpuHandle implements DeviceBase {
  readonly rows: number;
  readonly cols: number;
  readonly plans: BasePlans;

  constructor(rows: number, cols: number, at: number, plans: BasePlans) {
    super(at);
    this.rows = rows;
    this.cols = cols;
    this.plans = plans;
  }
}

/** A set of atoms: `size` of them. */
export class CpuSet extends CpuHandle implements DeviceSet {
  readonly capacity: number;
  size = 0;

  constructor(capacity: number, at: number) {
    super(at);
    this.capacity = capacity;
  }
}

/** Signals one after the other: where each begins, and which of their shapes it has. */
export class CpuSignals extends CpuHandle implements DeviceSignals {
  readonly count: number;
  /** The different shapes, and the place of each signal's among them. */
  readonly shapes: readonly Shape[];
  readonly kinds: Uint32Array;
  readonly firsts: Float64Array;

  constructor(signals: readonly Signal[], at: number) {
    super(at);
    this.count = signals.length;
    const known = new Map<string, number>();
    const shapes: Shape[] = [];
    this.kinds = Uint32Array.from(signals, ({ shape }) => {
      const key = shape.join();
      const kind = known.get(key) ?? shapes.push(shape) - 1;
      known.set(key, kind);
      return kind;
    });
    this.shapes = shapes;
    this.firsts = new Float64Array(signals.length + 1);
    signals.forEach(({ shape }, s) => {
      this.firsts[s + 1] = this.firsts[s] + sizeOf(shape);
    });
  }
}

/** Any handle, as one of these kernels. */
export function own(handle: object): CpuHandle {
  return ownHandle("cpu", handle, CpuHandle);
}

export function dense(handle: DeviceMatrix): CpuMatrix {
  return ownHandle("cpu", handle, CpuMatrix);
}

export function sparse(handle: DeviceSparse): CpuSparse {
  return ownHandle("cpu", handle, CpuSparse);
}

export function base(handle: DeviceBase): CpuBase {
  return ownHandle("cpu", handle, CpuBase);
}

export function set(handle: DeviceSet): CpuSet {
  return ownHandle("cpu", handle, CpuSet);
}

export function signals(handle: DeviceSignals): CpuSignals {
  return ownHandle("cpu", handle, CpuSignals);
}

// Memory of the CPU kernels: one WebAssembly memory, shared between threads if
// allowed, which is handed out in pieces.
//
// Pieces start at multiples of 64 bytes. Freed pieces are joined with their free
// neighbours and used again, first fit, so that training twice in one process does
// not need more memory. The memory itself only grows: to at most 4 GiB, or less if the
// machine does not reserve that much (some phones, 32-bit browsers).

const page = 65536;
/** The most pages that 32-bit addresses reach, and the fewest that are acceptable. */
const maxPages = 65536;
export const mostMemory = maxPages * page;
const minPages = 1024;
const alignment = 64;

/** Bytes at the start that are not handed out: the control block and arguments of the pool, and data of the compiler. */
const reserved = 4096;

/** The fields of a struct in memory: byte offset and type of each. */
export type Layout = Readonly<Record<string, readonly [offset: number, type: "word" | "f32" | "f64"]>>;

interface Piece {
  readonly at: number;
  readonly bytes: number;
}

export class Arena {
  readonly memory: WebAssembly.Memory;
  /** Free pieces, by address; no two of them touch. */
  #free: Piece[] = [];
  /** Sizes of the pieces handed out, by address. */
  readonly #used = new Map<number, number>();
  /** From here on, nothing was ever handed out: it is zero as the memory grows. */
  #untouched = reserved;
  #view: DataView | undefined;

  /** The most bytes that can be handed out. */
  readonly bytesMost: number;

  /** `most`: the most bytes it may grow to. */
  constructor(shared: boolean, most: number = mostMemory) {
    const { memory, pages } = reserve(shared, Math.floor(most / page));
    this.memory = memory;
    this.bytesMost = pages * page - reserved;
    this.#free = [{ at: reserved, bytes: page - reserved }];
  }

  /** Bytes handed out now. */
  get bytesUsed(): number {
    let total = 0;
    for (const bytes of this.#used.values()) total += bytes;
    return total;
  }

  /** A piece of at least this many bytes, zeroed; its address. */
  take(bytes: number): number {
    const size = Math.max(alignment, Math.ceil(bytes / alignment) * alignment);
    const at = this.#find(size) ?? this.#grow(size);
    this.#used.set(at, size);
    const used = Math.min(size, Math.max(0, this.#untouched - at));
    this.f64(at, used / 8).fill(0); // in shared memory a fill by bytes takes four times as long
    this.#untouched = Math.max(this.#untouched, at + size);
    return at;
  }

  /** Give a piece back. */
  give(at: number): void {
    const bytes = this.#used.get(at);
    if (bytes === undefined)
      throw new TypeError("cpu kernels: a handle was freed twice, or belongs to other kernels");
    this.#used.delete(at);
    this.#release({ at, bytes });
  }

  f32(at: number, length: number): Float32Array {
    return new Float32Array(this.memory.buffer as ArrayBuffer, at, length);
  }

  f64(at: number, length: number): Float64Array {
    return new Float64Array(this.memory.buffer as ArrayBuffer, at, length);
  }

  u32(at: number, length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer as ArrayBuffer, at, length);
  }

  /** Write the fields of a struct at an address. */
  write<L extends Layout, Given>(at: number, layout: L, values: Given & Fields<L, Given>): void {
    if (this.#view?.buffer !== this.memory.buffer) this.#view = new DataView(this.memory.buffer);
    for (const field in layout) {
      const [offset, type] = layout[field];
      if (type === "word") this.#view.setUint32(at + offset, values[field], true);
      else if (type === "f32") this.#view.setFloat32(at + offset, values[field], true);
      else this.#view.setFloat64(at + offset, values[field], true);
    }
  }

  u8(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer as ArrayBuffer, at, length);
  }

  #find(size: number): number | undefined {
    const index = this.#free.findIndex((piece) => piece.bytes >= size);
    if (index < 0) return undefined;
    const { at, bytes } = this.#free[index];
    if (bytes === size) this.#free.splice(index, 1);
    else this.#free[index] = { at: at + size, bytes: bytes - size };
    return at;
  }

  #grow(size: number): number {
    const end = this.memory.buffer.byteLength;
    const last = this.#free.at(-1);
    const spare = last && last.at + last.bytes === end ? last.bytes : 0;
    const pages = Math.ceil((size - spare) / page);
    try {
      this.memory.grow(pages);
    } catch {
      throw this.#outOfMemory(size);
    }
    this.#release({ at: end, bytes: pages * page });
    return this.#find(size)!;
  }

  /** What is more than these kernels can ever have is a mistake of the caller; otherwise the system has no more. */
  #outOfMemory(size: number): Error {
    const bytes = this.bytesUsed + size;
    const need = `cpu kernels: ${(bytes / 2 ** 30).toFixed(2)} GiB of memory is needed`;
    if (bytes <= this.bytesMost) return new Error(`${need}, but the system gives no more`);
    const most = (this.bytesMost + reserved) / 2 ** 30;
    return new InputError(`${need}, but at most ${most} GiB is available`);
  }

  /** Add to the free pieces, joined with its neighbours. */
  #release(piece: Piece): void {
    const next = this.#free.findIndex(({ at }) => at > piece.at);
    const index = next < 0 ? this.#free.length : next;
    let { at, bytes } = piece;
    let first = index;
    let count = 0;
    const before = this.#free[index - 1];
    if (before && before.at + before.bytes === at) {
      at = before.at;
      bytes += before.bytes;
      first--;
      count++;
    }
    const after = this.#free[index];
    if (after && at + bytes === after.at) {
      bytes += after.bytes;
      count++;
    }
    this.#free.splice(first, count, { at, bytes });
  }
}

/** A memory of one page that may grow as far as the machine allows: the limit is halved until it is accepted. */
function reserve(
  shared: boolean,
  most: number,
): { readonly memory: WebAssembly.Memory; readonly pages: number } {
  for (let pages = most; ; pages /= 2) {
    try {
      return { memory: new WebAssembly.Memory({ initial: 1, maximum: pages, shared }), pages };
    } catch (error) {
      if (!(error instanceof RangeError) || pages <= minPages) throw error;
    }
  }
}
