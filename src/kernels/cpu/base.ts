/**
 * Φ in memory: the struct `Base`, the plans of Φᵀ and of Φ that assembly/transform.ts
 * runs, and the columns of Φ. A plan lists what is not zero, axis by axis.
 */

import { kron, Matrix64 } from "../../linalg/matrix64.js";
import type { Arena } from "./arena.js";
import { rowBytes } from "./assembly/constants.js";
import { structs } from "./binary.js";
import { CpuBase } from "./handles.js";

const headerWords = 16;

/** Write Φ = φ₀ ⊗ φ₁ ⊗ … into memory. */
export function makeBase(arena: Arena, factors: readonly Matrix64[]): CpuBase {
  const rows = factors.reduce((product, factor) => product * factor.rows, 1);
  const cols = factors.reduce((product, factor) => product * factor.cols, 1);
  const analysis = planTransform(factors, "analysis");
  const synthesis = planTransform(factors, "synthesis");
  const leading = factors.slice(0, -1).reduce(kron, Matrix64.identity(1));
  const last = factors[factors.length - 1];
  const parts = [analysis.words, synthesis.words, f32Words(leading), f32Words(last)];
  const at = arena.take((headerWords + parts.reduce((sum, { length }) => sum + length, 0)) * 4);
  let next = at + headerWords * 4;
  const [analysisAt, synthesisAt, leadingAt, lastAt] = parts.map((part) => {
    arena.u32(next, part.length).set(part);
    next += part.length * 4;
    return next - part.length * 4;
  });
  arena.write(at, structs.Base, {
    rows,
    cols,
    analysis: analysisAt,
    synthesis: synthesisAt,
    leading: leadingAt,
    leadingLength: leading.rows,
    last: lastAt,
    lastLength: last.rows,
    lastCount: last.cols,
  });
  return new CpuBase(rows, cols, at, {
    analysis: analysisAt,
    synthesis: synthesisAt,
    blockRows: Math.max(analysis.rows, synthesis.rows),
    weights: synthesis.weights,
  });
}

interface TransformPlan {
  /** Rows of the largest array on the way. */
  readonly rows: number;
  /** Weights that one example meets. */
  readonly weights: number;
  readonly words: Uint32Array;
}

/** The plan of Φᵀ (`analysis`) or Φ (`synthesis`) for factors φ₀, φ₁, …. */
function planTransform(factors: readonly Matrix64[], direction: "analysis" | "synthesis"): TransformPlan {
  const matrices = direction === "analysis" ? factors : factors.map((factor) => factor.transpose());
  // Typed, and of the right size from the start: an explicit matrix has hundreds of millions of words.
  const words = new Uint32Array(2 + matrices.reduce((sum, matrix) => sum + stageWords(matrix), 0));
  let at = 2;
  let outer = 1;
  let inner = matrices.reduce((product, matrix) => product * matrix.rows, 1);
  let rows = inner;
  let weights = 0;
  for (const matrix of matrices) {
    inner /= matrix.rows;
    at = writeStage(words, at, matrix, outer, inner);
    weights += outer * inner * matrix.data.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
    outer *= matrix.cols;
    rows = Math.max(rows, outer * inner);
  }
  words.set([matrices.length, rows]);
  return { rows, weights, words };
}

/** Inputs that a pair of outputs, j and j + 1, takes: rows where one of the columns is not zero. */
function pairInputs({ rows, cols, data }: Matrix64, j: number): number {
  let count = 0;
  for (let r = 0; r < rows; r++) {
    if (data[j * rows + r] !== 0 || (j + 1 < cols && data[(j + 1) * rows + r] !== 0)) count++;
  }
  return count;
}

/** Words of a stage: four, then for each pair of outputs a count and three per input. */
function stageWords(matrix: Matrix64): number {
  let words = 4;
  for (let j = 0; j < matrix.cols; j += 2) words += 1 + 3 * pairInputs(matrix, j);
  return words;
}

/** The stage of outputs j = Σᵣ matrix[r, j] × input r, in pairs of outputs; where the next one begins. */
function writeStage(
  words: Uint32Array,
  from: number,
  matrix: Matrix64,
  outer: number,
  inner: number,
): number {
  const { rows, cols } = matrix;
  words.set([outer, inner, rows, cols], from);
  let at = from + 4;
  for (let j = 0; j < cols; j += 2) {
    words[at++] = pairInputs(matrix, j);
    for (let r = 0; r < rows; r++) {
      const first = matrix.at(r, j);
      const second = j + 1 < cols ? matrix.at(r, j + 1) : 0;
      if (first === 0 && second === 0) continue;
      words[at++] = r * inner * rowBytes;
      words[at++] = bitsOf(first);
      words[at++] = bitsOf(second);
    }
  }
  return at;
}

const view = new DataView(new ArrayBuffer(4));

/** The bits of a number as f32. */
function bitsOf(value: number): number {
  view.setFloat32(0, value);
  return view.getUint32(0);
}

/** A matrix as f32 by columns, in words. */
function f32Words(matrix: Matrix64): Uint32Array {
  return new Uint32Array(Float32Array.from(matrix.data).buffer);
}
