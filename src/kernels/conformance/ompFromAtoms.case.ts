/**
 * Conformance: pursuits from the atoms themselves, OMP and OLS, checked turn by turn against a QR
 * factorisation of the unit atoms D̂ = ΦA diag(s) in f64.
 *
 * Rounding. A sum over n samples of products with atoms, which are themselves chains of c terms, differs
 * from the exact one by at most ε times the norms, ε = (n + c + 2t + 16) u M, with M ≥ 1 the largest ‖|Φ||a|‖s.
 * Least squares by modified Gram–Schmidt is backward stable [Björck 1967]: after t atoms the result is the exact one of
 * atoms that are moved by ε each, ‖δD‖ ≤ √t ε. With 1/σ the norm of R⁻¹ and ‖x‖ ≤ ‖y‖/σ, perturbation theory
 * [Higham 2002, §20.1] gives
 *
 *     ‖δr‖ ≤ 2√t ε‖y‖/σ,     ‖δx‖ ≤ 2√t ε‖y‖/σ²,     |δν| ≤ 4√t ε/σ + (t + 2)u
 */

import { expect } from "vitest";
import { DenseMatrix, SparseColumns } from "../../core/matrix.js";
import type { Rng } from "../../core/random/rng.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import {
  type DeviceBase,
  type DeviceSparse,
  dependenceFloor,
  type PursuitLimits,
  pursuitFloor,
} from "../contract.js";
import type { Bench, ConformanceCase } from "./caseHandles.case.js";
import { nearSpan, nearSpanProblem } from "./ols.case.js";
import {
  chainLength,
  directionEnergy,
  dot,
  explicitBase,
  magnitudes,
  randomDense,
  randomFactors,
  randomSparse,
  scaledRows,
  solveByColumns,
  subtract,
  wide,
} from "./oracle.case.js";
import { unitRoundoff as u } from "./tolerance.js";

export const ompFromAtomsCases: readonly ConformanceCase[] = [
  {
    title:
      "ompFromAtoms takes the best atom each turn, fits by least squares, and stops for the right reason",
    async check(bench, rng, scale) {
      const atoms = randomAtoms(rng, randomFactors(rng), 1 + rng.below(40), 3);
      const [n, m] = [atoms.D.rows, atoms.D.cols];
      const p = 1 + rng.below(Math.min(n, m, 8));
      const Y = randomDense(rng, n, 7, scale);
      Y.column(0).fill(0); // nothing to pursue
      Y.column(1).set(atoms.D.column(rng.below(m)).map((value) => value * 3 * scale)); // one atom: zero residual
      const residualEnergy = rng.uniform() < 0.5 ? 0 : 0.3 * n * scale * scale;
      const pursuit = rng.uniform() < 0.5 ? "omp" : "ols";
      const codes = await pursue(bench, atoms, Y, { sparsity: p, residualEnergy, pursuit }, p + rng.below(2));
      expect(codes.counts[0]).toBe(0);
      expect(codes.counts[1]).toBeLessThanOrEqual(1);
    },
  },
  {
    title: "ompFromAtoms is right at sizes beyond any block, and gives the same bits again",
    large: true,
    once: true,
    async check(bench, rng) {
      const factors = [wide(randomDense(rng, 7, 20)), wide(randomDense(rng, 10, 17))];
      const atoms = randomAtoms(rng, factors, 661, 9);
      const Y = randomDense(rng, atoms.D.rows, 18);
      Y.column(17).set(atoms.D.column(660)); // the last atom alone
      const limits = { sparsity: 6, residualEnergy: 0, pursuit: "ols" } as const;
      const codes = await pursue(bench, atoms, Y, limits, 7);
      const last = [...codes.indices.subarray(17 * 7), codes.counts[17]];
      expect(last).toEqual([660, ...new Array(6).fill(0), 1]);
      expect(await code(bench, atoms, Y, limits, 7)).toMatchObject({ codes });
      const bounded = await pursue(bench, atoms, Y, { sparsity: 10, residualEnergy: 42 }, 10);
      expect(new Set(bounded.counts).size).toBeGreaterThan(3); // they end at different turns
    },
  },
  {
    title: "ompFromAtoms takes the first of equal atoms, in the order of taking",
    once: true,
    async check(bench) {
      const atoms = unitAtoms([Matrix64.identity(5)], SparseColumns.identity(5, 1), new Array(5).fill(1));
      const Y = new DenseMatrix(5, 2, Float32Array.of(0, -2, 2, 2, 1, 1, 2, 4, -4, 0));
      for (const pursuit of ["omp", "ols"] as const) {
        const codes = await pursue(bench, atoms, Y, { sparsity: 3, residualEnergy: 0, pursuit }, 3);
        expect([...codes.indices]).toEqual([1, 2, 3, 2, 3, 1]);
        expect([...codes.values]).toEqual([-2, 2, 2, 4, -4, 2]);
      }
    },
  },
  {
    title: "ompFromAtoms ends (ols: passes over) at an atom that depends on those taken, and only there",
    once: true,
    async check(bench) {
      // d₁ at a squared distance of δ from d₀, d₂ ⟂ both; y has more of d₁'s own direction than of d₂
      for (const [distance, omp, ols] of [
        [dependenceFloor / 2, [0], [0, 2]],
        [dependenceFloor * 4, [0, 1], [0, 1]],
      ] as const) {
        const A = new SparseColumns(3, 3, 2);
        A.setColumn(0, [0], [1]);
        A.setColumn(1, [0, 1], [Math.sqrt(1 - distance), Math.sqrt(distance)]);
        A.setColumn(2, [2], [1]);
        const atoms = unitAtoms([Matrix64.identity(3)], A, [1, 1, 1]);
        const share = Math.sqrt(distance);
        const Y = new DenseMatrix(3, 1, Float32Array.of(1, -0.5, 0.25 * share));
        const taken = async (pursuit: "omp" | "ols") => {
          const codes = await pursue(bench, atoms, Y, { sparsity: 2, residualEnergy: 0, pursuit }, 2);
          expect(codes.values.every(Number.isFinite)).toBe(true);
          return [...codes.indices.subarray(0, codes.counts[0])];
        };
        expect(await taken("omp"), `omp at ${distance}`).toEqual(omp);
        expect(await taken("ols"), `ols at ${distance}`).toEqual(ols);
      }
    },
  },
  {
    title: "ompFromAtoms: ols passes over an atom whose direction has large coefficients, and continues",
    once: true,
    async check(bench) {
      for (const { delta, order } of nearSpan) {
        const { D, y } = nearSpanProblem(delta);
        const atoms = unitAtoms([wide(D)], SparseColumns.identity(4, 1), [1, 1, 1, 1]);
        const limits = { sparsity: 4, residualEnergy: 0, pursuit: "ols" } as const;
        const codes = await pursue(bench, atoms, new DenseMatrix(4, 1, y), limits, 4);
        expect([...codes.indices.subarray(0, codes.counts[0])], `δ = ${delta}`).toEqual(order);
      }
    },
  },
];

