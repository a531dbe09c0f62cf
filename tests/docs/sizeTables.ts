/** Tables of what the library itself computes: sizes by patch, atoms of bases, learners. */

import { formatShape, type Shape, sizeOf } from "../../src/core/shape.js";
import { baseCols, createBase } from "../../src/dictionaries/base.js";
import { learnerNames, learners } from "../../src/learn/learners/registry.js";
import { resolveTraining } from "../../src/learn/run/trainOptions.js";
import { code, grouped, table } from "./regions.js";

const patches: readonly Shape[] = [
  [8, 8],
  [12, 12],
  [16, 16],
  [20, 20],
  [32, 32],
  [64, 64],
  [256],
  [8, 8, 8],
];

/** What a run assumes for patches of several sizes, and the memory of its four dense matrices. */
export function sizeTable(): string {
  const rows = patches.map((patch) => {
    const { base, atoms, atomSparsity, coding, batch } = resolveTraining({ patch });
    const p = coding.sparsity ?? 0;
    const L = baseCols(base);
    const bytes = 4 * (atoms * atoms + 2 * L * atoms + L * L); // G, U, ∇ and the Gram matrix of Φ
    const numbers = [sizeOf(patch), atoms, atomSparsity, p, batch].map(grouped);
    return [
      formatShape(patch).replaceAll("x", "×"),
      ...numbers,
      ((batch * p) / atoms).toFixed(1),
      memory(bytes),
    ];
  });
  const heads = [
    "patch",
    "samples n",
    "atoms m",
    "non-zeros per atom k",
    "atoms per code p",
    "patches per step N",
    "uses of an atom per step",
    "the four matrices",
  ];
  return table(heads, rows, [1, 2, 3, 4, 5, 6, 7]);
}

function memory(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

const separable: readonly (readonly [base: string, what: string])[] = [
  ["cropped:sym8", "cropped wavelets: multi-scale, no artefacts at borders; the default"],
  ["cropped:haar", "the same with short filters, for piecewise constant signals"],
  [
    "separable:sym8",
    "periodic wavelets, completely separable: orthonormal for even sizes, with as many levels as 2 divides the size; an odd size has all levels and a few more atoms than samples",
  ],
  ["odct:2", "overcomplete DCT, twice redundant per axis; good for small patches and fine oscillations"],
  ["identity", "single samples"],
];

/** Separable bases, and how many atoms they have along one axis. */
export function baseTable(): string {
  const sizes = [8, 16, 32, 64];
  const rows = separable.map(([name, what]) => [
    code(name),
    what,
    ...sizes.map((size) => String(baseCols(createBase(name, [size])))),
  ]);
  return table(["base", "what it is", ...sizes.map((size) => `${size} samples`)], rows, [2, 3, 4, 5]);
}

/** The learners, what they take, and the options that only they have. */
export function learnerTable(): string {
  const flag = (name: string): string =>
    code(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  const rows = learnerNames.map((name) => {
    const { summary, takes, ownOptions, explicit } = learners[name];
    return [code(name), summary, takes, explicit ? "D, n × m" : "D = ΦA", ownOptions.map(flag).join(", ")];
  });
  return table(["`--learner`", "what it is", "takes", "learns", "own options"], rows);
}
