/**
 * Kernels that check what they are given: handles of their own that are not freed, and sizes
 * that fit together. Without it, a slip in a loop of one's own would change another matrix.
 *
 * Arguments are checked when an operation is called, in the order of the calls. The checks
 * take about a microsecond per operation. Every operation is listed below: one that is
 * forgotten does not compile.
 */

import { asyncDispose, releaseWhenCollected } from "../core/disposal.js";
import { InputError } from "../core/errors.js";
import { DenseMatrix, SparseColumns } from "../core/matrix.js";
import { requireInteger } from "../core/require.js";
import { requireShape, sizeOf } from "../core/shape.js";
import {
  requireEntries,
  requireFactors,
  requireHost,
  requireLimits,
  requireNumber,
  requirePlace,
  requireRange,
  requireSignals,
  requireSizes,
  requireSlot,
  requireWords,
  wrongSizes,
} from "./argumentChecks.js";
import type { DeviceKernels, Kernels } from "./contract.js";
import { type HandleKind, HandleTable } from "./handleTable.js";

/** Operations on handles: all that return a promise. */
export type OperationName = {
  [Name in keyof DeviceKernels]-?: DeviceKernels[Name] extends (...args: never[]) => Promise<unknown>
    ? Name
    : never;
}[Exclude<keyof DeviceKernels, "close">];

/**
 * The handles among the parameters of each operation: name, kind and sizes. A letter stands for one size in all
 * parameters of an operation; `*` is any size, `?` a handle that may be left out, and an empty text no handle.
 */
export const signatures: Readonly<Record<OperationName, readonly string[]>> = {
  copyColumns: ["source: matrix n *", "", "target: matrix n N"],
  copySparse: ["source: sparse m *", "target: sparse m *"],
  writeMatrix: ["target: matrix * *"],
  writeSparse: ["target: sparse * *"],
  writeColumns: ["target: sparse * *"],
  writeSet: ["target: set *"],
  readMatrix: ["source: matrix * *"],
  readSparse: ["source: sparse * *"],
  readRows: ["source: sparse * *"],
  readSet: ["source: set *"],

  analyze: ["base: base n L", "Y: matrix n N", "Z: matrix L N"],
  synthesize: ["base: base n L", "C: matrix L N", "Y: matrix n N"],
  project: ["base: base n L", "A: sparse L m", "scale: matrix m 1", "Y: matrix n N", "P: matrix m N"],
  reconstruct: ["base: base n L", "A: sparse L m", "X: sparse m N", "Y: matrix n N"],
  residual: [
    ...["base: base n L", "A: sparse L m", "X: sparse m N"],
    ...["Y: matrix n N", "R: matrix n N", "W?: matrix L N"],
  ],
  refreshGram: ["base: base n L", "A: sparse L m", "S: set m", "G?: matrix m m", "scale: matrix m 1"],
  coherence: ["G: matrix m *", "coherence: matrix m 1"],

  columnEnergies: ["Y: matrix n N", "energies: matrix 1 N"],
  batchOmp: [
    ...["G: matrix m m", "P: matrix m N", "energies: matrix 1 N", ""],
    ...["X: sparse m N", "path?: matrix * N"],
  ],
  ompFromAtoms: [
    ...["base: base n L", "A: sparse L m", "scale: matrix m 1", "Y: matrix n N", "energies: matrix 1 N", ""],
    ...["X: sparse m N", "path?: matrix * N"],
  ],
  ompNear: [
    ...["G: matrix m m", "P: matrix m N", "W: matrix m N", "energies: matrix 1 N"],
    ...["A: sparse m *", "", "", "X: sparse m N"],
  ],
  scaleRows: ["scale: matrix m 1", "X: sparse m N"],

  usedAtoms: ["X: sparse m N", "S: set m"],
  countUses: ["X: sparse m N", "uses: matrix m 1"],
  gradient: ["W: matrix L N", "X: sparse m N", "S: set m", "grad: matrix L *"],
  movedEnergy: ["base: base n L", "grad: matrix L *", "S: set m", "X: sparse m N", "scalars: matrix * *"],
  addSquaredNorm: ["M: matrix * *", "scalars: matrix * *"],
  normRatio: ["scalars: matrix * *"],
  moveAtoms: ["", "U: matrix L m", "S: set m", "A: sparse L m"],
  thresholdAtoms: ["A: sparse L *", "", "", "W: matrix L N", "C: sparse L N"],
  takeEntries: ["W: matrix L N", "C: sparse L N", "V: sparse L N"],
  addEntries: ["V: sparse L N", "energies: matrix 1 N", "C: sparse L N"],
  acceptAtoms: [
    ...["C: sparse L N", "energies: matrix 1 N", "left: matrix 1 N", "distances: matrix 1 N"],
    "A: sparse L *",
  ],
  clearColumns: ["S: set m", "M: matrix * m"],
  exchangeAtoms: ["before: matrix n *", "after: matrix n *", "S: set m", "X: sparse m N", "R: matrix n N"],

  correlate: ["D: matrix n m", "Y: matrix n N", "P: matrix m N"],
  combine: ["D: matrix n m", "X: sparse m N", "Y: matrix n N"],
  remainder: ["D: matrix n m", "X: sparse m N", "Y: matrix n N", "R: matrix n N"],
  addMoments: ["", "Y: matrix n N", "X: sparse m N", "B: matrix n m", "C: matrix m m"],
  descendAtoms: ["B: matrix n m", "C: matrix m m", "D: matrix n m"],
  refitAtoms: ["R: matrix n N", "X: sparse m N", "D: matrix n m"],
  addOuter: ["Y: matrix n N", "C: matrix n n"],

  extract: ["signals: signals", "", "", "Y: matrix n N", "means?: matrix 1 N"],
  addWindows: ["Y: matrix n N", "means?: matrix 1 N", "", "", "", "sum: matrix * 1"],
};

