/**
 * Conformance: orthogonal least squares, checked turn by turn against a QR factorisation of the atoms
 * themselves in f64: no Gram matrix, no recurrence that the kernels share.
 *
 * After the atoms I, with Q an orthonormal basis of their span, the exact residual is r = y − QQᵀy and
 * the rest of each atom eⱼ = dⱼ − QQᵀdⱼ. Atom j would leave ‖r‖² − ⟨dⱼ, r⟩²/‖eⱼ‖².
 *
 * Rounding. β = G_I v of turn t is computed from the row v of the inverse factor, so that, as for the fit of OMP
 * (oracle.case.ts), |δβ| ≤ b = (3t + 8) u (1 + t‖G_II⁻¹‖₁) ‖v‖₁ in f32. From α = P − Σ zβ and ν = 1 − Σ β² over t turns,
 * with Σ|z| ≤ √t ‖y‖ and Σ|β| ≤ √t,
 *
 *     |δα| ≤ √t ‖y‖ b + (t + 2) u ‖y‖,     |δν| ≤ 2√t b + t b² + (t + 2) u
 *
 * where b is the largest so far; the unit norms of the atoms are in f32, too.
 */

import { expect } from "vitest";
import { DenseMatrix, type SparseColumns } from "../../core/matrix.js";
import { type DeviceMatrix, dependenceFloor, type PursuitLimits, pursuitFloor } from "../contract.js";
import type { Bench, ConformanceCase, Room } from "./caseHandles.case.js";
import {
  directionEnergy,
  dot,
  gramOf,
  randomDense,
  randomUnitDictionary,
  solveByColumns,
  subtract,
} from "./oracle.case.js";
import { unitRoundoff as u } from "./tolerance.js";

