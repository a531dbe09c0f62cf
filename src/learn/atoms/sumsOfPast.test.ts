import { expect, test } from "vitest";
import { Rng } from "../../core/random/rng.js";
import { randomDense, randomSparse, wide } from "../../kernels/conformance/oracle.case.js";
import { createReferenceKernels } from "../../kernels/reference/index.js";
import { forgetAtoms } from "./sumsOfPast.js";

test("atoms that are replaced leave the others with the gradient that they had, and no past of their own", async () => {
  const rng = Rng.from(1);
  const kernels = createReferenceKernels();
  const [n, m, N] = [6, 9, 30];
  const D = kernels.matrix(n, m);
  const [B, C, replaced] = [kernels.matrix(n, m), kernels.matrix(m, m), kernels.set(m)];
  const [Y, X] = [kernels.matrix(n, N), kernels.sparse(m, N, 4)];
  await kernels.writeMatrix(D, randomDense(rng, n, m));
  await kernels.writeMatrix(Y, randomDense(rng, n, N));
  await kernels.writeSparse(X, randomSparse(rng, m, N, 4));
  await kernels.addMoments(0, Y, X, B, C);
  const gradient = async () => {
    const [b, c, d] = [await kernels.readMatrix(B), await kernels.readMatrix(C), await kernels.readMatrix(D)];
    const pull = wide(d).times(wide(c));
    return Float64Array.from(b.data, (value, i) => value - pull.data[i]);
  };
  const before = await gradient();
  const R = Uint32Array.of(2, 5, 6);
  await forgetAtoms({ B, C, replaced }, R, D, kernels);
  const after = await gradient();
  for (let j = 0; j < m; j++) {
    for (let i = j * n; i < (j + 1) * n; i++) {
      if (R.includes(j)) expect(after[i]).toBe(0);
      else expect(after[i]).toBeCloseTo(before[i], 4);
    }
  }
  const c = await kernels.readMatrix(C);
  for (const j of R) for (let i = 0; i < m; i++) expect([c.at(i, j), c.at(j, i)]).toEqual([0, 0]);
});
