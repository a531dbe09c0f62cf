import { describe, expect, test } from "vitest";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { createBase } from "../../dictionaries/base.js";
import { SparseDictionary } from "../../dictionaries/dictionary.js";
import { dot, explicitBase, wide } from "../../kernels/conformance/oracle.case.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { Matrix64 } from "../../linalg/matrix64.js";
import { randomAtoms, unitAtoms } from "../learners/learner.case.js";
import { AtomFits, fitBytes, fitChoices, fitCost } from "./atomFits.js";

const base = createBase("odct:1", [4, 4]);
const phi = explicitBase(base.factors);
const [m, k] = [9, 3] as const;

async function setUp(seed: number) {
  const kernels = createReferenceKernels();
  const rng = Rng.from(seed);
  const { D } = unitAtoms(phi, randomAtoms(rng, phi.cols, m, k));
  const U = kernels.matrix(phi.rows, m);
  await kernels.writeMatrix(U, toHost(D));
  const fits = await AtomFits.create(base, k, m, kernels);
  return { kernels, rng, targets: D, U, fits };
}

function toHost(D: Matrix64): DenseMatrix {
  return new DenseMatrix(D.rows, D.cols, Float32Array.from(D.data));
}

/** The unit atom after P_k[a + ½Φᵀ(u − Φa)] and a line search along the gradient at its places. */
function stepOf(phi: Matrix64, a: Float64Array, u: Float64Array): Float64Array {
  const product = (c: Float64Array) => phi.times(new Matrix64(phi.cols, 1, c)).data;
  const correlations = (c: Float64Array) => {
    const left = product(c).map((value, i) => u[i] - value);
    return Float64Array.from({ length: phi.cols }, (_, l) => dot(phi.column(l), left));
  };
  const moved = correlations(a).map((w, l) => a[l] + w / 2);
  const kept = [...moved.keys()].sort((x, y) => Math.abs(moved[y]) - Math.abs(moved[x])).slice(0, k);
  const c = moved.map((value, l) => (kept.includes(l) ? value : 0));
  const v = correlations(c).map((value, l) => (kept.includes(l) ? value : 0));
  const length = dot(v, v) / dot(product(v), product(v));
  const d = product(c.map((value, l) => value + length * v[l]));
  return d.map((value) => value / Math.sqrt(dot(d, d)));
}