export const olsCases: readonly ConformanceCase[] = [
  {
    title:
      "ols takes the atom that leaves the least each turn, fits by least squares, and stops for the right reason",
    async check(bench, rng, scale) {
      const [n, m] = [6 + rng.below(8), 6 + rng.below(35)];
      const p = rng.uniform() < 0.5 ? 2 : 6; // few of them: a GPU compiles a shader for each
      const { D } = randomUnitDictionary(rng, n, m);
      const Y = randomDense(rng, n, 7, scale);
      Y.column(0).fill(0); // nothing to pursue
      Y.column(1).set(D.column(rng.below(m)).map((value) => value * 3 * scale)); // one atom: zero residual
      const residualEnergy = rng.uniform() < 0.5 ? 0 : 0.3 * n * scale * scale;
      const path = await bench.room(p, Y.cols);
      const codes = await pursue(bench, D, Y, { sparsity: p, residualEnergy }, p, path);
      expect(codes.counts[0]).toBe(0);
      expect(codes.counts[1]).toBeLessThanOrEqual(1);
    },
  },
  {
    title: "ols leaves the least at sizes beyond any block, and gives the same bits again",
    large: true,
    once: true,
    async check(bench, rng) {
      const { D } = randomUnitDictionary(rng, 20, 661);
      const Y = randomDense(rng, 20, 6);
      Y.column(5).set(D.column(660)); // the last atom alone
      const path = await bench.room(13, Y.cols);
      const limits = { sparsity: 13, residualEnergy: 0 };
      const codes = await pursue(bench, D, Y, limits, 14, path);
      expect([codes.indices[5 * 14], codes.counts[5]]).toEqual([660, 1]);
      expect(await pursue(bench, D, Y, limits, 14), "without a path").toEqual(codes);
      await pursue(bench, D, Y, { sparsity: 12, residualEnergy: 2 }, 12);
    },
  },
  {
    title: "ols leaves the least in long pursuits",
    large: true,
    once: true,
    async check(bench, rng) {
      const { D } = randomUnitDictionary(rng, 50, 333);
      const Y = randomDense(rng, 50, 4);
      Y.column(2).fill(0);
      for (const atom of [7, 332, 120]) D.column(atom).forEach((value, i) => (Y.column(2)[i] += 2 * value));
      const codes = await pursue(bench, D, Y, { sparsity: 30, residualEnergy: 0 }, 30);
      expect(codes.counts[0]).toBe(30);
    },
  },
  {
    title: "ols leaves the least in long pursuits among coherent atoms, their copies and near copies",
    large: true,
    once: true,
    async check(bench, rng) {
      const own = randomUnitDictionary(rng, 45, 60).D;
      const mean = own.column(0);
      // a part of one direction in all; then each again, as it is or moved by a thousandth
      const D = DenseMatrix.build(45, 149, (i, j) => {
        const value = own.at(i, j % 60) + 0.7 * mean[i];
        return j < 60 ? value : value + (j % 3 === 0 ? 0 : 1e-3 * Math.sin(7 * i + j));
      });
      for (let j = 0; j < D.cols; j++) {
        const norm = Math.sqrt(dot(D.column(j), D.column(j)));
        D.column(j).forEach((value, i, column) => (column[i] = value / norm));
      }
      const Y = randomDense(rng, 45, 6);
      const path = await bench.room(32, Y.cols);
      const codes = await pursue(bench, D, Y, { sparsity: 32, residualEnergy: 0 }, 32, path);
      expect([...codes.counts]).toEqual(Array(6).fill(32));
      await pursue(bench, D, Y, { sparsity: 32, residualEnergy: 5 }, 32);
    },
  },
  {
    title: "ols keeps codes small where atoms are nearly in the span of many others",
    once: true,
    async check(bench, rng) {
      // bumps at places a twentieth of their width apart: 40 of them span 24 samples, most directions hardly
      const D = DenseMatrix.build(24, 96, (i, j) => Math.exp(-(((i - j / 4) / 5) ** 2)));
      for (let j = 0; j < D.cols; j++) {
        const norm = Math.sqrt(dot(D.column(j), D.column(j)));
        D.column(j).forEach((value, i, column) => (column[i] = value / norm));
      }
      const Y = randomDense(rng, 24, 8);
      const p = 24;
      const limits = { sparsity: p, residualEnergy: 0, pursuit: "ols" } as const;
      const path = await bench.room(p, Y.cols);
      const { codes, left } = await codesOf(bench, D, Y, limits, p, path);
      for (let i = 0; i < Y.cols; i++) {
        const size = Math.sqrt(dot(Y.column(i), Y.column(i)));
        const values = codes.values.subarray(i * p, i * p + codes.counts[i]);
        // x = Σ zv, and each ‖v‖ below 1/√floor; twice as much for rounding, as in `directionEnergy`
        const most = 2 * size * Math.sqrt(codes.counts[i] / dependenceFloor);
        expect(Math.sqrt(dot(values, values)), `example ${i}`).toBeLessThan(most);
        const residual = Float64Array.from(Y.column(i));
        values.forEach((x, t) => {
          subtract(residual, x, Float64Array.from(D.column(codes.indices[i * p + t])));
        });
        // rounding of G and of x moves Dx by at most a few u ‖x‖₁
        const slack = (3 * p + 8) * u * values.reduce((sum, x) => sum + Math.abs(x), 0);
        const said = Math.sqrt(left!.at(p - 1, i));
        expect(Math.abs(Math.sqrt(dot(residual, residual)) - said), `residual of ${i}`).toBeLessThanOrEqual(
          slack + Math.sqrt(slack * size),
        );
      }
    },
  },
  {
    title: "ols gives the codes of a direct computation, atom by atom",
    once: true,
    async check(bench, rng) {
      const { D } = randomUnitDictionary(rng, 40, 200);
      const Y = randomDense(rng, 40, 12);
      for (const p of [8, 26]) {
        const codes = await pursue(bench, D, Y, { sparsity: p, residualEnergy: 0 }, p);
        for (let i = 0; i < Y.cols; i++) {
          const state = new ExactState(D, Y.column(i));
          while (state.atoms.length < p) state.take(state.bestAtom());
          expect([...codes.indices.subarray(p * i, p * i + p)], `example ${i}`).toEqual(state.atoms);
        }
      }
    },
  },
  {
    title: "ols is omp over orthogonal atoms, through a hundred turns",
    large: true,
    once: true,
    async check(bench, rng) {
      const [m, p] = [320, 100];
      const P = randomDense(rng, m, 1);
      const energies = [dot(P.column(0), P.column(0))];
      const ols = await fromProjections(bench, DenseMatrix.identity(m), P, energies, p);
      const omp = await fromProjections(bench, DenseMatrix.identity(m), P, energies, p, "omp");
      expect(ols).toEqual(omp);
    },
  },
  {
    title: "ols is omp over more orthogonal atoms than it goes over at a time",
    large: true,
    once: true,
    async check(bench, rng) {
      const [m, p] = [4200, 9];
      if (m > bench.kernels.mostGramAtoms) return; // they go over atoms in another way
      const P = randomDense(rng, m, 2);
      P.column(1)[4150] = P.column(1)[7] = 9; // far apart, and equal: the first is taken first
      const energies = [0, 1].map((i) => dot(P.column(i), P.column(i)));
      const ols = await fromProjections(bench, DenseMatrix.identity(m), P, energies, p);
      expect(await fromProjections(bench, DenseMatrix.identity(m), P, energies, p, "omp")).toEqual(ols);
      expect([...ols.indices.subarray(p, p + 2)]).toEqual([7, 4150]);
    },
  },
  {
    title: "ols takes the first of equal atoms, and never a zero one",
    once: true,
    async check(bench) {
      const P = new DenseMatrix(5, 2, Float32Array.of(0, -2, 2, 2, 1, 1, 2, 4, -4, 0));
      const codes = await fromProjections(bench, DenseMatrix.identity(5), P, [13, 37], 3);
      expect([...codes.indices]).toEqual([1, 2, 3, 2, 3, 1]);
      expect([...codes.values]).toEqual([-2, 2, 2, 4, -4, 2]);
      const G = new DenseMatrix(3, 3, Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0, 1));
      const few = await fromProjections(bench, G, new DenseMatrix(3, 1, Float32Array.of(2, 0, 1)), [6], 3);
      expect([...few.indices, few.counts[0]]).toEqual([0, 2, 0, 2]);
    },
  },
  {
    title: "ols passes over copies of atoms and atoms in the span of those taken",
    async check(bench, rng) {
      const n = 6;
      const inner = randomUnitDictionary(rng, n, 5).D;
      // each atom twice, and combinations of pairs: all in the span of five atoms
      const D = DenseMatrix.build(n, 14, (i, j) => {
        if (j < 10) return inner.at(i, j % 5);
        const [a, b] = [inner.column(j - 10), inner.column(j - 9)];
        const norm = Math.sqrt(a.reduce((sum, value, r) => sum + (value + b[r]) ** 2, 0));
        return (a[i] + b[i]) / norm;
      });
      const Y = randomDense(rng, n, 5);
      const codes = await pursue(bench, D, Y, { sparsity: n, residualEnergy: 0 }, n);
      codes.counts.forEach((count) => {
        expect(count).toBeLessThanOrEqual(5);
      });
      expect(codes.values.every(Number.isFinite)).toBe(true);
    },
  },
  {
    title: "ols passes over an atom that depends on those taken, and continues",
    once: true,
    async check(bench) {
      // d₁ is 1 − c from d₀, at a squared distance of about 2c; y = d₀ − e/2 + f/4, with e ⟂ d₀ in their plane and d₂ = f
      for (const [c, order] of [
        [dependenceFloor / 4, [0, 2]],
        [dependenceFloor * 4, [0, 1, 2]],
      ] as const) {
        const G = new DenseMatrix(3, 3, Float32Array.of(1, 1 - c, 0, 1 - c, 1, 0, 0, 0, 1));
        const P = new DenseMatrix(3, 1, Float32Array.of(1, 1 - c - Math.sqrt(2 * c - c * c) / 2, 0.25));
        const codes = await fromProjections(bench, G, P, [1 + 0.25 + 0.0625], 3);
        expect([...codes.indices.subarray(0, codes.counts[0])], `1 − ${c}`).toEqual(order);
        expect(codes.values.every(Number.isFinite)).toBe(true);
      }
    },
  },
  {
    title: "ols passes over an atom whose direction has large coefficients, and continues",
    once: true,
    async check(bench) {
      for (const { delta, order } of nearSpan) {
        const { D, y } = nearSpanProblem(delta);
        const P = DenseMatrix.build(D.cols, 1, (j) => dot(D.column(j), y));
        const codes = await fromProjections(bench, gramOf(D), P, [dot(y, y)], 4);
        expect([...codes.indices.subarray(0, codes.counts[0])], `δ = ${delta}`).toEqual(order);
      }
    },
  },
];

