/**
 * The GPU kernels: the contract on WebGPU. The shaders are in shaders/, one an
 * operation; here is what each is told.
 *
 * Nothing waits for the device but what reads from it. Every sum has one order,
 * so the same device gives the same bits again.
 */

import type { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import type { Matrix64 } from "../../linalg/matrix64.js";
import type {
  DeviceBase,
  DeviceMatrix,
  DeviceSet,
  DeviceSignals,
  DeviceSparse,
  Kernels,
  MomentumStep,
  ProblemSizes,
  PursuitLimits,
  ScalarPlace,
  WindowList,
} from "../contract.js";
import { extentOf, lineOffsets } from "../windowLines.js";
import { CodeLists } from "./codes.js";
import { closeGpu, type OpenGpu, openGpu } from "./device.js";
import { ExplicitUpdates } from "./explicit.js";
import { GpuBase, GpuMatrix, GpuSet, GpuSignals, GpuSparse, own, runsOf, strideOf } from "./handles.js";
import { GpuMemory } from "./memory.js";
import { chunkBytes, GpuProducts } from "./products.js";
import { batchOmp, type PursuitSetting } from "./pursuit.js";
import { float, GpuQueue } from "./queue.js";

/** vec4 of a block of a norm, as in blockEnergies.wgsl. */
const normBlock = 4096;
/** Workgroups of moveAtoms: each has room for a column. */
const movers = 1024;

export interface GpuOptions {
  /** Whether an adapter that computes in software will do. */
  readonly software?: boolean;
  /** The most bytes of one buffer, if less than the device allows: matrices larger than that are in panels. */
  readonly panelBytes?: number;
  /** The most bytes of workgroup memory, if less than the device allows. */
  readonly workgroupBytes?: number;
  /** Whether pursuits look at a copy of G in half precision first: where it pays, unless told. The result is the same. */
  readonly halves?: boolean;
}

/** Kernels on a GPU, or why there are none here. */
export async function createGpuKernels(
  options: GpuOptions = {},
): Promise<Kernels | { readonly unavailable: string }> {
  const opened = await openGpu(options.software ?? false);
  return "unavailable" in opened ? opened : gpuKernelsOn(opened, options);
}

/** Kernels on a device that is open; they close it when they are disposed of. */
export function gpuKernelsOn(opened: OpenGpu, options: GpuOptions = {}): Kernels {
  return new GpuKernels(opened, options);
}

class GpuKernels implements Kernels {
  readonly name = "gpu";
  readonly description: string;
  readonly #gpu: OpenGpu;
  readonly #queue: GpuQueue;
  readonly #memory: GpuMemory;
  readonly #products: GpuProducts;
  readonly #codes: CodeLists;
  readonly #explicit: ExplicitUpdates;
  readonly #pursuit: PursuitSetting;

  constructor(gpu: OpenGpu, { panelBytes = Infinity, workgroupBytes = Infinity, halves }: GpuOptions) {
    this.#gpu = gpu;
    this.description = gpu.description;
    const { limits } = gpu.device;
    const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize, panelBytes);
    this.#pursuit = {
      groupBytes: Math.min(limits.maxComputeWorkgroupStorageSize, workgroupBytes),
      threads: limits.maxComputeInvocationsPerWorkgroup,
      panelBytes: most,
      halves,
    };
    this.#queue = new GpuQueue(gpu.device);
    this.#memory = new GpuMemory(this.#queue, most - (most % 16));
    this.#products = new GpuProducts(this.#memory);
    this.#codes = new CodeLists(this.#queue);
    this.#explicit = new ExplicitUpdates(this.#memory, this.#products, this.#codes);
  }

  /** WebGPU does not tell how much memory a device has. */
  get memory(): { readonly used: number; readonly limit: number } {
    return { used: this.#queue.bytes, limit: Infinity };
  }

  /** D and Φ as dense matrices, copies and columns of G on their way, room between two axes, lists of codes. */
  workspace({ n, L, m, p, N }: ProblemSizes): number {
    const dense = 4 * n * (m + L);
    const passing = (bytes: number) => Math.min(chunkBytes, bytes);
    const gram = 2 * m * m + passing(4 * m * m);
    const axes = 2 * passing(4 * Math.max(n, L) * Math.max(N, m)) + passing(4 * L * m);
    const lists = (m * N) / 8 + 8 * N * p + 20 * m;
    const moved = 2 * passing(4 * Math.max(n, L) * N);
    return dense + gram + axes + lists + moved + 4 * movers * L;
  }

  // — memory ————————————————————————————————————————————————————————————————

  matrix(rows: number, cols: number): DeviceMatrix {
    return this.#memory.matrix(rows, cols);
  }

  sparse(rows: number, cols: number, width: number): DeviceSparse {
    return this.#memory.sparse(rows, cols, width);
  }

  set(capacity: number): DeviceSet {
    return this.#memory.set(capacity);
  }

  base(factors: readonly Matrix64[]): DeviceBase {
    return this.#memory.base(factors);
  }

  signals(signals: readonly Signal[], scale = 1): DeviceSignals {
    return this.#memory.signals(signals, scale);
  }

  head(matrix: DeviceMatrix, cols: number): DeviceMatrix {
    return own(matrix, GpuMatrix).slice(0, cols);
  }

  headSparse(sparse: DeviceSparse, cols: number): DeviceSparse {
    const { rows, width, store } = own(sparse, GpuSparse);
    return new GpuSparse(rows, cols, width, store);
  }

  async copyColumns(source: DeviceMatrix, first: number, target: DeviceMatrix): Promise<void> {
    this.#copy(own(source, GpuMatrix).slice(first, target.cols), own(target, GpuMatrix));
  }

  async writeMatrix(target: DeviceMatrix, source: DenseMatrix): Promise<void> {
    this.#memory.writeMatrix(own(target, GpuMatrix), source);
  }

  async writeSparse(target: DeviceSparse, source: SparseColumns): Promise<void> {
    this.#memory.writeSparse(own(target, GpuSparse), source);
  }

  async writeSet(target: DeviceSet, members: Uint32Array): Promise<void> {
    this.#memory.writeSet(own(target, GpuSet), members);
  }

  readMatrix(source: DeviceMatrix): Promise<DenseMatrix> {
    return this.#memory.readMatrix(own(source, GpuMatrix));
  }

  readSparse(source: DeviceSparse): Promise<SparseColumns> {
    return this.#memory.readSparse(own(source, GpuSparse));
  }

  readSet(source: DeviceSet): Promise<Uint32Array> {
    return this.#memory.readSet(own(source, GpuSet));
  }

  free(...handles: readonly object[]): void {
    for (const handle of handles) this.#memory.free(handle);
  }

  async dispose(): Promise<void> {
    this.#queue.close();
    closeGpu(this.#gpu);
  }

  // — the base dictionary ———————————————————————————————————————————————————

  async analyze(base: DeviceBase, Y: DeviceMatrix, Z: DeviceMatrix): Promise<void> {
    this.#products.analyze(own(base, GpuBase), own(Y, GpuMatrix), own(Z, GpuMatrix));
  }

  async synthesize(base: DeviceBase, C: DeviceMatrix, Y: DeviceMatrix): Promise<void> {
    this.#products.synthesize(own(base, GpuBase), own(C, GpuMatrix), own(Y, GpuMatrix));
  }

  // — the sparse dictionary —————————————————————————————————————————————————

  async project(
    base: DeviceBase,
    A: DeviceSparse,
    scale: DeviceMatrix,
    Y: DeviceMatrix,
    P: DeviceMatrix,
  ): Promise<void> {
    const D = this.#products.atoms(own(base, GpuBase), own(A, GpuSparse));
    this.#products.product(D, own(Y, GpuMatrix), own(P, GpuMatrix), own(scale, GpuMatrix));
  }

  async reconstruct(base: DeviceBase, A: DeviceSparse, X: DeviceSparse, Y: DeviceMatrix): Promise<void> {
    const D = this.#products.atoms(own(base, GpuBase), own(A, GpuSparse));
    this.#products.combine(D, own(X, GpuSparse), own(Y, GpuMatrix));
  }

  async residual(
    base: DeviceBase,
    A: DeviceSparse,
    X: DeviceSparse,
    Y: DeviceMatrix,
    R: DeviceMatrix,
    W?: DeviceMatrix,
  ): Promise<void> {
    const D = this.#products.atoms(own(base, GpuBase), own(A, GpuSparse));
    await this.remainder(D, X, Y, R);
    if (W) this.#products.analyze(own(base, GpuBase), own(R, GpuMatrix), own(W, GpuMatrix));
  }

  /** `to` ← `from`; nothing where they are the same. */
  #copy(from: GpuMatrix, to: GpuMatrix): void {
    const bytes = (columns: number) => columns * from.stride * 4;
    for (const { count, parts } of runsOf(from, to)) {
      const [a, b] = parts;
      if (a.buffer !== b.buffer)
        this.#queue.copy(a.buffer, bytes(a.offset), b.buffer, bytes(b.offset), bytes(count));
    }
  }

  async refreshGram(
    base: DeviceBase,
    A: DeviceSparse,
    S: DeviceSet,
    G: DeviceMatrix,
    scale: DeviceMatrix,
  ): Promise<void> {
    const [phi, atoms] = [own(base, GpuBase), own(A, GpuSparse)];
    this.#products.refreshGram(phi, atoms, own(S, GpuSet), own(G, GpuMatrix), own(scale, GpuMatrix));
  }

  // — pursuit ———————————————————————————————————————————————————————————————

  async columnEnergies(Y: DeviceMatrix, energies: DeviceMatrix): Promise<void> {
    const [y, target] = [own(Y, GpuMatrix), own(energies, GpuMatrix)];
    for (const { first, count, parts } of runsOf(y)) {
      const words = [count, y.quads, first, target.stride];
      this.#queue.dispatch("columnEnergies", words, [parts[0].buffer, target.buffer], [count]);
    }
  }

  async batchOmp(
    G: DeviceMatrix,
    P: DeviceMatrix,
    energies: DeviceMatrix,
    limits: PursuitLimits,
    X: DeviceSparse,
    path?: DeviceMatrix,
  ): Promise<void> {
    const [gram, projections, e, x] = [
      own(G, GpuMatrix),
      own(P, GpuMatrix),
      own(energies, GpuMatrix),
      own(X, GpuSparse),
    ];
    batchOmp(this.#queue, this.#pursuit, gram, projections, e, limits, x, path && own(path, GpuMatrix));
    x.store.version++;
    await this.#queue.pace();
  }

  async scaleRows(scale: DeviceMatrix, X: DeviceSparse): Promise<void> {
    const x = own(X, GpuSparse);
    const groups = [Math.ceil(x.width / 64), x.cols] as const;
    this.#queue.dispatch(
      "scaleRows",
      [x.cols, ...x.words],
      [own(scale, GpuMatrix).buffer, x.store.buffer],
      groups,
    );
    x.store.version++;
  }

  // — the update ————————————————————————————————————————————————————————————

  async usedAtoms(X: DeviceSparse, S: DeviceSet): Promise<void> {
    this.#codes.used(own(X, GpuSparse), own(S, GpuSet));
  }

  async countUses(X: DeviceSparse, uses: DeviceMatrix): Promise<void> {
    const counted = this.#codes.uses(own(X, GpuSparse));
    const buffers = [counted, own(uses, GpuMatrix).buffer];
    this.#queue.dispatch("countUses", [X.rows], buffers, [Math.ceil(X.rows / 64)]);
  }

  async gradient(
    W: DeviceMatrix,
    X: DeviceSparse,
    S: DeviceSet,
    grad: DeviceMatrix,
    energy?: ScalarPlace,
  ): Promise<void> {
    const { starts, entries } = this.#codes.lists(own(X, GpuSparse));
    const [w, set, target] = [own(W, GpuMatrix), own(S, GpuSet), own(grad, GpuMatrix)];
    const nothing = { first: 0, count: 0, parts: [{ buffer: w.store.panels[0], offset: 0 }] }; // no examples: zeros
    const examples = w.cols > 0 ? [...runsOf(w)] : [nothing];
    for (const places of runsOf(target)) {
      let keeps = 0;
      for (const { first, count, parts } of examples) {
        const words = [w.quads, first, count, keeps, places.first, places.count];
        const buffers = [parts[0].buffer, starts, entries, set.buffer, places.parts[0].buffer];
        this.#queue.dispatch("gradient", words, buffers, [Math.ceil(w.quads / 128), places.count]);
        keeps = 1;
      }
    }
    if (energy) await this.squaredNorm(grad, energy.scalars, energy.slot, { S });
  }

  async movedEnergy(
    base: DeviceBase,
    grad: DeviceMatrix,
    S: DeviceSet,
    X: DeviceSparse,
    scalars: DeviceMatrix,
    slot: number,
  ): Promise<void> {
    const [phi, g, x, set] = [own(base, GpuBase), own(grad, GpuMatrix), own(X, GpuSparse), own(S, GpuSet)];
    const rows = Math.max(strideOf(phi.cols), strideOf(phi.rows));
    const most = Math.max(1, Math.floor(Math.min(chunkBytes, this.#memory.panelBytes) / (rows * 4)));
    for (let first = 0; first === 0 || first < x.cols; first += most) {
      const cols = Math.min(most, x.cols - first);
      const [V, moved] = [
        this.#room("moved coefficients", phi.cols, cols),
        this.#room("moved", phi.rows, cols),
      ];
      this.#products.combine(g, x, V, { S: set, firstExample: first });
      this.#products.synthesize(phi, V, moved);
      await this.squaredNorm(moved, scalars, slot, { add: first > 0 });
    }
  }

  /** A matrix in room that lives between calls. */
  #room(name: string, rows: number, cols: number): GpuMatrix {
    const buffer = this.#queue.scratch(name, strideOf(rows) * cols * 4);
    return new GpuMatrix(rows, cols, { panels: [buffer], panelCols: Math.max(1, cols) });
  }

  async exchangeAtoms(
    before: DeviceMatrix,
    after: DeviceMatrix,
    S: DeviceSet,
    X: DeviceSparse,
    R: DeviceMatrix,
    refits: boolean,
  ): Promise<void> {
    const [old, fresh, r] = [own(before, GpuMatrix), own(after, GpuMatrix), own(R, GpuMatrix)];
    const [x, set] = [own(X, GpuSparse), own(S, GpuSet)];
    for (const atoms of runsOf(old, fresh)) {
      const [from, to] = atoms.parts;
      for (const { first, count, parts } of runsOf(r)) {
        const words = [
          ...[count, r.quads, ...x.words, first, set.placeAt],
          ...[atoms.first, atoms.count, from.offset, to.offset, refits ? 1 : 0],
        ];
        const buffers = [from.buffer, to.buffer, set.buffer, x.store.buffer, parts[0].buffer];
        this.#queue.dispatch("exchangeAtoms", words, buffers, [count]);
      }
    }
    if (refits) x.store.version++;
  }

  async momentum(
    gamma: number,
    scalars: DeviceMatrix,
    eta: number,
    grad: DeviceMatrix,
    S: DeviceSet,
    U: DeviceMatrix,
  ): Promise<void> {
    const [g, u, set] = [own(grad, GpuMatrix), own(U, GpuMatrix), own(S, GpuSet)];
    const values = own(scalars, GpuMatrix).buffer;
    for (const places of runsOf(g)) {
      for (const { first, count, parts } of runsOf(u)) {
        const words = [float(gamma), eta, u.quads, places.first, places.count, first, count];
        const buffers = [values, set.buffer, places.parts[0].buffer, parts[0].buffer];
        this.#queue.dispatch("momentum", words, buffers, [Math.ceil(u.quads / 64), places.count]);
      }
    }
  }

  async moveAtoms(
    k: number,
    U: DeviceMatrix,
    S: DeviceSet,
    A: DeviceSparse,
    step?: MomentumStep,
  ): Promise<void> {
    if (step) await this.momentum(step.gamma, step.scalars, step.eta, step.grad, S, U);
    const [u, set, atoms] = [own(U, GpuMatrix), own(S, GpuSet), own(A, GpuSparse)];
    const fit = Math.max(1, Math.floor(this.#memory.panelBytes / (u.rows * 4)));
    const groups = Math.min(movers, atoms.cols, fit);
    const work = this.#queue.scratch("moved atoms", groups * u.rows * 4);
    for (const { first, count, parts } of runsOf(u)) {
      const words = [u.rows, u.stride, k, ...atoms.words, first, count];
      const buffers = [parts[0].buffer, set.buffer, atoms.store.buffer, work];
      this.#queue.dispatch("moveAtoms", words, buffers, [groups]);
    }
    atoms.store.version++;
  }

  // — explicit dictionaries —————————————————————————————————————————————————

  async correlate(D: DeviceMatrix, Y: DeviceMatrix, P: DeviceMatrix): Promise<void> {
    this.#products.product(own(D, GpuMatrix), own(Y, GpuMatrix), own(P, GpuMatrix));
  }

  async combine(D: DeviceMatrix, X: DeviceSparse, Y: DeviceMatrix): Promise<void> {
    this.#products.combine(own(D, GpuMatrix), own(X, GpuSparse), own(Y, GpuMatrix));
  }

  async remainder(D: DeviceMatrix, X: DeviceSparse, Y: DeviceMatrix, R: DeviceMatrix): Promise<void> {
    const r = own(R, GpuMatrix);
    this.#copy(own(Y, GpuMatrix), r);
    this.#products.combine(own(D, GpuMatrix), own(X, GpuSparse), r, { subtracts: true });
  }

  async addMoments(
    beta: number,
    Y: DeviceMatrix,
    X: DeviceSparse,
    B: DeviceMatrix,
    C: DeviceMatrix,
  ): Promise<void> {
    const [y, x, b, c] = [own(Y, GpuMatrix), own(X, GpuSparse), own(B, GpuMatrix), own(C, GpuMatrix)];
    this.#explicit.addMoments(beta, y, x, b, c);
  }

  async descendAtoms(B: DeviceMatrix, C: DeviceMatrix, D: DeviceMatrix): Promise<void> {
    this.#explicit.descend(own(B, GpuMatrix), own(C, GpuMatrix), own(D, GpuMatrix));
    await this.#queue.pace();
  }

  async refitAtoms(R: DeviceMatrix, X: DeviceSparse, D: DeviceMatrix): Promise<void> {
    this.#explicit.refit(own(R, GpuMatrix), own(X, GpuSparse), own(D, GpuMatrix));
    await this.#queue.pace();
  }

  async forgetAtoms(S: DeviceSet, B: DeviceMatrix, C: DeviceMatrix): Promise<void> {
    this.#explicit.forget(own(S, GpuSet), own(B, GpuMatrix), false);
    this.#explicit.forget(own(S, GpuSet), own(C, GpuMatrix), true);
  }

  async addOuter(Y: DeviceMatrix, C: DeviceMatrix): Promise<void> {
    this.#explicit.addOuter(own(Y, GpuMatrix), own(C, GpuMatrix));
  }

  // — scalars ———————————————————————————————————————————————————————————————

  async squaredNorm(
    M: DeviceMatrix,
    scalars: DeviceMatrix,
    slot: number,
    options: { readonly add?: boolean; readonly S?: DeviceSet } = {},
  ): Promise<void> {
    const m = own(M, GpuMatrix);
    const set = options.S ? own(options.S, GpuSet).buffer : this.#queue.scratch("none", 16);
    const runs = [...runsOf(m)];
    const blocksOf = (count: number) => Math.ceil((count * m.quads) / normBlock);
    const blocks = runs.reduce((sum, { count }) => sum + blocksOf(count), 0);
    const partial = this.#queue.scratch("norm", blocks * 4);
    let firstBlock = 0;
    for (const { first, count, parts } of runs) {
      const words = [count * m.quads, m.quads, first, firstBlock, options.S ? 1 : 0];
      this.#queue.dispatch("blockEnergies", words, [parts[0].buffer, set, partial], [blocksOf(count)]);
      firstBlock += blocksOf(count);
    }
    const target = own(scalars, GpuMatrix).buffer;
    this.#queue.dispatch("total", [blocks, slot, options.add ? 1 : 0], [partial, target], [1]);
  }

  async normRatio(scalars: DeviceMatrix, num: number, den: number, out: number): Promise<void> {
    this.#queue.dispatch("ratio", [num, den, out], [own(scalars, GpuMatrix).buffer], [1]);
  }

  async coherence(G: DeviceMatrix, coherence: DeviceMatrix): Promise<void> {
    const g = own(G, GpuMatrix);
    for (const { first, count, parts } of runsOf(g)) {
      const buffers = [parts[0].buffer, own(coherence, GpuMatrix).buffer];
      this.#queue.dispatch("coherence", [count, g.stride, first], buffers, [count]);
    }
  }

  // — examples ——————————————————————————————————————————————————————————————

  async extract(
    signals: DeviceSignals,
    windows: WindowList,
    patch: Shape,
    Y: DeviceMatrix,
    means: DeviceMatrix | null,
  ): Promise<void> {
    const [store, y] = [own(signals, GpuSignals), own(Y, GpuMatrix)];
    const { buffer: table, startOf } = this.#table(store, patch);
    const words = new Uint32Array(4 * y.cols);
    for (let i = 0; i < y.cols; i++) {
      const signal = windows.signal[i];
      words[4 * i] = store.panelOf[signal];
      words[4 * i + 1] = store.firstOf[signal] + windows.start[i];
      words[4 * i + 2] = startOf[signal];
    }
    const list = this.#queue.scratch("windows", words.byteLength);
    this.#queue.write(list, 0, words);
    const length = patch.at(-1)!;
    const lines = sizeOf(patch) / length;
    const removed = means ? own(means, GpuMatrix) : undefined;
    for (const { first, count, parts } of runsOf(y)) {
      store.panels.forEach((panel, p) => {
        const target = removed?.buffer ?? this.#queue.scratch("none", 16);
        const told = [count, lines, length, y.stride, p, first, removed ? 1 : 0, removed?.stride ?? 0];
        this.#queue.dispatch("extract", told, [panel, list, table, parts[0].buffer, target], [count]);
      });
    }
  }

  async addWindows(
    Y: DeviceMatrix,
    means: DeviceMatrix | null,
    start: Uint32Array,
    patch: Shape,
    shape: Shape,
    sum: DeviceMatrix,
  ): Promise<void> {
    const [y, target] = [own(Y, GpuMatrix), own(sum, GpuMatrix)];
    if (y.cols === 0) return;
    const [lines, length] = [lineOffsets(shape, patch), patch.at(-1)!];
    const [first, last] = extentOf(start);
    const places = new Uint32Array(lines.length + last - first + 1);
    places.set(lines);
    start.forEach((at, i) => (places[lines.length + at - first] = i + 1));
    const list = this.#queue.scratch("places of windows", places.byteLength);
    this.#queue.write(list, 0, places);
    const samples = last - first + lines.at(-1)! + length;
    const added = means ? own(means, GpuMatrix) : undefined;
    for (const { first: begin, count, parts } of runsOf(y)) {
      const words = [
        ...[samples, first, last - first + 1, lines.length, length, y.stride, begin, count],
        ...[added ? 1 : 0, added?.stride ?? 0],
      ];
      const buffers = [
        parts[0].buffer,
        added?.buffer ?? this.#queue.scratch("none", 16),
        list,
        target.buffer,
      ];
      this.#queue.dispatch("addWindows", words, buffers, [Math.ceil(samples / 64)]);
    }
  }

  /** Where the lines of a window stand relative to its first sample, for every shape of signal there is. */
  #table(store: GpuSignals, patch: Shape): { readonly buffer: GPUBuffer; readonly startOf: Uint32Array } {
    const key = patch.join();
    const known = store.tables.get(key);
    if (known) return known;
    const starts = new Map<string, number>();
    const offsets: number[] = [];
    const startOf = Uint32Array.from(store.shapes, (shape) => {
      const name = shape.join();
      if (!starts.has(name)) {
        starts.set(name, offsets.length);
        offsets.push(...lineOffsets(shape, patch));
      }
      return starts.get(name)!;
    });
    const buffer = this.#queue.buffer(offsets.length * 4);
    this.#queue.write(buffer, 0, Uint32Array.from(offsets));
    store.tables.set(key, { buffer, startOf });
    return { buffer, startOf };
  }
}
