/**
 * Batch-OMP: assembly/omp.ts, correlations.ts, rounded.ts; orthogonal least squares: assembly/ols.ts, roundedOls.ts; both among a few
 * atoms: assembly/near.ts; both without a Gram matrix: assembly/ompFromAtoms.ts.
 */

import { dependenceFloor, type PursuitOperations, pursuitFloor } from "../contract.js";
import { lanes, olsStrip, panel, rowBytes } from "./assembly/constants.js";
import { isDirect } from "./gram.js";
import { base, dense, sparse } from "./handles.js";
import type { CpuMemory } from "./memory.js";
import type { Pool } from "./pool.js";

export function pursuitOperations(pool: Pool, memory: CpuMemory): PursuitOperations {
  return {
    async columnEnergies(Y, energies) {
      const args = { matrix: dense(Y).at, rows: Y.rows, energies: dense(energies).at };
      await pool.run("columnEnergies", args, Y.cols, 64);
    },

    async batchOmp(G, P, energies, { sparsity: p, residualEnergy, pursuit }, X, path) {
      const m = G.rows;
      sparse(X).places.version++;
      const isOls = pursuit === "ols";
      const kept = isOls ? keptByOls(m, p) : keptColumns(m, p);
      pool.reserveScratch(isOls ? olsBytes(m, p) : ompBytes(m, p, kept));
      const args = {
        G: dense(G).at,
        P: dense(P).at,
        energies: dense(energies).at,
        m,
        p,
        X: sparse(X).at,
        path: path ? dense(path).at : 0,
        residualEnergy,
        pursuitFloor,
        dependenceFloor,
        kept,
        isOls: isOls ? 1 : 0,
        ...allAtoms,
      };
      await pool.run("batchOmp", args, P.cols, examplesPerCall(m, p));
    },

    async ompNear(G, P, W, energies, A, { first, step = 1, choices }, limits, X) {
      const { sparsity: p, residualEnergy, pursuit } = limits;
      sparse(X).places.version++;
      pool.reserveScratch(nearBytes(G.rows, choices, p));
      const args = {
        G: dense(G).at,
        P: dense(P).at,
        energies: dense(energies).at,
        m: G.rows,
        p,
        X: sparse(X).at,
        path: 0,
        residualEnergy,
        pursuitFloor,
        dependenceFloor,
        kept: 0,
        isOls: pursuit === "ols" ? 1 : 0,
        ...allAtoms,
        choices,
        W: dense(W).at,
        A: sparse(A).at,
        first,
        step,
      };
      await pool.run("batchOmp", args, P.cols, examplesPerCall(choices, p));
    },

    async ompFromAtoms(phi, A, scale, Y, energies, { sparsity: p, residualEnergy, pursuit }, X, path) {
      const { at, rows: n, plans } = base(phi);
      sparse(X).places.version++;
      pool.reserveScratch(atomPursuitBytes(n, plans.blockRows, A.cols, p));
      const args = {
        base: at,
        A: sparse(A).at,
        scale: dense(scale).at,
        direct: isDirect(phi, A) ? 1 : 0,
        Y: dense(Y).at,
        columns: Y.cols,
        energies: dense(energies).at,
        m: A.cols,
        p,
        X: sparse(X).at,
        path: path ? dense(path).at : 0,
        residualEnergy,
        pursuitFloor,
        dependenceFloor,
        isOls: pursuit === "ols" ? 1 : 0,
      };
      await pool.run("ompFromAtoms", args, Math.ceil(Y.cols / lanes), 1);
    },

    async scaleRows(scale, X) {
      const s = memory.values(scale);
      const { indices, values, counts, width } = memory.entries(X);
      sparse(X).places.version++;
      for (let i = 0; i < counts.length; i++) {
        for (let at = i * width, end = at + counts[i]; at < end; at++) values[at] *= s[indices[at]];
      }
    },
  };
}

/** The arguments of near.ts for a pursuit over all atoms. */
const allAtoms = { choices: 0, W: 0, A: 0, first: 0, step: 0, rows: 0, columns: 0, all: 0 } as const;

/** An upper estimate of the scratch memory that a thread needs for a pursuit, among all atoms or at most 4p of them. */
export function pursuitBytes(m: number, p: number): number {
  const near = nearBytes(m, Math.min(m, 4 * p), p);
  return Math.max(ompBytes(m, p, keptColumns(m, p)), olsBytes(m, p), near);
}

/** Arguments, rows, P, columns, the selection (assembly/near.ts), and a pursuit. */
function nearBytes(m: number, choices: number, p: number): number {
  return 512 + 4 * choices * (p + 2) + 12 * m + Math.max(ompBytes(choices, p, 0), olsBytes(choices, p));
}

/** An upper estimate of the scratch memory that a thread needs for a pursuit from the atoms (assembly/ompFromAtoms.ts). */
export function atomPursuitBytes(n: number, blockRows: number, m: number, p: number): number {
  const rows = 3 * Math.max(n, blockRows) + (p + 2) * n + 2 * m + panel + 10;
  return rowBytes * rows + 8 * (lanes * p * (p + 1) + p) + 256;
}

function ompBytes(m: number, p: number, kept: number): number {
  return (m + 4) * 4 + (p + 4) * 8 + (p * p + 3 * p) * 8 + 64 + roundedBytes(m, kept);
}

/** −β of a strip and as many zeros, α, ν, columns, weights; then as OMP. Or, with rounded columns, α, ν and those. */
function olsBytes(m: number, p: number): number {
  const strips = 2 * olsStrip * 4 + 8 * (m + 16) + (p + 4) * 8;
  const kept = keptByOls(m, p);
  const rounded = kept === 0 ? 0 : 8 * (m + 48) + 16 * p + roundedBytes(m, kept);
  return 256 + Math.max(strips, rounded) + (p * p + 3 * p) * 8 + 64;
}

/** Short calls let the engine replace the code it starts with by faster code, and share work evenly. */
function examplesPerCall(m: number, p: number): number {
  return Math.max(1, Math.min(32, Math.round(1e6 / (p * (p + 2) * m))));
}

/** Columns that a pursuit keeps rounded: none if it is too short for that to pay, at most 2 MiB of them. */
function keptColumns(m: number, p: number): number {
  return p < 24 ? 0 : Math.min(p, Math.floor(2 ** 20 / m));
}

/** The same for OLS, which keeps all of them or none. */
function keptByOls(m: number, p: number): number {
  const kept = keptColumns(m, p);
  return kept < p ? 0 : kept;
}

/** Scratch memory of assembly/rounded.ts: its columns and its lists. */
function roundedBytes(m: number, kept: number): number {
  return kept === 0 ? 0 : (kept + 8) * (24 + 2 * (m + 24)) + 5 * m + 1024;
}