describe("AtomFits", () => {
  test("finds atoms that have k non-zeros, with unit norm", async () => {
    const { kernels, targets, U, fits } = await setUp(1);
    const A = kernels.sparse(phi.cols, m, k);
    await fits.replace(U, A);
    const D = phi.times(wide(await kernels.readSparse(A)));
    for (let j = 0; j < m; j++) expect(dot(D.column(j), targets.column(j))).toBeCloseTo(1, 5);
  });

  test("takes only fits that are closer than the atom", async () => {
    const { kernels, rng, targets, U, fits } = await setUp(2);
    const A = randomAtoms(rng, phi.cols, m, k);
    const { D: before } = unitAtoms(phi, A);
    const D = await SparseDictionary.create(base, A, kernels);
    const norms = (await kernels.readMatrix(D.scale)).data;
    for (let s = 0; s < A.values.length; s++) A.values[s] *= norms[Math.floor(s / k)];
    await D.replace(A);
    // atoms 0 to 4 are their own targets, and farther from everything else
    const wanted = toHost(targets);
    for (let j = 0; j < 5; j++) wanted.column(j).set(before.column(j));
    await kernels.writeMatrix(U, wanted);
    await fits.improve(U, D);
    const after = phi.times(wide(await kernels.readSparse(D.A)));
    for (let j = 0; j < m; j++) expect(dot(after.column(j), wanted.column(j))).toBeCloseTo(1, 5);
    expect(dot(after.column(7), before.column(7))).toBeLessThan(0.99);
  });

  test("approaches a target by a step of hard thresholding pursuit with an exact line search", async () => {
    const { kernels, rng } = await setUp(6);
    const coherent = createBase("cropped:db2", [4, 4]);
    const phi = explicitBase(coherent.factors);
    const A = randomAtoms(rng, phi.cols, m, k);
    const { D: before, norms } = unitAtoms(phi, A);
    for (let s = 0; s < A.values.length; s++) A.values[s] /= norms[Math.floor(s / k)];
    const fits = await AtomFits.create(coherent, k, m, kernels);
    const D = await SparseDictionary.create(coherent, A, kernels);
    const targets = toHost(unitAtoms(phi, randomAtoms(rng, phi.cols, m, 6)).D);
    const U = kernels.matrix(phi.rows, m);
    await kernels.writeMatrix(U, targets);
    await fits.approach(U, D);
    const after = phi.times(wide(await kernels.readSparse(D.A)));
    let moved = 0;
    for (let j = 0; j < m; j++) {
      const u = Float64Array.from(targets.column(j));
      const stepped = stepOf(phi, wide(A.slice(j, j + 1)).data, u);
      const distance = (d: ArrayLike<number>) => Math.hypot(...u.map((value, i) => value - d[i]));
      const closer = distance(stepped) < distance(before.column(j));
      if (closer) moved++;
      const expected = closer ? stepped : before.column(j);
      after.column(j).forEach((value, i) => {
        expect(value).toBeCloseTo(expected[i], 4);
      });
    }
    expect(moved).toBeGreaterThan(m / 2);
    fits.free();
  });

  test("changes the atoms of a range alone", async () => {
    const { kernels, rng, U, fits } = await setUp(7);
    const range = { first: 3, count: 4 };
    for (const change of ["improve", "approach"] as const) {
      const D = await SparseDictionary.create(base, randomAtoms(rng, phi.cols, m, k), kernels);
      const before = await kernels.readSparse(D.A);
      await fits[change](U, D, range);
      const after = await kernels.readSparse(D.A);
      const changed = Array.from({ length: m }, (_, j) => j).filter(
        (j) => before.slice(j, j + 1).values.join() !== after.slice(j, j + 1).values.join(),
      );
      expect(changed.length, change).toBeGreaterThan(0);
      expect(changed.every((j) => j >= 3 && j < 7)).toBe(true);
    }
  });

  test("improves an atom among its own base atoms and those most correlated with what it leaves", async () => {
    const { kernels, rng } = await setUp(4);
    const A = randomAtoms(rng, phi.cols, m, k);
    const { D: before, norms } = unitAtoms(phi, A);
    for (let s = 0; s < A.values.length; s++) A.values[s] /= norms[Math.floor(s / k)];
    const choices = k + 2;
    const fits = await AtomFits.create(base, k, m, kernels, { choices });
    const D = await SparseDictionary.create(base, A, kernels);
    const targets = toHost(unitAtoms(phi, randomAtoms(rng, phi.cols, m, 6)).D);
    const U = kernels.matrix(phi.rows, m);
    await kernels.writeMatrix(U, targets);
    await fits.improve(U, D);
    const improved = await kernels.readSparse(D.A);
    const after = phi.times(wide(improved));
    const energies = Array.from({ length: phi.cols }, (_, l) => dot(phi.column(l), phi.column(l)));
    let exchanged = 0;
    for (let j = 0; j < m; j++) {
      const rest = targets.column(j).map((value, i) => value - before.column(j)[i]);
      const sizes = energies.map((energy, l) => Math.abs(dot(phi.column(l), rest)) / Math.sqrt(energy));
      const own = [...A.indices.subarray(j * k, j * k + A.counts[j])];
      const others = [...sizes.keys()].filter((l) => !own.includes(l)).sort((a, b) => sizes[b] - sizes[a]);
      const open = [...own, ...others.slice(0, choices - own.length)];
      const taken = [...improved.indices.subarray(j * k, j * k + improved.counts[j])];
      expect(open, `atom ${j}`).toEqual(expect.arrayContaining(taken));
      expect(dot(after.column(j), targets.column(j))).toBeGreaterThan(
        dot(before.column(j), targets.column(j)) - 1e-6,
      );
      exchanged += taken.filter((l) => !own.includes(l)).length;
    }
    expect(exchanged).toBeGreaterThan(m / 2);
  });

  test("chooses among all base atoms where fits are quick, or quicker than sweeps, and never costs more than that", () => {
    const full = (L: number, k: number) => (k * k * L) / 2;
    const [small, short, long] = [
      { n: 144, L: 784, k: 36, m: 784, mostGramAtoms: 16384 },
      { n: 1024, L: 3136, k: 20, m: 3136, mostGramAtoms: 16384 },
      { n: 1024, L: 3136, k: 51, m: 3136, mostGramAtoms: 16384 },
    ] as const;
    expect(fitChoices({ ...long, mostGramAtoms: 3135 }), "without a Gram matrix of Φ").toBe(3136);
    expect([small, short, long].map(fitChoices)).toEqual([784, 3136, 77]);
    expect(fitCost(short)).toBe(full(3136, 20));
    for (const k of [51, 100, 250, 1000, 3000])
      expect(fitCost({ ...long, k })).toBeLessThanOrEqual(full(3136, k));
    expect(fitCost(long)).toBeLessThan(full(3136, 51) / 4);
  });

  test("leaves atoms alone whose target is zero", async () => {
    const { kernels, U, fits } = await setUp(3);
    const A = kernels.sparse(phi.cols, m, k);
    await kernels.writeMatrix(U, new DenseMatrix(phi.rows, m));
    await fits.replace(U, A);
    expect((await kernels.readSparse(A)).counts.every((count) => count === 0)).toBe(true);
  });

  test("takes the memory that is planned for it", async () => {
    const kernels = createReferenceKernels();
    const fits = await AtomFits.create(base, k, m, kernels);
    const planned = fitBytes({ base, mostGramAtoms: kernels.mostGramAtoms }, k, m);
    expect(kernels.memory.used).toBeLessThanOrEqual(1.1 * planned); // Φ itself is planned elsewhere
    expect(kernels.memory.used).toBeGreaterThan(planned / 2);
    fits.free();
    expect(kernels.memory.used).toBe(0);
  });
});
