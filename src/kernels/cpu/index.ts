/**
 * The CPU kernels: the contract on WebAssembly SIMD and threads.
 *
 * The heavy loops are in assembly/; here is what surrounds them: memory, the
 * arguments of each kernel, how its work is divided into items. Sets, row lists
 * and scalars are small and handled on the calling thread.
 */

import { InputError } from "../../core/errors.js";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import { requireInteger } from "../../core/require.js";
import { type Shape, sizeOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { kron, Matrix64 } from "../../linalg/matrix64.js";
import type {
  DeviceMatrix,
  DeviceSet,
  DeviceSparse,
  Kernels,
  MomentumStep,
  ProblemSizes,
  PursuitLimits,
  ScalarPlace,
  WindowList,
} from "../contract.js";
import { momentFloor } from "../contract.js";
import { inOrder } from "../ordered.js";
import { extentOf, lineOffsets } from "../windowLines.js";
import type { Arena } from "./arena.js";
import { shared, single } from "./binary.js";
import { CpuBase, CpuMatrix, CpuSet, CpuSignals, CpuSparse, own } from "./handles.js";
import { maxThreads, Pool, ThreadsError } from "./pool.js";
import { eachEntry, rowLists, type SparseViews } from "./rowLists.js";
import { availableMemory, availableThreads, noThreadsBecause } from "./threads.js";
import { planTransform } from "./transformPlan.js";

/** The kernels of assembly/, by the numbers threads know them by. */
const names = [
  "transform",
  "project",
  "reconstruct",
  "atomScales",
  "gramColumns",
  "batchOmp",
  "gradient",
  "movedEnergies",
  "exchangeAtoms",
  "momentum",
  "moveAtoms",
  "blockEnergies",
  "columnEnergies",
  "coherence",
  "extract",
  "addWindows",
  "correlate",
  "combine",
  "addMoments",
  "blockResidual",
  "descendBlock",
  "refitDirection",
  "refitCodes",
  "addOuter",
] as const;

/** Examples of a block, bytes of one of its rows, atoms of a panel of results: as in assembly/. */
const lanes = 16;
const rowBytes = 64;
const panel = 64;
/** Atoms of a block of `descendAtoms`, and columns of a share of it; examples of a block of `refitAtoms`. */
const descentBlock = 64;
const descentShare = 32;
const refitBlock = 256;
/** Samples that one item of `addWindows` adds up. */
const sampleBlock = 4096;
/** f32 of a block of a norm. */
const normBlock = 16384;

export interface CpuOptions {
  /** Threads to use; as many as there are cores unless told. */
  readonly threads?: number | undefined;
}

/**
 * Kernels on threads; a promise, since threads take a moment to start. Where they cannot be had, one thread
 * computes, and says why, unless a number was asked for.
 */
export async function createCpuKernels({ threads }: CpuOptions = {}): Promise<Kernels> {
  if (threads !== undefined) requireInteger("createCpuKernels", "threads", threads, 1, maxThreads);
  try {
    return await startKernels(threads ?? Math.min(maxThreads, availableThreads()));
  } catch (error) {
    if (!(error instanceof ThreadsError)) throw error;
    if (threads === undefined) return await startKernels(1, error.message);
    throw new InputError(`createCpuKernels: threads must be 1, since ${error.message}, got ${threads}`);
  }
}

/** `obstacle`: why there are no more threads, where more were tried. */
async function startKernels(threads: number, obstacle?: string): Promise<Kernels> {
  const share = threads > 1;
  const refusal = share ? noThreadsBecause() : undefined;
  if (refusal) throw new ThreadsError(refusal);
  // Asynchronously: browsers may refuse to compile at once on the thread of a page.
  const module = await WebAssembly.compile(fromBase64(share ? shared : single));
  return inOrder(new CpuKernels(await Pool.open(module, names, threads, share), obstacle));
}

/** Why the kernels did not compile. To validate them is allowed even where it is forbidden to compile them. */
export function notCompiledBecause(): string {
  return WebAssembly.validate(fromBase64(single))
    ? "the page's Content-Security-Policy must allow 'wasm-unsafe-eval'"
    : "this runtime has no WebAssembly SIMD";
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

class CpuKernels implements Kernels {
  readonly name = "cpu";
  readonly description: string;
  readonly #pool: Pool<(typeof names)[number]>;
  readonly #arena: Arena;
  /** Small things that live for one call: lists and flags. */
  #staging = { at: 0, bytes: 0 };

  constructor(pool: Pool<(typeof names)[number]>, obstacle?: string) {
    this.#pool = pool;
    this.#arena = pool.arena;
    const { threads } = pool;
    const why = obstacle ? `, since ${obstacle}` : "";
    this.description = `WebAssembly SIMD, ${threads} ${threads === 1 ? "thread" : "threads"}${why}`;
  }

  get memory(): { readonly used: number; readonly limit: number } {
    return {
      used: this.#arena.bytesUsed,
      limit: Math.min(this.#arena.bytesMost, this.#arena.bytesUsed + availableMemory()),
    };
  }

  /** Scratch of each thread: α, the factor of a pursuit, rounded columns, blocks of a transform; and row lists. */
  workspace({ n, L, m, p, N }: ProblemSizes): number {
    const pursuit = 4 * m + 8 * p * p + 40 * p + roundedBytes(m, keptColumns(m, p));
    const blocks = 4 * rowBytes * Math.max(n, L);
    return this.#pool.threads * Math.max(pursuit, blocks) + 8 * N * p + 8 * m;
  }

  // — memory ————————————————————————————————————————————————————————————————

  matrix(rows: number, cols: number): CpuMatrix {
    return new CpuMatrix(rows, cols, this.#arena.take(rows * cols * 4));
  }

  sparse(rows: number, cols: number, width: number): CpuSparse {
    const indices = this.#arena.take(width * cols * 8 + cols * 4);
    const values = indices + width * cols * 4;
    return new CpuSparse(rows, cols, width, { indices, values, counts: values + width * cols * 4 });
  }

  set(capacity: number): CpuSet {
    return new CpuSet(capacity, this.#arena.take(capacity * 4));
  }

  base(factors: readonly Matrix64[]): CpuBase {
    const rows = factors.reduce((product, factor) => product * factor.rows, 1);
    const cols = factors.reduce((product, factor) => product * factor.cols, 1);
    const analysis = planTransform(factors, "analysis");
    const synthesis = planTransform(factors, "synthesis");
    const leading = factors.slice(0, -1).reduce(kron, Matrix64.identity(1));
    const last = factors.at(-1)!;
    const words = [analysis.words, synthesis.words, f32Words(leading), f32Words(last)];
    const at = this.#arena.take(words.reduce((sum, { length }) => sum + length, 0) * 4);
    const addresses: number[] = [];
    words.reduce((address, part) => {
      this.#arena.u32(address, part.length).set(part);
      addresses.push(address);
      return address + part.length * 4;
    }, at);
    return new CpuBase(rows, cols, {
      analysis: addresses[0],
      synthesis: addresses[1],
      blockRows: Math.max(analysis.rows, synthesis.rows),
      weights: synthesis.weights,
      leading: { at: addresses[2], length: leading.rows },
      last: { at: addresses[3], length: last.rows, number: last.cols },
    });
  }

  signals(signals: readonly Signal[], scale = 1): CpuSignals {
    const total = signals.reduce((sum, { data }) => sum + data.length, 0);
    const store = new CpuSignals(signals, this.#arena.take(total * 4));
    signals.forEach(({ data }, s) => {
      const target = this.#arena.f32(store.at + store.firsts[s] * 4, data.length);
      if (scale === 1) target.set(data);
      else for (let i = 0; i < data.length; i++) target[i] = data[i] * scale;
    });
    return store;
  }

  head(matrix: DeviceMatrix, cols: number): CpuMatrix {
    const { rows, at } = own(matrix, CpuMatrix);
    return new CpuMatrix(rows, cols, at);
  }

  headSparse(sparse: DeviceSparse, cols: number): CpuSparse {
    const whole = own(sparse, CpuSparse);
    return new CpuSparse(whole.rows, cols, whole.width, whole);
  }

  async copyColumns(source: DeviceMatrix, first: number, target: DeviceMatrix): Promise<void> {
    const { rows, cols } = target;
    this.#dense(target).set(this.#dense(source).subarray(first * rows, (first + cols) * rows));
  }

  async writeMatrix(target: DeviceMatrix, source: DenseMatrix): Promise<void> {
    this.#dense(target).set(source.data);
  }

  async writeSparse(target: DeviceSparse, source: SparseColumns): Promise<void> {
    const { indices, values, counts, width } = this.#sparse(target);
    for (let j = 0; j < source.cols; j++) {
      const [from, used, to] = [j * source.width, source.counts[j], j * width];
      indices.fill(0, to, to + width).set(source.indices.subarray(from, from + used), to);
      values.fill(0, to, to + width).set(source.values.subarray(from, from + used), to);
      counts[j] = used;
    }
  }

  async writeSet(target: DeviceSet, members: Uint32Array): Promise<void> {
    const set = own(target, CpuSet);
    this.#arena.u32(set.at, members.length).set(members);
    set.size = members.length;
  }

  async readMatrix(source: DeviceMatrix): Promise<DenseMatrix> {
    return new DenseMatrix(source.rows, source.cols, new Float32Array(this.#dense(source)));
  }

  async readSparse(source: DeviceSparse): Promise<SparseColumns> {
    const { indices, values, counts } = this.#sparse(source);
    const { rows, cols, width } = source;
    return new SparseColumns(
      rows,
      cols,
      width,
      new Uint32Array(indices),
      new Float32Array(values),
      new Uint32Array(counts),
    );
  }

  async readSet(source: DeviceSet): Promise<Uint32Array> {
    return new Uint32Array(this.#members(source));
  }

  free(...handles: readonly object[]): void {
    for (const handle of handles) {
      if (handle instanceof CpuSparse) this.#arena.give(handle.indices);
      else if (handle instanceof CpuBase) this.#arena.give(handle.places.analysis);
      else if (handle instanceof CpuMatrix || handle instanceof CpuSet || handle instanceof CpuSignals) {
        this.#arena.give(handle.at);
      } else own(handle, CpuMatrix);
    }
  }

  async dispose(): Promise<void> {
    this.#pool.close();
  }

  // — the base dictionary ———————————————————————————————————————————————————

  async analyze(phi: object, Y: DeviceMatrix, Z: DeviceMatrix): Promise<void> {
    const base = own(phi, CpuBase);
    await this.#transform(base.places.analysis, base.blockRows, Y, Z);
  }

  async synthesize(phi: object, C: DeviceMatrix, Y: DeviceMatrix): Promise<void> {
    const base = own(phi, CpuBase);
    await this.#transform(base.places.synthesis, base.blockRows, C, Y);
  }

  async #transform(
    plan: number,
    blockRows: number,
    input: DeviceMatrix,
    output: DeviceMatrix,
  ): Promise<void> {
    const [from, to] = [own(input, CpuMatrix), own(output, CpuMatrix)];
    this.#pool.reserveScratch(3 * blockRows * rowBytes);
    this.#arguments(plan, from.at, from.rows, to.at, to.rows, from.cols);
    await this.#run("transform", Math.ceil(from.cols / lanes), 1);
  }

  // — the sparse dictionary —————————————————————————————————————————————————

  async project(
    phi: object,
    A: DeviceSparse,
    scale: DeviceMatrix,
    Y: DeviceMatrix,
    P: DeviceMatrix,
  ): Promise<void> {
    const [base, y] = [own(phi, CpuBase), own(Y, CpuMatrix)];
    this.#pool.reserveScratch((3 * base.blockRows + panel) * rowBytes);
    const at = [...this.#sparseWords(A), own(scale, CpuMatrix).at, own(P, CpuMatrix).at, P.rows];
    this.#arguments(base.places.analysis, y.at, y.rows, y.cols, ...at);
    await this.#run("project", Math.ceil(y.cols / lanes), 1);
  }

  async reconstruct(phi: object, A: DeviceSparse, X: DeviceSparse, Y: DeviceMatrix): Promise<void> {
    await this.#reconstruct(phi, A, X, 0, own(Y, CpuMatrix));
  }

  async residual(
    phi: object,
    A: DeviceSparse,
    X: DeviceSparse,
    Y: DeviceMatrix,
    R: DeviceMatrix,
    W?: DeviceMatrix,
  ): Promise<void> {
    await this.#reconstruct(phi, A, X, own(Y, CpuMatrix).at, own(R, CpuMatrix), W && own(W, CpuMatrix));
  }

  async #reconstruct(
    phi: object,
    A: DeviceSparse,
    X: DeviceSparse,
    from: number,
    output: CpuMatrix,
    coefficients?: CpuMatrix,
  ): Promise<void> {
    const base = own(phi, CpuBase);
    this.#pool.reserveScratch(3 * base.blockRows * rowBytes);
    const at = [
      ...this.#sparseWords(A),
      ...this.#sparseWords(X),
      X.cols,
      base.cols,
      base.rows,
      from,
      output.at,
      base.places.analysis,
      coefficients?.at ?? 0,
    ];
    this.#arguments(base.places.synthesis, ...at);
    await this.#run("reconstruct", Math.ceil(X.cols / lanes), 1);
  }

  async refreshGram(
    phi: object,
    A: DeviceSparse,
    S: DeviceSet,
    G: DeviceMatrix,
    scale: DeviceMatrix,
  ): Promise<void> {
    const [base, set] = [own(phi, CpuBase), own(S, CpuSet)];
    const { places } = base;
    const [blocks, m] = [Math.ceil(set.size / lanes), A.cols];
    const size = Math.max(places.blockRows, base.rows) * rowBytes;
    this.#pool.reserveScratch(3 * size + panel * rowBytes);
    const direct = A.width * base.rows <= places.weights ? 1 : 0; // columns summed, or the plan
    const atoms = [places.synthesis, ...this.#sparseWords(A), set.at, set.size, base.cols, base.rows];
    const columns = [
      places.leading.at,
      places.leading.length,
      places.last.at,
      places.last.length,
      places.last.number,
    ];
    const scales = own(scale, CpuMatrix).at;
    this.#arguments(...atoms, ...columns, direct, scales, size);
    await this.#run("atomScales", blocks, 1);
    const outside = outsideOf(this.#members(S), m);
    const at = this.#stage(outside.length * 4);
    this.#arena.u32(at, outside.length).set(outside);
    const rest = [places.analysis, m, own(G, CpuMatrix).at, at, outside.length];
    this.#arguments(...atoms, ...columns, direct, scales, size, ...rest);
    await this.#run("gramColumns", blocks, 1);
  }

  // — pursuit ———————————————————————————————————————————————————————————————

  async columnEnergies(Y: DeviceMatrix, energies: DeviceMatrix): Promise<void> {
    const y = own(Y, CpuMatrix);
    this.#arguments(y.at, y.rows, own(energies, CpuMatrix).at);
    await this.#run("columnEnergies", y.cols, 64);
  }

  async batchOmp(
    G: DeviceMatrix,
    P: DeviceMatrix,
    energies: DeviceMatrix,
    limits: PursuitLimits,
    X: DeviceSparse,
    path?: DeviceMatrix,
  ): Promise<void> {
    const [m, p] = [G.rows, limits.sparsity];
    const kept = keptColumns(m, p);
    const rounded = roundedBytes(m, kept);
    this.#pool.reserveScratch((m + 4) * 4 + (p + 4) * 8 + (p * p + 3 * p) * 8 + 64 + rounded);
    const at = [own(G, CpuMatrix).at, own(P, CpuMatrix).at, own(energies, CpuMatrix).at];
    this.#arguments(...at, m, p, ...this.#sparseWords(X), path ? own(path, CpuMatrix).at : 0);
    this.#pool.args.f64[5] = limits.residualEnergy;
    this.#pool.args.u32[12] = kept;
    await this.#run("batchOmp", P.cols, ompStep(m, p));
  }

  async scaleRows(scale: DeviceMatrix, X: DeviceSparse): Promise<void> {
    const [s, { indices, values }] = [this.#dense(scale), this.#sparse(X)];
    for (let i = 0; i < values.length; i++) values[i] *= s[indices[i]];
  }

  // — the update ————————————————————————————————————————————————————————————

  async usedAtoms(X: DeviceSparse, S: DeviceSet): Promise<void> {
    const used = new Uint8Array(X.rows);
    eachEntry(this.#sparse(X), (row) => {
      used[row] = 1;
    });
    const set = own(S, CpuSet);
    const members = this.#arena.u32(set.at, set.capacity);
    set.size = 0;
    for (let row = 0; row < used.length; row++) if (used[row]) members[set.size++] = row;
  }

  async countUses(X: DeviceSparse, uses: DeviceMatrix): Promise<void> {
    const counts = this.#dense(uses);
    eachEntry(this.#sparse(X), (row) => {
      counts[row] += 1;
    });
  }

  async gradient(
    W: DeviceMatrix,
    X: DeviceSparse,
    S: DeviceSet,
    grad: DeviceMatrix,
    energy?: ScalarPlace,
  ): Promise<void> {
    const [w, set] = [own(W, CpuMatrix), own(S, CpuSet)];
    const { longest, at, more: partial } = this.#rowLists(X, this.#members(S), 8 * set.size);
    this.#pool.reserveScratch(longest * 4);
    this.#arguments(w.at, w.rows, set.at, ...at, own(grad, CpuMatrix).at, energy ? partial : 0);
    await this.#run("gradient", set.size, 8);
    if (energy) this.#dense(energy.scalars)[energy.slot] = this.#sum(partial, set.size);
  }

  async movedEnergy(
    phi: object,
    grad: DeviceMatrix,
    S: DeviceSet,
    X: DeviceSparse,
    scalars: DeviceMatrix,
    slot: number,
  ): Promise<void> {
    const [base, g] = [own(phi, CpuBase), own(grad, CpuMatrix)];
    const blocks = Math.ceil(X.cols / lanes);
    const partial = this.#stage(blocks * 8 + X.rows * 4);
    const places = this.#placesAt(S, partial + blocks * 8, X.rows);
    this.#pool.reserveScratch(lanes * g.rows * 4 + 3 * base.blockRows * rowBytes + X.width * 8);
    this.#arguments(
      ...[base.places.synthesis, g.at, g.rows, places, ...this.#sparseWords(X), X.cols, base.rows, partial],
    );
    await this.#run("movedEnergies", blocks, 1);
    this.#dense(scalars)[slot] = this.#sum(partial, blocks);
  }

  /** The sum of partial results, in their order. */
  #sum(at: number, count: number): number {
    return this.#arena.f64(at, count).reduce((sum, value) => sum + value, 0);
  }

  /** Where each atom stands in S, or −1, written at an address. */
  #placesAt(S: DeviceSet, at: number, atoms: number): number {
    const places = this.#arena.u32(at, atoms).fill(0xffffffff);
    const members = this.#members(S);
    for (let place = 0; place < members.length; place++) places[members[place]] = place;
    return at;
  }

  async exchangeAtoms(
    before: DeviceMatrix,
    after: DeviceMatrix,
    S: DeviceSet,
    X: DeviceSparse,
    R: DeviceMatrix,
    refits: boolean,
  ): Promise<void> {
    const [old, fresh, r] = [own(before, CpuMatrix), own(after, CpuMatrix), own(R, CpuMatrix)];
    const places = this.#placesAt(S, this.#stage(X.rows * 4), X.rows);
    this.#arguments(old.at, fresh.at, r.rows, places, ...this.#sparseWords(X), r.at, refits ? 1 : 0);
    await this.#run("exchangeAtoms", X.cols, 512);
  }

  async momentum(
    gamma: number,
    scalars: DeviceMatrix,
    eta: number,
    grad: DeviceMatrix,
    S: DeviceSet,
    U: DeviceMatrix,
  ): Promise<void> {
    const [g, set] = [own(grad, CpuMatrix), own(S, CpuSet)];
    this.#arguments(0, 0, g.at, g.rows, set.at, own(U, CpuMatrix).at);
    this.#pool.args.f32.set([gamma, this.#dense(scalars)[eta]]);
    await this.#run("momentum", set.size, 16);
  }

  async moveAtoms(
    k: number,
    U: DeviceMatrix,
    S: DeviceSet,
    A: DeviceSparse,
    step?: MomentumStep,
  ): Promise<void> {
    const [u, set] = [own(U, CpuMatrix), own(S, CpuSet)];
    this.#pool.reserveScratch((3 * u.rows + 16) * 4);
    const grad = step ? own(step.grad, CpuMatrix).at : 0;
    this.#arguments(k, u.rows, u.at, set.at, ...this.#sparseWords(A), grad);
    if (step) this.#pool.args.f32.set([step.gamma, this.#dense(step.scalars)[step.eta]], 9);
    await this.#run("moveAtoms", set.size, 16);
  }

  // — explicit dictionaries —————————————————————————————————————————————————

  async correlate(D: DeviceMatrix, Y: DeviceMatrix, P: DeviceMatrix): Promise<void> {
    const [d, y] = [own(D, CpuMatrix), own(Y, CpuMatrix)];
    this.#pool.reserveScratch((d.rows + panel) * rowBytes);
    this.#arguments(d.at, d.rows, d.cols, y.at, y.cols, own(P, CpuMatrix).at);
    await this.#run("correlate", Math.ceil(y.cols / lanes), 1);
  }

  async combine(D: DeviceMatrix, X: DeviceSparse, Y: DeviceMatrix): Promise<void> {
    await this.#combine(D, X, 0, own(Y, CpuMatrix));
  }

  async remainder(D: DeviceMatrix, X: DeviceSparse, Y: DeviceMatrix, R: DeviceMatrix): Promise<void> {
    await this.#combine(D, X, own(Y, CpuMatrix).at, own(R, CpuMatrix));
  }

  async #combine(D: DeviceMatrix, X: DeviceSparse, from: number, output: CpuMatrix): Promise<void> {
    const d = own(D, CpuMatrix);
    this.#pool.reserveScratch((X.width + d.rows) * 4);
    this.#arguments(d.at, d.rows, ...this.#sparseWords(X), from, output.at);
    await this.#run("combine", X.cols, 16);
  }

  async addMoments(
    beta: number,
    Y: DeviceMatrix,
    X: DeviceSparse,
    B: DeviceMatrix,
    C: DeviceMatrix,
  ): Promise<void> {
    const { longest, at } = this.#rowLists(X);
    const y = own(Y, CpuMatrix);
    this.#pool.reserveScratch((longest + y.rows) * 4);
    const sums = [own(B, CpuMatrix).at, own(C, CpuMatrix).at, C.rows, longest];
    this.#arguments(0, y.at, y.rows, ...this.#sparseWords(X), ...at, ...sums);
    this.#pool.args.f32[0] = beta;
    await this.#run("addMoments", B.cols, 8);
  }

  /** Blocks of atoms: what they miss by products of all, then one after the other with what changed within. */
  async descendAtoms(B: DeviceMatrix, C: DeviceMatrix, D: DeviceMatrix): Promise<void> {
    const { at: d, rows: n, cols: m } = own(D, CpuMatrix);
    const missed = this.#stage(n * descentBlock * 4);
    this.#pool.reserveScratch(Math.max((m + 2) * rowBytes, n * 4));
    for (let first = 0; first < m; first += descentBlock) {
      const count = Math.min(descentBlock, m - first);
      this.#arguments(d, n, m, own(C, CpuMatrix).at, own(B, CpuMatrix).at, first, count, missed);
      this.#pool.args.f32[8] = momentFloor;
      const shares = Math.ceil(count / descentShare);
      await this.#run("blockResidual", Math.ceil(n / lanes) * shares, 1);
      await this.#run("descendBlock", 1, 1);
    }
  }

  async refitAtoms(R: DeviceMatrix, X: DeviceSparse, D: DeviceMatrix): Promise<void> {
    const [r, d] = [own(R, CpuMatrix), own(D, CpuMatrix)];
    const { values, width } = own(X, CpuSparse);
    const { starts, slots } = rowLists(this.#sparse(X), X.rows);
    const blocks = Math.ceil(slots.length / refitBlock);
    const at = this.#stage((slots.length + (blocks + 1) * d.rows) * 4);
    const [sums, before] = [at + slots.length * 4, at + (slots.length + blocks * d.rows) * 4];
    this.#arena.u32(at, slots.length).set(slots);
    this.#pool.reserveScratch(2 * refitBlock * 4);
    for (let j = 0; j < d.cols; j++) {
      const count = starts[j + 1] - starts[j];
      if (count === 0) continue;
      const atom = d.at + j * d.rows * 4;
      const uses = [r.at, r.rows, at + starts[j] * 4, count, values, width];
      const items = Math.ceil(count / refitBlock);
      this.#arguments(...uses, sums);
      await this.#run("refitDirection", items, 1);
      this.#arena.f32(before, d.rows).set(this.#arena.f32(atom, d.rows));
      const g = this.#arena.f32(values, width * X.cols);
      let energy = 0;
      for (let s = starts[j]; s < starts[j + 1]; s++) energy += g[slots[s]] ** 2;
      if (!putDirection(this.#arena.f32(sums, items * d.rows), energy, this.#arena.f32(atom, d.rows)))
        continue;
      this.#arguments(...uses, before, atom);
      await this.#run("refitCodes", items, 1);
    }
  }

  async forgetAtoms(S: DeviceSet, B: DeviceMatrix, C: DeviceMatrix): Promise<void> {
    const [b, c] = [this.#dense(B), this.#dense(C)];
    for (const atom of this.#members(S)) {
      b.fill(0, atom * B.rows, (atom + 1) * B.rows);
      c.fill(0, atom * C.rows, (atom + 1) * C.rows);
      for (let at = atom; at < c.length; at += C.rows) c[at] = 0;
    }
  }

  async addOuter(Y: DeviceMatrix, C: DeviceMatrix): Promise<void> {
    const { at, rows, cols } = own(Y, CpuMatrix);
    this.#pool.reserveScratch((2 * cols + lanes) * rowBytes);
    this.#arguments(at, rows, cols, own(C, CpuMatrix).at);
    await this.#run("addOuter", Math.ceil(rows / lanes), 1);
  }

  // — scalars ———————————————————————————————————————————————————————————————

  async squaredNorm(
    M: DeviceMatrix,
    scalars: DeviceMatrix,
    slot: number,
    options: { readonly add?: boolean; readonly S?: DeviceSet } = {},
  ): Promise<void> {
    const columns = options.S ? own(options.S, CpuSet).size : M.cols;
    const count = M.rows * columns;
    const blocks = Math.ceil(count / normBlock);
    const partial = this.#stage(blocks * 8);
    this.#arguments(own(M, CpuMatrix).at, count, partial);
    await this.#run("blockEnergies", blocks, 1);
    const energy = this.#sum(partial, blocks);
    const target = this.#dense(scalars);
    target[slot] = options.add ? target[slot] + energy : energy;
  }

  async normRatio(scalars: DeviceMatrix, num: number, den: number, out: number): Promise<void> {
    const s = this.#dense(scalars);
    s[out] = s[num] && s[den] ? Math.sqrt(s[num]) / Math.sqrt(s[den]) : 0;
  }

  async coherence(G: DeviceMatrix, coherence: DeviceMatrix): Promise<void> {
    this.#arguments(own(G, CpuMatrix).at, G.rows, own(coherence, CpuMatrix).at);
    await this.#run("coherence", G.cols, 64);
  }

  // — examples ——————————————————————————————————————————————————————————————

  async extract(
    signals: object,
    windows: WindowList,
    patch: Shape,
    Y: DeviceMatrix,
    means: DeviceMatrix | null,
  ): Promise<void> {
    const store = own(signals, CpuSignals);
    const N = Y.cols;
    const length = patch.at(-1)!;
    const lines = sizeOf(patch) / length;
    const offsets: number[] = [];
    const layouts = new Map<number, number>(); // where the offsets of a shape start
    const layoutOf = (kind: number): number => {
      if (!layouts.has(kind))
        layouts.set(kind, offsets.push(...lineOffsets(store.shapes[kind], patch)) - lines);
      return layouts.get(kind)!;
    };
    const starts = new Uint32Array(N);
    const chosen = new Uint32Array(N);
    for (let i = 0; i < N; i++) {
      const signal = windows.signal[i];
      starts[i] = store.firsts[signal] + windows.start[i];
      chosen[i] = layoutOf(store.kinds[signal]);
    }
    const at = this.#stage((2 * N + offsets.length) * 4);
    this.#arena.u32(at, N).set(starts);
    this.#arena.u32(at + N * 4, N).set(chosen);
    this.#arena.u32(at + 2 * N * 4, offsets.length).set(offsets);
    const [y, removed] = [own(Y, CpuMatrix), means ? own(means, CpuMatrix).at : 0];
    this.#arguments(store.at, at, at + N * 4, at + 2 * N * 4, lines, length, y.at, removed);
    await this.#run("extract", N, 64);
  }

  async addWindows(
    Y: DeviceMatrix,
    means: DeviceMatrix | null,
    start: Uint32Array,
    patch: Shape,
    shape: Shape,
    sum: DeviceMatrix,
  ): Promise<void> {
    const N = Y.cols;
    if (N === 0) return;
    const lines = lineOffsets(shape, patch);
    const length = patch.at(-1)!;
    const at = this.#stage((N + lines.length) * 4);
    this.#arena.u32(at, N).set(start);
    this.#arena.u32(at + N * 4, lines.length).set(lines);
    const [first, last] = extentOf(start);
    const end = last + lines.at(-1)! + length;
    const [y, added] = [own(Y, CpuMatrix).at, means ? own(means, CpuMatrix).at : 0];
    const target = own(sum, CpuMatrix).at;
    this.#arguments(at, N, at + N * 4, lines.length, length, y, added, target, first, end);
    await this.#run("addWindows", Math.ceil((end - first) / sampleBlock), 1);
  }

  // — how it is done ————————————————————————————————————————————————————————

  /** The arguments of the next kernel, one word each. */
  #arguments(...words: number[]): void {
    const { u32 } = this.#pool.args;
    for (let i = 0; i < words.length; i++) u32[i] = words[i];
  }

  async #run(name: (typeof names)[number], items: number, step: number): Promise<void> {
    await this.#pool.run(name, items, step);
  }

  /** Memory for one call: gone with the next. */
  #stage(bytes: number): number {
    if (bytes > this.#staging.bytes) {
      if (this.#staging.at !== 0) this.#arena.give(this.#staging.at);
      this.#staging = { at: this.#arena.take(bytes), bytes };
    }
    return this.#staging.at;
  }

  /** Codes by rows, of all atoms or some, where the kernels can read them: addresses of starts, examples, coefficients. */
  #rowLists(
    X: DeviceSparse,
    members?: Uint32Array,
    moreBytes = 0,
  ): { longest: number; at: readonly number[]; more: number } {
    const { starts, examples, coefficients, longest } = rowLists(this.#sparse(X), X.rows, members);
    const more = this.#stage(moreBytes + (starts.length + 2 * examples.length) * 4); // first: it may hold f64
    const at = more + moreBytes;
    const examplesAt = at + starts.length * 4;
    const coefficientsAt = examplesAt + examples.length * 4;
    this.#arena.u32(at, starts.length).set(starts);
    this.#arena.u32(examplesAt, examples.length).set(examples);
    this.#arena.f32(coefficientsAt, coefficients.length).set(coefficients);
    return { longest, at: [at, examplesAt, coefficientsAt], more };
  }

  #sparseWords(sparse: DeviceSparse): number[] {
    const { indices, values, counts, width } = own(sparse, CpuSparse);
    return [indices, values, counts, width];
  }

  #dense(matrix: DeviceMatrix): Float32Array {
    const { at, rows, cols } = own(matrix, CpuMatrix);
    return this.#arena.f32(at, rows * cols);
  }

  #sparse(sparse: DeviceSparse): SparseViews {
    const { cols, width, indices, values, counts } = own(sparse, CpuSparse);
    return {
      indices: this.#arena.u32(indices, width * cols),
      values: this.#arena.f32(values, width * cols),
      counts: this.#arena.u32(counts, cols),
      width,
    };
  }

  #members(set: DeviceSet): Uint32Array {
    const { at, size } = own(set, CpuSet);
    return this.#arena.u32(at, size);
  }
}

/** atom ← u/‖u‖ with u = Σ g r + ‖g‖² atom, the sum in parts; false, and it stays, where u is zero. */
function putDirection(parts: Float32Array, energy: number, atom: Float32Array): boolean {
  const u = Float64Array.from(atom, (value) => energy * value);
  for (let i = 0; i < parts.length; i++) u[i % atom.length] += parts[i];
  const squared = u.reduce((sum, value) => sum + value * value, 0);
  if (!(squared > 0)) return false;
  const scale = 1 / Math.sqrt(squared);
  for (let r = 0; r < atom.length; r++) atom[r] = u[r] * scale;
  return true;
}

/** Examples a turn of a thread: short calls let the engine replace its first, slow code, and share work evenly. */
function ompStep(m: number, p: number): number {
  return Math.max(1, Math.min(32, Math.round(1e6 / (p * (p + 2) * m))));
}

/** Scratch of rounded.ts: its columns and its lists. */
function roundedBytes(m: number, kept: number): number {
  return kept === 0 ? 0 : (kept + 8) * (24 + 2 * (m + 24)) + 5 * m + 1024;
}

/** Columns that a pursuit keeps rounded: 0 where it is too short for that to pay, and at most 2 MiB of them. */
function keptColumns(m: number, p: number): number {
  return p < 24 ? 0 : Math.min(p, Math.floor(2 ** 20 / m));
}

/** The atoms that a set leaves out, ascending. */
function outsideOf(members: Uint32Array, atoms: number): Uint32Array {
  const outside = new Uint32Array(atoms - members.length);
  let count = 0;
  let next = 0;
  for (const atom of members) {
    while (next < atom) outside[count++] = next++;
    next = atom + 1;
  }
  while (next < atoms) outside[count++] = next++;
  return outside;
}

/** A matrix as f32 by columns, in words. */
function f32Words(matrix: Matrix64): Uint32Array {
  return new Uint32Array(Float32Array.from(matrix.data).buffer);
}