/** Unit atoms, as the operation gets them and exactly. */
interface UnitAtoms {
  readonly factors: readonly Matrix64[];
  readonly A: SparseColumns;
  readonly scale: DenseMatrix;
  /** D̂, n × m. */
  readonly D: Matrix64;
  /** c and M of the header. */
  readonly chain: number;
  readonly spread: number;
}

function unitAtoms(factors: readonly Matrix64[], A: SparseColumns, scale: ArrayLike<number>): UnitAtoms {
  const phi = explicitBase(factors);
  const s = Float32Array.from(scale);
  const scaled = (M: Matrix64) => scaledRows(M.transpose(), s).transpose();
  const size = scaled(magnitudes(phi).times(magnitudes(wide(A))));
  const norms = Array.from({ length: A.cols }, (_, j) => Math.sqrt(dot(size.column(j), size.column(j))));
  return {
    factors,
    A,
    scale: new DenseMatrix(A.cols, 1, s),
    D: scaled(phi.times(wide(A))),
    chain: chainLength(factors) + A.width,
    spread: Math.max(1, ...norms),
  };
}

/** Random sparse atoms, scaled to unit norm; a zero atom and a copy among them, if there are enough. */
function randomAtoms(rng: Rng, factors: readonly Matrix64[], m: number, width: number): UnitAtoms {
  const phi = explicitBase(factors);
  const A = randomSparse(rng, phi.cols, m, Math.min(phi.cols, width));
  if (m > 4) {
    A.setColumn(2, [], []);
    A.copyColumn(A, 0, 3);
  }
  const D = phi.times(wide(A));
  const norms = Array.from({ length: m }, (_, j) => Math.sqrt(dot(D.column(j), D.column(j))));
  return unitAtoms(
    factors,
    A,
    norms.map((norm) => (norm > 0 ? 1 / norm : 0)),
  );
}

async function put(bench: Bench, { factors, A }: UnitAtoms): Promise<{ base: DeviceBase; A: DeviceSparse }> {
  return { base: bench.keep(bench.kernels.base(factors)), A: await bench.putSparse(A) };
}