/** The distance δ of the second atom of `nearSpanProblem` from the first, and the atoms that OLS takes. */
export const nearSpan = [
  { delta: 2e-3, order: [0, 1, 3] },
  { delta: 4e-3, order: [0, 1, 2, 3] },
] as const;

/**
 * Four atoms of four samples. The first two are at a distance of δ and are taken first. The third has ν = 7/16 then, and its
 * direction, with coefficients of 3/(4δ) over them, has 1/‖v‖² = 7/16 / (1 + 2 (3/4δ)²): 0.8 or 3.3 times the floor. It is the best
 * of the third turn; the fourth, which is orthogonal to all, is the next.
 */
export function nearSpanProblem(delta: number): { readonly D: DenseMatrix; readonly y: Float32Array } {
  const c = Math.sqrt(1 - delta ** 2);
  const atoms = [1, 0, 0, 0, c, delta, 0, 0, 0, 0.75, Math.sqrt(7) / 4, 0, 0, 0, 0, 1];
  return { D: new DenseMatrix(4, 4, Float32Array.from(atoms)), y: Float32Array.of(10, -3, 1, 0.5) };
}

/** A pursuit in progress, exactly: Q, R with D_I = QR, the residual, and what is left of each atom. */
class ExactState {
  readonly atoms: number[] = [];
  readonly #D: DenseMatrix;
  readonly #R: number[][] = [];
  readonly #Q: Float64Array[] = [];
  readonly #y: ArrayLike<number>;
  readonly residual: Float64Array;
  readonly #rests: readonly Float64Array[];
  /** ⟨dⱼ, r⟩ and ‖P⊥dⱼ‖². */
  alphas: readonly number[] = [];
  distances: readonly number[] = [];