/** The parameters that are not handles, and handles within them. */
const furtherChecks: {
  readonly [Name in OperationName]?: (
    where: string,
    table: HandleTable,
    ...args: Parameters<Kernels[Name]>
  ) => void;
} = {
  copyColumns(where, _, source, first, target) {
    requireInteger(where, "first", first, 0, source.cols - target.cols);
  },
  copySparse(where, _, source, target, first) {
    requireInteger(where, "source.width", source.width, target.width, target.width);
    requireInteger(where, "first", first, 0, target.cols - source.cols);
  },
  writeMatrix(where, _, target, source) {
    requireHost(where, source, DenseMatrix, "a DenseMatrix");
    requireSizes(where, "source", source, [target.rows, target.cols]);
  },
  writeSparse(where, _, target, source) {
    requireHost(where, source, SparseColumns, "SparseColumns");
    requireSizes(where, "source", source, [target.rows, target.cols]);
    requireInteger(where, "source.width", source.width, 0, target.width);
  },
  writeColumns(where, _, target, places, source) {
    requireHost(where, source, SparseColumns, "SparseColumns");
    requireSizes(where, "source", source, [target.rows, source.cols]);
    requireInteger(where, "source.width", source.width, 0, target.width);
    requireWords(where, "places", places, source.cols);
    for (const place of places) requireInteger(where, "places", place, 0, target.cols - 1);
    if (new Set(places).size < places.length) throw new InputError(`${where}: no two places may be the same`);
  },
  writeSet(where, _, { capacity }, members) {
    requireWords(where, "members", members);
    requireInteger(where, "members.length", members.length, 0, capacity);
    for (const atom of members) requireInteger(where, "members", atom, 0, capacity - 1);
  },
  coherence(where, _table, G, _coherence, first = 0) {
    requireInteger(where, "first", first, 0, G.rows - G.cols);
  },
  batchOmp: (where, _table, _G, _P, _energies, limits, X, path) => requireLimits(where, limits, X, path),
  ompFromAtoms: (where, _table, _base, _A, _scale, _Y, _energies, limits, X, path) =>
    requireLimits(where, limits, X, path),
  ompNear(where, _table, G, P, _W, _energies, A, near, limits, X) {
    requireLimits(where, limits, X, undefined);
    requireInteger(where, "near.choices", near?.choices, A.width, G.rows);
    requireRange(where, "near", near, P.cols, A);
  },
  gradient(where, table, _W, _X, _S, _grad, energy) {
    if (energy !== undefined) requirePlace(where, table, energy);
  },
  movedEnergy: (where, _table, _base, _grad, _S, _X, scalars, slot) =>
    requireSlot(where, "slot", slot, scalars),
  addSquaredNorm: (where, _table, _M, scalars, slot) => requireSlot(where, "slot", slot, scalars),
  normRatio(where, _, scalars, num, den, out) {
    for (const [name, slot] of Object.entries({ num, den, out })) requireSlot(where, name, slot, scalars);
  },
  moveAtoms(where, table, k, U, _S, A, step) {
    requireInteger(where, "k", k, 1, A.width);
    requireNumber(where, "step.gamma", step?.gamma);
    table.requireHandle(where, "step.scalars", step.scalars, "matrix");
    requireSlot(where, "step.eta", step.eta, step.scalars);
    table.requireHandle(where, "step.grad", step.grad, "matrix");
    requireSizes(where, "step.grad", step.grad, [U.rows, step.grad.cols]);
  },
  thresholdAtoms(where, _table, A, columns, mu, W, C) {
    requireNumber(where, "mu", mu);
    requireInteger(where, "C.width", C.width, Math.max(1, A.width));
    requireRange(where, "columns", columns, W.cols, A);
  },
  takeEntries: (where, _table, _W, C, V) => void requireInteger(where, "V.width", V.width, C.width, C.width),
  addEntries: (where, _table, V, _energies, C) =>
    void requireInteger(where, "V.width", V.width, C.width, C.width),
  acceptAtoms(where, _table, C, _energies, _left, _distances, A, first) {
    requireInteger(where, "C.width", C.width, 0, A.width);
    requireInteger(where, "first", first, 0, A.cols - C.cols);
  },
  addMoments: (where, _, beta) => requireNumber(where, "beta", beta),
  descendAtoms(where, _table, _B, _C, D, step = 1, atoms = { first: 0, count: D.cols }) {
    requireNumber(where, "step", step);
    requireInteger(where, "atoms.first", atoms.first, 0, D.cols);
    requireInteger(where, "atoms.count", atoms.count, 0, D.cols - atoms.first);
  },
  extract(where, _, { count }, windows, patch, Y) {
    const { signal, start } = windows ?? {};
    requireWords(where, "windows.signal", signal, Y.cols);
    requireWords(where, "windows.start", start, Y.cols);
    for (const s of signal) requireInteger(where, "windows.signal", s, 0, count - 1);
    requireSizes(where, "Y", Y, [sizeOf(requireShape(where, "patch", patch)), Y.cols]);
  },
  addWindows(where, _table, Y, _means, start, patch, shape, sum) {
    requireWords(where, "start", start, Y.cols);
    requireSizes(where, "Y", Y, [sizeOf(requireShape(where, "patch", patch)), Y.cols]);
    requireSizes(where, "sum", sum, [sizeOf(requireShape(where, "shape", shape)), 1]);
  },
};