/** Code the columns of Y, and check every turn and the residual energies. */
async function pursue(
  bench: Bench,
  atoms: UnitAtoms,
  Y: DenseMatrix,
  limits: PursuitLimits,
  width: number,
): Promise<SparseColumns> {
  const { codes, left } = await code(bench, atoms, Y, limits, width);
  for (let i = 0; i < Y.cols; i++) {
    const [from, to] = [i * width, i * width + codes.counts[i]];
    const found = { atoms: codes.indices.subarray(from, to), values: codes.values.subarray(from, to) };
    expectPursuit(atoms, Y.column(i), limits, found, left.column(i));
  }
  return codes;
}

/** The codes of the columns of Y, and the residual energies of all turns. */
async function code(
  bench: Bench,
  atoms: UnitAtoms,
  Y: DenseMatrix,
  limits: PursuitLimits,
  width: number,
): Promise<{ codes: SparseColumns; left: DenseMatrix }> {
  const { base, A } = await put(bench, atoms);
  const energies = DenseMatrix.build(1, Y.cols, (_, i) => dot(Y.column(i), Y.column(i)));
  const X = await bench.sparseRoom(A.cols, Y.cols, width);
  const path = await bench.room(limits.sparsity, Y.cols);
  const held = [await bench.put(atoms.scale), await bench.put(Y), await bench.put(energies)] as const;
  await bench.kernels.ompFromAtoms(base, A, ...held, limits, X.handle, path.handle);
  return { codes: await X.read(), left: await path.read() };
}

interface Code {
  readonly atoms: Uint32Array;
  readonly values: Float32Array;
}