  constructor(D: DenseMatrix, y: ArrayLike<number>) {
    this.#D = D;
    this.#y = y;
    this.residual = Float64Array.from(y);
    this.#rests = Array.from({ length: D.cols }, (_, j) => Float64Array.from(D.column(j)));
    this.#measure();
  }

  #measure(): void {
    this.alphas = this.#rests.map((_, j) => dot(this.#D.column(j), this.residual));
    this.distances = this.#rests.map((rest) => dot(rest, rest));
  }

  take(atom: number): void {
    const q = this.#rests[atom].slice();
    for (const earlier of this.#Q) subtract(q, dot(earlier, q), earlier); // once more: a short rest is mostly rounding
    const norm = Math.sqrt(dot(q, q));
    for (let i = 0; i < q.length; i++) q[i] /= norm;
    const column = Float64Array.from(this.#D.column(atom));
    this.#Q.push(q);
    this.#R.push(this.#Q.map((earlier) => dot(earlier, column)));
    this.atoms.push(atom);
    for (const vector of [this.residual, ...this.#rests]) subtract(vector, dot(q, vector), q);
    this.#measure();
  }

  /** The atom, not taken, that leaves the least. */
  bestAtom(): number {
    const gains = this.alphas.map((alpha, j) =>
      this.atoms.includes(j) ? -1 : alpha ** 2 / this.distances[j],
    );
    return gains.indexOf(Math.max(...gains));
  }

  /** Atoms that may be passed over now: of small 1/‖v‖², up to rounding. */
  near(): number[] {
    return this.distances.flatMap((_, j) =>
      !this.atoms.includes(j) && this.remoteness(j) <= 2 * dependenceFloor ? [j] : [],
    );
  }

  /** 1/‖v‖² of an atom. */
  remoteness(atom: number): number {
    const w = this.#Q.map((q) => dot(q, this.#D.column(atom)));
    return 1 / directionEnergy(this.#R, w, this.distances[atom]);
  }

  /** x of D_I x ≈ y: R x = Qᵀy. */
  coefficients(): number[] {
    return solveByColumns(
      this.#R,
      this.#Q.map((q) => dot(q, this.#y)),
    );
  }

  /** The largest |δβ| of the last turn in f32. */
  betaSlack(): number {
    const t = this.atoms.length;
    const inverse = this.atoms.map((_, s) =>
      solveByColumns(
        this.#R,
        this.atoms.map((__, r) => (r === s ? 1 : 0)),
      ),
    ); // columns of R⁻¹
    const norm = (column: readonly number[]) => column.reduce((sum, value) => sum + Math.abs(value), 0);
    const rows = this.atoms.map((_, r) => inverse.map((column) => column[r]));
    const gramInverse = Math.max(1, ...rows.map((row) => norm(rows.map((other) => dot(row, other)))));
    return (3 * t + 8) * u * (1 + t * gramInverse) * norm(inverse[t - 1]);
  }
}

/** Code the columns of Y, with the residual energies of all turns. */
async function codesOf(
  bench: Bench,
  D: DenseMatrix,
  Y: DenseMatrix,
  limits: PursuitLimits,
  width: number,
  path?: Room<DeviceMatrix, DenseMatrix>,
): Promise<{ codes: SparseColumns; left: DenseMatrix | undefined }> {
  const P = DenseMatrix.build(D.cols, Y.cols, (j, i) => dot(D.column(j), Y.column(i)));
  const energies = DenseMatrix.build(1, Y.cols, (_, i) => dot(Y.column(i), Y.column(i)));
  const X = await bench.sparseRoom(D.cols, Y.cols, width);
  const held = [await bench.put(gramOf(D)), await bench.put(P), await bench.put(energies)] as const;
  await bench.kernels.batchOmp(...held, limits, X.handle, path?.handle);
  return { codes: await X.read(), left: await path?.read() };
}

/** Code the columns of Y by OLS, and check every turn. */
async function pursue(
  bench: Bench,
  D: DenseMatrix,
  Y: DenseMatrix,
  stop: Pick<PursuitLimits, "sparsity" | "residualEnergy">,
  width: number,
  path?: Room<DeviceMatrix, DenseMatrix>,
): Promise<SparseColumns> {
  const limits = { ...stop, pursuit: "ols" } as const;
  const { codes, left } = await codesOf(bench, D, Y, limits, width, path);
  for (let i = 0; i < Y.cols; i++) {
    const [from, to] = [i * width, i * width + codes.counts[i]];
    const code = { atoms: codes.indices.subarray(from, to), values: codes.values.subarray(from, to) };
    expectLeast(D, Y.column(i), limits, code, left?.column(i));
  }
  return codes;
}

interface Code {
  readonly atoms: Uint32Array;
  readonly values: Float32Array;
}

/** Checks that OLS may give a code, and the residual energies of its turns. */
export function expectLeast(
  D: DenseMatrix,
  y: Float32Array,
  limits: PursuitLimits,
  { atoms, values }: Code,
  path?: Float32Array,
): void {
  expect(new Set(atoms).size).toBe(atoms.length);
  expect(atoms.length).toBeLessThanOrEqual(limits.sparsity);
  const state = new ExactState(D, y);
  const energy = dot(y, y);
  const size = Math.sqrt(energy);
  const floor = pursuitFloor * Math.max(0, ...state.alphas.map(Math.abs));
  /** Atoms that may have been passed over in an earlier turn, and then are for good. */
  const passed = new Set<number>();
  let beta = 0;
  for (let t = 0; t <= atoms.length; t++) {
    const root = Math.sqrt(t);
    const slack = {
      alpha: root * size * beta + (t + 2) * u * size,
      distance: 2 * root * beta + t * beta * beta + (t + 2) * u,
      energy: 2 * root * size * (root * size * beta) + (t + 8) * u * energy,
    };
    const left = dot(state.residual, state.residual);
    if (path) expectPath(path, t, atoms.length, t === 0 ? energy : left, slack.energy);
    const ends =
      t === limits.sparsity || (limits.residualEnergy > 0 ? left <= limits.residualEnergy : energy === 0);
    if (t < atoms.length) {
      expect(left, `turn ${t}: continues below the error`).toBeGreaterThan(
        limits.residualEnergy - slack.energy,
      );
      expectBest(state, atoms[t], floor, slack, passed);
      state.near().forEach((j) => passed.add(j));
      state.take(atoms[t]);
      beta = Math.max(beta, state.betaSlack());
      continue;
    }
    const nearlyEnds = limits.residualEnergy > 0 && left <= limits.residualEnergy + slack.energy;
    if (!ends && !nearlyEnds)
      expect(openAtoms(state, floor, slack, passed), `stops after ${t} atoms`).toEqual([]);
    state.coefficients().forEach((x, s) => {
      expect(Math.abs(x - values[s]), `coefficient ${s}`).toBeLessThanOrEqual(
        size * (1 + root) * beta + 1e-38,
      );
    });
  }
}

interface Slack {
  readonly alpha: number;
  readonly distance: number;
}

/** Atoms that must be found above the floors, whatever the rounding. */
function openAtoms(state: ExactState, floor: number, slack: Slack, passed: ReadonlySet<number>): number[] {
  return state.distances.flatMap((distance, j) => {
    const isOpen =
      !state.atoms.includes(j) &&
      !passed.has(j) &&
      Math.abs(state.alphas[j]) > floor + slack.alpha &&
      distance > dependenceFloor + slack.distance &&
      state.remoteness(j) > 2 * dependenceFloor;
    return isOpen ? [j] : [];
  });
}

/** The atom may be taken, and none other leaves certainly less. */
function expectBest(
  state: ExactState,
  atom: number,
  floor: number,
  slack: Slack,
  passed: ReadonlySet<number>,
): void {
  const turn = `turn ${state.atoms.length}`;
  const [alpha, distance] = [Math.abs(state.alphas[atom]), state.distances[atom]];
  expect(alpha, `${turn}: continues with nothing left`).toBeGreaterThan(floor - slack.alpha);
  expect(distance, `${turn}: depends on those taken`).toBeGreaterThan(dependenceFloor - slack.distance);
  expect(state.remoteness(atom), `${turn}: near the span`).toBeGreaterThan(dependenceFloor / 2);
  const most = (alpha + slack.alpha) / Math.sqrt(Math.max(distance - slack.distance, dependenceFloor));
  for (const j of openAtoms(state, floor, slack, passed)) {
    const least = (Math.abs(state.alphas[j]) - slack.alpha) / Math.sqrt(state.distances[j] + slack.distance);
    if (!(most * (1 + 16 * u) >= least)) expect.fail(`${turn}: atom ${j} leaves less than atom ${atom}`);
  }
}

/** After turn t in row t − 1; rows after the last turn repeat it. */
function expectPath(path: Float32Array, t: number, taken: number, left: number, slack: number): void {
  const rows = t === taken ? path.slice(Math.max(0, t - 1)) : t > 0 ? path.slice(t - 1, t) : [];
  for (const value of rows) {
    expect(value, `residual energy after turn ${t}`).toBeGreaterThanOrEqual(0);
    expect(Math.abs(value - left), `residual energy after turn ${t}`).toBeLessThanOrEqual(slack);
    expect(value, `a row after turn ${t}`).toBe(rows[0]);
  }
}

/** Codes from an invented Gram matrix and projections. */
async function fromProjections(
  bench: Bench,
  G: DenseMatrix,
  P: DenseMatrix,
  energies: readonly number[],
  sparsity: number,
  pursuit: "omp" | "ols" = "ols",
): Promise<SparseColumns> {
  const X = await bench.sparseRoom(P.rows, P.cols, sparsity);
  const held = await bench.put(new DenseMatrix(1, P.cols, Float32Array.from(energies)));
  const limits = { sparsity, residualEnergy: 0, pursuit };
  await bench.kernels.batchOmp(await bench.put(G), await bench.put(P), held, limits, X.handle);
  return X.read();
}
