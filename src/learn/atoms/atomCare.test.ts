import { beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { DenseMatrix } from "../../core/matrix.js";
import { Rng } from "../../core/random/rng.js";
import { syntheticPictures } from "../../data/syntheticPictures.js";
import { createBase } from "../../dictionaries/base.js";
import { SparseDictionary } from "../../dictionaries/dictionary.js";
import { dot, explicitBase, randomDense } from "../../kernels/conformance/oracle.case.js";
import type { DeviceMatrix } from "../../kernels/contract.js";
import {
  collect,
  expectGramOfAtoms,
  pursue,
  randomAtoms,
  unitAtoms,
  watchKernels,
} from "../learners/learner.case.js";
import { createOsdl, freeOsdl, type OsdlState, osdlAtoms, osdlUpdate } from "../learners/osdl.js";
import { AtomCare, atomCareDefaults, examplesIn, resolveAtomCare } from "./atomCare.js";

const base = createBase("odct:2", [4, 4]);
const phi = explicitBase(base.factors);
const [n, L] = [phi.rows, phi.cols];
const [m, k, N] = [20, 5, 10] as const;
const options = resolveAtomCare({ minUse: 0.25, maxCoherence: 0.99 });

/** Residual norms of ten examples: 7 and 2 are represented worst, then 5; 0 is represented exactly. */
const badness = [0, 3, 80, 4, 5, 60, 6, 90, 8, 9];
/** Atom 3 is used too little; atom 13 is nearly atom 6 with the opposite sign. */
const [idle, original, copy] = [3, 6, 13] as const;

let watched: ReturnType<typeof watchKernels>;
let state: OsdlState;
let Y: DeviceMatrix;
let examples: DenseMatrix;

beforeEach(async () => {
  watched = watchKernels();
  const { kernels } = watched;
  const rng = Rng.from(11);
  const A = randomAtoms(rng, L, m, k);
  const at = (j: number) => A.slice(j, j + 1);
  A.setColumn(
    copy,
    at(original).indices.slice(),
    at(original).values.map((value, s) => -2.5 * value * (s === 0 ? 1.01 : 1)),
  );
  const dictionary = await SparseDictionary.create(base, A, kernels, k);
  state = createOsdl(dictionary, { atomSparsity: k, coding: { sparsity: 2 }, batch: N + 3 }, kernels);
  examples = randomDense(rng, n, N, 20);
  Y = kernels.matrix(n, N);
  await kernels.writeMatrix(Y, examples);
  await kernels.writeMatrix(state.momentum, randomDense(rng, L, m));
  await kernels.writeMatrix(state.gradient, randomDense(rng, L, m));
  await setUses((j) => (j === idle ? 1 : 5));
  await setResiduals((i) => badness[i]);
});

async function setUses(count: (j: number) => number): Promise<void> {
  await watched.kernels.writeMatrix(state.tally.uses, DenseMatrix.build(m, 1, count));
}

/** Residuals of the given norms. */
async function setResiduals(size: (i: number) => number): Promise<void> {
  const { kernels } = watched;
  const R = DenseMatrix.build(n, N, (r, i) => (r === i ? size(i) : 0));
  await kernels.writeMatrix(kernels.head(state.residual, N), R);
}

const care = (more: Partial<typeof options> = {}) => careFor(state, { ...options, ...more });

async function careFor(learner: OsdlState, asked: typeof options): Promise<number> {
  const { kernels } = watched;
  const atoms = osdlAtoms(learner, kernels);
  const atomCare = new AtomCare(atoms, asked, kernels);
  const replaced = await atomCare.replaceWeakAtoms(examplesIn(Y, kernels));
  atomCare.free();
  atoms.free();
  return replaced;
}

async function read() {
  const { kernels } = watched;
  const { dictionary } = state;
  return {
    A: await kernels.readSparse(dictionary.A),
    scale: await kernels.readMatrix(dictionary.scale),
    G: await kernels.readMatrix(dictionary.gram!),
    U: await kernels.readMatrix(state.momentum),
  };
}

/** The atoms whose column of A differs. */
function changed(
  before: Awaited<ReturnType<typeof read>>,
  after: Awaited<ReturnType<typeof read>>,
): number[] {
  const [a, b] = [before.A.toDense(), after.A.toDense()];
  return [...Array(m).keys()].filter((j) => a.column(j).some((value, l) => value !== b.at(l, j)));
}

describe("AtomCare", () => {
  test("replaces an idle atom and a near-copy, and no other atom", async () => {
    const before = await read();
    expect(Math.abs(before.G.at(original, copy))).toBeGreaterThan(0.99);
    expect(await care()).toBe(2);
    const after = await read();
    expect(changed(before, after)).toEqual([idle, copy]);
    for (let j = 0; j < m; j++) {
      if (j === idle || j === copy) continue;
      expect(after.A.slice(j, j + 1)).toEqual(before.A.slice(j, j + 1));
      expect(after.U.column(j)).toEqual(before.U.column(j));
      expect(after.scale.data[j]).toBe(before.scale.data[j]);
      for (let i = 0; i < m; i++) {
        if (i !== idle && i !== copy) expect(after.G.at(i, j)).toBe(before.G.at(i, j));
      }
    }
  });

  test("replaces atoms by the k-sparse codes over Φ of the worst examples", async () => {
    await care();
    const { A } = await read();
    const { D } = unitAtoms(phi, A);
    const worst = [7, 2].map((i) => sparseApproximation(examples.column(i)));
    const likeness = [idle, copy].map((j) => worst.map((d) => Math.abs(dot(D.column(j), d))));
    // each example once, whichever goes where
    const straight = Math.min(likeness[0][0], likeness[1][1]);
    const crossed = Math.min(likeness[0][1], likeness[1][0]);
    expect(Math.max(straight, crossed)).toBeGreaterThan(1 - 1e-6);
    for (const j of [idle, copy]) {
      const rows = [...A.indices.subarray(j * k, j * k + A.counts[j])];
      expect(rows.length).toBe(k);
      expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
    }
  });

  test("gives new atoms the mean norm of all atoms, and no momentum", async () => {
    const { norms } = unitAtoms(phi, (await read()).A);
    const mean = norms.reduce((sum, norm) => sum + norm, 0) / m;
    await care();
    const after = await read();
    for (const j of [idle, copy]) {
      // the copy is replaced second, when the idle atom already has the mean norm: 1/m of its own deviation away
      const norm = unitAtoms(phi, after.A).norms[j];
      expect(Math.abs(norm - mean)).toBeLessThanOrEqual(Math.abs(norms[idle] - mean) / m + 1e-5 * mean);
      expect(after.U.column(j).every((u) => u === 0)).toBe(true);
    }
  });

  test("keeps the scales and the Gram matrix consistent with the atoms", async () => {
    await care();
    await expectGramOfAtoms(state.dictionary, watched.kernels);
  });

  test("resets the counts of uses", async () => {
    await care();
    expect((await watched.kernels.readMatrix(state.tally.uses)).data).toEqual(new Float32Array(m));
  });

  test("changes no atom if none is weak, but resets the counts", async () => {
    await setUses(() => 2);
    const before = await read();
    expect(await care({ maxCoherence: 1.1 })).toBe(0);
    expect(await read()).toEqual(before);
    expect((await watched.kernels.readMatrix(state.tally.uses)).data).toEqual(new Float32Array(m));
  });

  test("changes no atom if every example is represented exactly", async () => {
    await setResiduals(() => 0);
    const before = await read();
    expect(await care()).toBe(0);
    expect(await read()).toEqual(before);
  });

  test("replaces no more atoms than there are examples with an error, idle atoms first", async () => {
    await setResiduals((i) => (i === 4 ? 1 : 0));
    const before = await read();
    expect(await care()).toBe(1);
    expect(changed(before, await read())).toEqual([idle]);
  });

  test("replaces a zero atom", async () => {
    const { A } = await read();
    A.setColumn(17, [], []);
    await state.dictionary.replace(A);
    await setUses((j) => (j === 17 ? 0 : 5));
    expect(await care({ maxCoherence: 1.1 })).toBe(1);
    const { norms } = unitAtoms(phi, (await read()).A);
    expect(norms[17]).toBeGreaterThan(0.1);
    await expectGramOfAtoms(state.dictionary, watched.kernels);
  });

  test("looks only at the residuals of this batch, not at those left by an earlier, larger one", async () => {
    const { kernels } = watched;
    const R = await kernels.readMatrix(state.residual);
    R.column(N + 1).fill(1e6);
    await kernels.writeMatrix(state.residual, R);
    const before = await read();
    expect(await care()).toBe(2);
    expect(changed(before, await read())).toEqual([idle, copy]);
  });

  test("lets training continue with the new atoms", async () => {
    await care();
    const { kernels } = watched;
    for (let step = 0; step < 10; step++) await osdlUpdate(state, Y, kernels);
    const uses = (await kernels.readMatrix(state.tally.uses)).data;
    expect(uses[idle] + uses[copy]).toBeGreaterThan(0);
    await expectGramOfAtoms(state.dictionary, kernels);
  });

  test("frees everything it allocated", async () => {
    const held = watched.alive();
    await care();
    expect(watched.alive()).toBe(held);
    freeOsdl(state, watched.kernels);
    state.dictionary.free();
    watched.kernels.free(Y);
    expect(watched.alive()).toBe(0);
  });
});

describe("atom care in training", () => {
  // 30 codes of one atom each between two rounds, for 16 atoms: some are always idle.
  const run = (atomCare: { every: number } | false) =>
    collect(syntheticPictures(1, 1, 32), {
      patch: [4, 4],
      base: "odct:1",
      atomSparsity: 3,
      coding: { sparsity: 1 },
      batch: 5,
      examples: 100,
      epochs: 1,
      holdout: 0,
      reportEvery: 1,
      atomCare,
    });

  test("happens every `every` mini-batches, but not in the last interval", async () => {
    const { reports } = await run({ every: 6 });
    const steps = reports.filter(({ atomsReplaced }) => atomsReplaced > 0).map(({ step }) => step);
    expect(reports.at(-1)!.step).toBe(20);
    expect(steps).toEqual([6, 12]);
  });

  test("does not happen if it is switched off", async () => {
    const { reports } = await run(false);
    for (const { atomsReplaced } of reports) expect(atomsReplaced).toBe(0);
  });
});

describe("resolveAtomCare", () => {
  test("fills in the defaults", () => {
    expect(resolveAtomCare()).toEqual(atomCareDefaults);
    expect(resolveAtomCare({ every: 7 })).toEqual({ ...atomCareDefaults, every: 7 });
  });

  test.each([
    [{ every: 0 }, "atomCare.every must be an integer of at least 1, got 0"],
    [{ every: 2.5 }, "atomCare.every must be an integer of at least 1, got 2.5"],
    [{ minUse: -1 }, "atomCare.minUse must be a number of at least 0 and below 1, got -1"],
    [{ maxCoherence: 0 }, "atomCare.maxCoherence must be a number above 0, got 0"],
    [{ maxCoherence: Number.NaN }, "atomCare.maxCoherence must be a number above 0, got NaN"],
  ])("rejects %j", (care, message) => {
    expect(() => resolveAtomCare(care)).toThrow(new InputError(`train: ${message}`));
  });
});

/** The k-sparse approximation of y over Φ, of unit norm. */
function sparseApproximation(y: ArrayLike<number>): Float64Array {
  const sum = new Float64Array(n);
  for (const [atom, x] of pursue(phi, y, k)) {
    phi.column(atom).forEach((value, r) => (sum[r] += x * value));
  }
  const norm = Math.sqrt(dot(sum, sum));
  return sum.map((value) => value / norm);
}