/** Kernels with operations that have not ended: they are in use, even if nobody else refers to them. */
const busy = new Set<object>();

/**
 * The same kernels, with checks. After `close`, every operation is an error, and `free` does nothing. Kernels that
 * nobody closed are closed when nobody can use them any more.
 */
export function checked(kernels: DeviceKernels): Kernels {
  const table = new HandleTable();
  const title = `${kernels.name} kernels`;
  let closed: Promise<void> | undefined;
  let running = 0;
  const requireOpen = () => {
    if (closed) throw new Error(`${title}: closed; they can no longer be used`);
  };
  const settled = () => {
    if (--running === 0) busy.delete(result);
  };
  /** A new handle; memory that the engine refuses is an error of the sizes. */
  const make = <T extends object>(kind: HandleKind, create: () => T, ...sizes: readonly number[]): T => {
    requireOpen();
    try {
      return table.add(kind, create());
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const what = `${sizes.join(" × ")} entries`;
      throw new InputError(`not enough memory for ${what} (${error.message})`, {
        where: `${title}: ${kind}`,
      });
    }
  };
  const operation = (name: OperationName) => {
    const run = kernels[name] as (...args: unknown[]) => Promise<unknown>;
    const check = checksOf(`${title}: ${name}`, name, table);
    return (...args: unknown[]): Promise<unknown> => {
      try {
        requireOpen();
        check(args);
      } catch (error) {
        return Promise.reject(error);
      }
      if (running++ === 0) busy.add(result);
      const done = run(...args);
      done.then(settled, settled);
      return done;
    };
  };
  const operations = Object.fromEntries(operationNames.map((name) => [name, operation(name)]));
  const close = () => {
    keep();
    closed ??= kernels.close();
    return closed;
  };
  const result: Kernels = {
    name: kernels.name,
    description: kernels.description,
    get memory() {
      return kernels.memory;
    },
    mostGramAtoms: kernels.mostGramAtoms,
    divided: kernels.divided,
    workspace: kernels.workspace,
    close,
    [asyncDispose]: close,
    matrix(rows, cols) {
      requireEntries(`${title}: matrix`, { rows, cols });
      return make("matrix", () => kernels.matrix(rows, cols), rows, cols);
    },
    sparse(rows, cols, width) {
      requireEntries(`${title}: sparse`, { cols, width });
      requireInteger(`${title}: sparse`, "rows", rows, 0, 2 ** 32);
      return make("sparse", () => kernels.sparse(rows, cols, width), cols, width);
    },
    set(capacity) {
      requireEntries(`${title}: set`, { capacity });
      return make("set", () => kernels.set(capacity), capacity);
    },
    base(factors) {
      requireFactors(`${title}: base`, factors);
      return make("base", () => kernels.base(factors), ...factors.map(({ data }) => data.length));
    },
    signals(list, scale = 1) {
      requireSignals(`${title}: signals`, list);
      requireNumber(`${title}: signals`, "scale", scale);
      return make("signals", () => kernels.signals(list, scale), list.length);
    },
    head(matrix, cols) {
      requireOpen();
      table.requireHandle(`${title}: head`, "matrix", matrix, "matrix");
      requireInteger(`${title}: head`, "cols", cols, 0, matrix.cols);
      return table.addHead(matrix, kernels.head(matrix, cols));
    },
    headSparse(sparse, cols) {
      requireOpen();
      table.requireHandle(`${title}: headSparse`, "sparse", sparse, "sparse");
      requireInteger(`${title}: headSparse`, "cols", cols, 0, sparse.cols);
      return table.addHead(sparse, kernels.headSparse(sparse, cols));
    },
    free(...handles) {
      if (closed) return;
      table.free(`${title}: free`, handles);
      kernels.free(...handles);
    },
    ...(operations as unknown as Pick<Kernels, OperationName>),
  };
  const keep = releaseWhenCollected(result, closing(kernels));
  return result;
}