/** Checks that the pursuit may give a code, and the residual energies of its turns. */
function expectPursuit(
  atoms: UnitAtoms,
  y: Float32Array,
  limits: PursuitLimits,
  code: Code,
  path: Float32Array,
): void {
  const count = code.atoms.length;
  expect(new Set(code.atoms).size).toBe(count);
  expect(count).toBeLessThanOrEqual(limits.sparsity);
  const state = new ExactState(atoms, y, limits.pursuit === "ols");
  const energy = dot(y, y);
  for (let t = 0; t <= count; t++) {
    const { slack } = state;
    const left = dot(state.residual, state.residual);
    expectPath(path, t, count, left, slack.energy);
    const bounded = limits.residualEnergy > 0;
    if (t < count) {
      expect(left, `turn ${t}: continues below the error`).toBeGreaterThan(
        limits.residualEnergy - slack.energy,
      );
      state.expectBest(code.atoms[t]);
      state.take(code.atoms[t]);
      continue;
    }
    const ends =
      t === limits.sparsity || (bounded ? left <= limits.residualEnergy + slack.energy : energy === 0);
    if (!ends) state.expectNoneLeft();
    state.coefficients().forEach((x, s) => {
      expect(Math.abs(x - code.values[s]), `coefficient ${s}`).toBeLessThanOrEqual(slack.fit + 1e-38);
    });
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

/** The bounds of the header. */
interface Slack {
  readonly alpha: number;
  readonly fit: number;
  readonly distance: number;
  readonly energy: number;
}

/** A pursuit in progress, exactly: D_I = QR, the residual, and what is left of each atom. */
class ExactState {
  readonly residual: Float64Array;
  readonly #atoms: UnitAtoms;
  readonly #size: number;
  readonly #floor: number;
  readonly #isOls: boolean;
  readonly #taken: number[] = [];
  /** Atoms that OLS may have passed over in an earlier turn, and then does for good. */
  readonly #passed = new Set<number>();
  readonly #Q: Float64Array[] = [];
  /** R by columns. */
  readonly #R: number[][] = [];
  readonly #z: number[] = [];
  readonly #rests: readonly Float64Array[];
  /** |⟨dⱼ, r⟩| and ‖P⊥dⱼ‖². */
  #alphas: readonly number[] = [];
  #distances: readonly number[] = [];
  slack: Slack;

  constructor(atoms: UnitAtoms, y: Float32Array, isOls: boolean) {
    this.#atoms = atoms;
    this.residual = Float64Array.from(y);
    this.#size = Math.sqrt(dot(y, y));
    this.#isOls = isOls;
    this.#rests = Array.from({ length: atoms.D.cols }, (_, j) => Float64Array.from(atoms.D.column(j)));
    this.slack = this.#measure();
    this.#floor = pursuitFloor * Math.max(0, ...this.#alphas);
  }

  take(atom: number): void {
    if (this.#isOls)
      for (const j of this.#distances.keys())
        if (this.#remoteness(j) <= 2 * dependenceFloor) this.#passed.add(j);
    const q = this.#rests[atom].slice();
    for (const earlier of this.#Q) subtract(q, dot(earlier, q), earlier); // once more: a short rest is mostly rounding
    const norm = Math.sqrt(dot(q, q));
    for (let i = 0; i < q.length; i++) q[i] /= norm;
    this.#Q.push(q);
    this.#R.push(this.#Q.map((earlier) => dot(earlier, this.#atoms.D.column(atom))));
    this.#z.push(dot(q, this.residual));
    this.#taken.push(atom);
    for (const vector of [this.residual, ...this.#rests]) subtract(vector, dot(q, vector), q);
    this.slack = this.#measure();
  }

  #measure(): Slack {
    const t = this.#taken.length;
    const { D, chain, spread } = this.#atoms;
    this.#alphas = this.#rests.map((rest) => Math.abs(dot(rest, this.residual)));
    this.#distances = this.#rests.map((rest) => dot(rest, rest));
    const epsilon = (D.rows + chain + 2 * t + 16) * u * spread;
    const inverse = this.#taken.map((_, s) =>
      solveByColumns(
        this.#R,
        this.#taken.map((__, r) => (r === s ? 1 : 0)),
      ),
    );
    const overSigma = Math.max(1, Math.sqrt(inverse.reduce((sum, column) => sum + dot(column, column), 0)));
    const moved = Math.sqrt(t) * epsilon * overSigma;
    const alpha = (epsilon + 2 * moved) * this.#size;
    return {
      alpha,
      fit: 2 * moved * overSigma * this.#size,
      distance: epsilon + 4 * moved + (t + 2) * u,
      energy: 2 * this.#size * alpha,
    };
  }

  coefficients(): number[] {
    return solveByColumns(this.#R, this.#z);
  }

  /** Atoms that must be found above the floors, whatever the rounding. */
  #open(): number[] {
    const { alpha, distance } = this.slack;
    return this.#alphas.flatMap((size, j) => {
      const isOpen = !this.#taken.includes(j) && size > this.#floor + alpha;
      return isOpen && (!this.#isOls || this.#isFar(j, distance)) ? [j] : [];
    });
  }

  /** Whether OLS may take an atom, whatever the rounding. */
  #isFar(atom: number, slack: number): boolean {
    if (this.#passed.has(atom) || this.#distances[atom] <= dependenceFloor + slack) return false;
    return this.#remoteness(atom) > 2 * dependenceFloor;
  }

  /** 1/‖v‖² of an atom. */
  #remoteness(atom: number): number {
    const w = this.#Q.map((q) => dot(q, this.#atoms.D.column(atom)));
    return 1 / directionEnergy(this.#R, w, this.#distances[atom]);
  }

  /** The atom may be taken, and no other is certainly better. */
  expectBest(atom: number): void {
    const turn = `turn ${this.#taken.length}`;
    const { slack } = this;
    const [size, distance] = [this.#alphas[atom], this.#distances[atom]];
    expect(size, `${turn}: continues with nothing left`).toBeGreaterThan(this.#floor - slack.alpha);
    expect(distance, `${turn}: depends on those taken`).toBeGreaterThan(dependenceFloor - slack.distance);
    if (this.#isOls)
      expect(this.#remoteness(atom), `${turn}: near the span`).toBeGreaterThan(dependenceFloor / 2);
    const score = (j: number, sign: number) => {
      const rest = this.#isOls ? Math.max(this.#distances[j] - sign * slack.distance, dependenceFloor) : 1;
      return (this.#alphas[j] + sign * slack.alpha) / Math.sqrt(rest);
    };
    for (const j of this.#open())
      if (!(score(atom, 1) * (1 + 16 * u) >= score(j, -1)))
        expect.fail(`${turn}: atom ${j} is better than atom ${atom}`);
  }

  /** The pursuit ends here: no atom is left, or the best of OMP depends on those taken. */
  expectNoneLeft(): void {
    const open = this.#open();
    if (open.length === 0) return;
    const { slack } = this;
    const most = Math.max(...open.map((j) => this.#alphas[j]));
    const depends = this.#alphas.some(
      (size, j) => size >= most - 2 * slack.alpha && this.#distances[j] <= dependenceFloor + slack.distance,
    );
    expect(!this.#isOls && depends, `stops after ${this.#taken.length} atoms with ${most} left`).toBe(true);
  }
}