/** Made outside of `checked`, since a function that is made there refers to everything there. */
function closing(kernels: DeviceKernels): () => Promise<void> {
  return () => kernels.close();
}

const operationNames = Object.keys(signatures) as readonly OperationName[];

/** A parameter that is a handle: its place among the arguments, and the places of its sizes among all of an operation. */
interface HandleParameter {
  readonly place: number;
  readonly name: string;
  readonly optional: boolean;
  readonly kind: HandleKind;
  readonly sizes: readonly number[];
}

/** The place of a size that is 1, and of one that is not checked. */
const [one, any] = [0, -1];

function parametersOf(name: OperationName): HandleParameter[] {
  const letters = ["1"];
  const placeOf = (letter: string) => {
    if (letter === "*") return any;
    if (!letters.includes(letter)) letters.push(letter);
    return letters.indexOf(letter);
  };
  return signatures[name].flatMap((text, place) => {
    const [, parameter, mark, kind, sizes] = /^(\w+)(\??): (\w+) ?(.*)$/.exec(text) ?? [];
    if (parameter === undefined) return [];
    const places = sizes === "" ? [] : sizes.split(" ").map(placeOf);
    return { place, name: parameter, optional: mark === "?", kind: kind as HandleKind, sizes: places };
  });
}

/** The check of all arguments of an operation. */
function checksOf(where: string, name: OperationName, table: HandleTable): (args: unknown[]) => void {
  const parameters = parametersOf(name);
  const further = furtherChecks[name] as
    | ((where: string, table: HandleTable, ...args: unknown[]) => void)
    | undefined;
  const known = new Float64Array(8); // used again by every call
  return (args) => {
    known.fill(Number.NaN);
    known[one] = 1;
    for (const parameter of parameters) {
      const handle = args[parameter.place];
      if (parameter.optional && (handle === undefined || handle === null)) continue;
      table.requireHandle(where, parameter.name, handle, parameter.kind);
      requireKnownSizes(where, parameter, handle as HandleSizes, known);
    }
    further?.(where, table, ...args);
  };
}

interface HandleSizes {
  readonly rows?: number;
  readonly cols?: number;
  readonly capacity?: number;
}

/** The sizes of a handle must be those that are known; sizes that are not yet known become so. */
function requireKnownSizes(
  where: string,
  { name, sizes }: HandleParameter,
  handle: HandleSizes,
  known: Float64Array,
): void {
  for (let axis = 0; axis < sizes.length; axis++) {
    const place = sizes[axis];
    if (place === any) continue;
    const size = axis === 0 ? (handle.rows ?? handle.capacity ?? 0) : (handle.cols ?? 0);
    if (Number.isNaN(known[place])) known[place] = size;
    if (known[place] === size) continue;
    const has = [handle.rows ?? handle.capacity, handle.cols].slice(0, sizes.length);
    const expected = sizes.map((at, i) => (at === any || Number.isNaN(known[at]) ? has[i] : known[at]));
    throw wrongSizes(where, name, expected, has);
  }
}
