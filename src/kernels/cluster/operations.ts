/**
 * The kernel contract on many ranks, over other kernels on each of them. All ranks do the same operations in the same
 * order (leader.ts, follower.ts). One that works column by column does this rank's share of the columns, and what another
 * one needs whole is gathered when it needs it. Every column is computed by one rank as it would be without others, so that results
 * have the bits of those kernels, on any number of ranks.
 *
 * Column by column: examples (extract, project, the pursuits, residuals), and products of a base with columns. Operations
 * on atoms are divided in other ways where that pays (dividedOperations.ts). The rest is computed by all ranks.
 */

import type { DeviceKernels, DeviceMatrix, DeviceSparse, Kernels } from "../contract.js";
import { densePort, sparsePort } from "./columnPorts.js";
import type { Communicator } from "./communicator.js";
import { DividedOperations, roomFor } from "./dividedOperations.js";
import { ClusterMatrix, ClusterSparse, matrix, sparse } from "./handles.js";
import { ExchangeBuffer, SpreadColumns, shareOf } from "./spreadColumns.js";

export function clusterOperations(local: Kernels, ranks: Communicator): DeviceKernels {
  const buffer = new ExchangeBuffer();
  const divided =
    local.divided && ranks.size > 1 ? new DividedOperations(local, local.divided, ranks) : undefined;
  const onAtoms = divided ?? local;
  const live = new Set<{ readonly bytesLater: number }>();
  const keep = <Handle extends { readonly cols: number }>(columns: SpreadColumns<Handle>) => {
    live.add(columns);
    return columns;
  };
  const whole = (M: DeviceMatrix) => matrix(M).columns.gather(M.cols, ranks);
  const share = (M: DeviceMatrix) => matrix(M).columns.scatter(M.cols, ranks);
  const wholeSparse = (X: DeviceSparse) => sparse(X).columns.gather(X.cols, ranks);
  const shareSparse = (X: DeviceSparse) => sparse(X).columns.scatter(X.cols, ranks);

  /** Room for a result that replaces this rank's share of all columns. */
  const into = (M: DeviceMatrix) => {
    const { columns } = matrix(M);
    columns.wrote("share", M.cols);
    return columns.share(M.cols, ranks);
  };
  const intoSparse = (X: DeviceSparse) => {
    const { columns } = sparse(X);
    columns.wrote("share", X.cols);
    return columns.share(X.cols, ranks);
  };
  /** A whole matrix that is changed by all ranks alike. */
  const change = async (M: DeviceMatrix) => {
    const handle = await whole(M);
    matrix(M).columns.wrote("whole", M.cols);
    return handle;
  };
  const changeSparse = async (X: DeviceSparse) => {
    const handle = await wholeSparse(X);
    sparse(X).columns.wrote("whole", X.cols);
    return handle;
  };
  const own = (list: Uint32Array) =>
    Uint32Array.from(
      { length: shareOf(list.length, ranks.rank, ranks.size) },
      (_, i) => list[ranks.rank + i * ranks.size],
    );

  return {
    name: local.name,
    description: `${local.description}, ${ranks.size} ranks`,
    /** A handle counts from the start, though its memory is taken when it is first used. */
    get memory() {
      const { used, limit } = local.memory;
      let later = 0;
      for (const { bytesLater } of live) later += bytesLater;
      return { used: used + later, limit };
    },
    mostGramAtoms: local.mostGramAtoms,
    /** Besides that of the kernels: shares of what is kept whole too, and entries of the Gram matrix on their way. */
    workspace(sizes) {
      const { n, L, m, p, N } = sizes;
      const shares = 4 * shareOf(N, ranks.rank, ranks.size) * (2 * n + L + 2 * p + 2);
      return local.workspace(sizes) + shares + (divided ? 4 * roomFor(Math.max(m, L), ranks.size) : 0);
    },
    close: () => local.close(),

    matrix: (rows, cols) =>
      new ClusterMatrix(rows, cols, keep(new SpreadColumns(cols, densePort(rows, local, buffer)))),
    sparse: (rows, cols, width) =>
      new ClusterSparse(
        rows,
        cols,
        width,
        keep(new SpreadColumns(cols, sparsePort(rows, width, local, buffer))),
      ),
    set: (capacity) => local.set(capacity),
    base: (factors) => local.base(factors),
    signals: (signals, scale) => local.signals(signals, scale),
    head: (M, cols) => new ClusterMatrix(M.rows, cols, matrix(M).columns),
    headSparse: (X, cols) => new ClusterSparse(X.rows, cols, X.width, sparse(X).columns),

    copyColumns: async (source, first, target) =>
      local.copyColumns(await whole(source), first, await change(target)),
    copySparse: async (source, target, first) =>
      local.copySparse(await wholeSparse(source), await changeSparse(target), first),
    async writeMatrix(target, source) {
      const { columns } = matrix(target);
      columns.wrote("whole", target.cols);
      await local.writeMatrix(columns.whole(target.cols), source);
    },
    async writeSparse(target, source) {
      const { columns } = sparse(target);
      columns.wrote("whole", target.cols);
      await local.writeSparse(columns.whole(target.cols), source);
    },
    writeColumns: async (target, places, source) =>
      local.writeColumns(await changeSparse(target), places, source),
    writeSet: (target, members) => local.writeSet(target, members),
    readMatrix: async (source) => local.readMatrix(await whole(source)),
    readSparse: async (source) => local.readSparse(await wholeSparse(source)),
    readRows: async (source) => local.readRows(await wholeSparse(source)),
    readSet: (source) => local.readSet(source),
    free(...handles) {
      for (const handle of handles) {
        if (handle instanceof ClusterMatrix || handle instanceof ClusterSparse) {
          live.delete(handle.columns);
          local.free(...handle.columns.handles);
        } else local.free(handle);
      }
    },

    analyze: async (base, Y, Z) => local.analyze(base, await share(Y), into(Z)),
    synthesize: async (base, C, Y) => local.synthesize(base, await share(C), into(Y)),
    project: async (base, A, scale, Y, P) =>
      local.project(base, await wholeSparse(A), await whole(scale), await share(Y), into(P)),
    reconstruct: async (base, A, X, Y) =>
      local.reconstruct(base, await wholeSparse(A), await shareSparse(X), into(Y)),
    async residual(base, A, X, Y, R, W) {
      const given = [await wholeSparse(A), await shareSparse(X), await share(Y)] as const;
      await local.residual(base, ...given, into(R), W && into(W));
    },
    refreshGram: async (base, A, S, G, scale) =>
      onAtoms.refreshGram(base, await wholeSparse(A), S, G && (await change(G)), await change(scale)),
    coherence: async (G, coherence, first) => local.coherence(await whole(G), await change(coherence), first),

    columnEnergies: async (Y, energies) => local.columnEnergies(await share(Y), into(energies)),
    async batchOmp(G, P, energies, limits, X, path) {
      const given = [await whole(G), await share(P), await share(energies)] as const;
      await local.batchOmp(...given, limits, intoSparse(X), path && into(path));
    },
    async ompFromAtoms(base, A, scale, Y, energies, limits, X, path) {
      const atoms = [base, await wholeSparse(A), await whole(scale)] as const;
      const given = [await share(Y), await share(energies)] as const;
      await local.ompFromAtoms(...atoms, ...given, limits, intoSparse(X), path && into(path));
    },
    async ompNear(G, P, W, energies, A, { first, step = 1, choices }, limits, X) {
      const given = [await whole(G), await share(P), await share(W), await share(energies)] as const;
      const own = { first: first + step * ranks.rank, step: step * ranks.size, choices };
      await local.ompNear(...given, await wholeSparse(A), own, limits, intoSparse(X));
    },
    async scaleRows(scale, X) {
      const factors = await whole(scale);
      const { columns } = sparse(X);
      if (columns.isShared(X.cols)) await local.scaleRows(factors, intoSparse(X));
      else await local.scaleRows(factors, await changeSparse(X));
    },

    usedAtoms: async (X, S) => local.usedAtoms(await wholeSparse(X), S),
    countUses: async (X, uses) => local.countUses(await wholeSparse(X), await change(uses)),
    async gradient(W, X, S, grad, energy) {
      const given = [await whole(W), await wholeSparse(X), S, await change(grad)] as const;
      const place = energy && { scalars: await change(energy.scalars), slot: energy.slot };
      await onAtoms.gradient(...given, place);
    },
    async movedEnergy(base, grad, S, X, scalars, slot) {
      const given = [base, await whole(grad), S, await wholeSparse(X), await change(scalars)] as const;
      await onAtoms.movedEnergy(...given, slot);
    },
    addSquaredNorm: async (M, scalars, slot) =>
      local.addSquaredNorm(await whole(M), await change(scalars), slot),
    normRatio: async (scalars, num, den, out) => local.normRatio(await change(scalars), num, den, out),
    async moveAtoms(k, U, S, A, { gamma, scalars, eta, grad }) {
      const step = { gamma, eta, scalars: await whole(scalars), grad: await whole(grad) };
      const atoms = [matrix(U).columns, sparse(A).columns] as const;
      const areWhole = atoms.every(({ cols }) => cols === S.capacity);
      if (!areWhole || !divided?.movesInParts(U, A)) {
        await local.moveAtoms(k, await change(U), S, await changeSparse(A), step);
        return;
      }
      await divided.moveAtoms(k, await atoms[0].ranges(ranks), S, await atoms[1].ranges(ranks), step);
      for (const columns of atoms) columns.wroteRanges();
    },
    async thresholdAtoms(A, { first, step = 1 }, mu, W, C) {
      const own = { first: first + step * ranks.rank, step: step * ranks.size };
      await local.thresholdAtoms(await wholeSparse(A), own, mu, await share(W), intoSparse(C));
    },
    takeEntries: async (W, C, V) => local.takeEntries(await share(W), await shareSparse(C), intoSparse(V)),
    async addEntries(V, energies, C) {
      const given = [await shareSparse(V), await share(energies)] as const;
      await shareSparse(C);
      await local.addEntries(...given, intoSparse(C));
    },
    async acceptAtoms(C, energies, left, distances, A, first) {
      const numbers = [await whole(energies), await whole(left), await whole(distances)] as const;
      await local.acceptAtoms(await wholeSparse(C), ...numbers, await changeSparse(A), first);
    },
    clearColumns: async (S, M, options) => local.clearColumns(S, await change(M), options),
    async exchangeAtoms(before, after, S, X, R, refits) {
      const given = [await whole(before), await whole(after), S] as const;
      await local.exchangeAtoms(...given, await changeSparse(X), await change(R), refits);
    },

    async correlate(D, Y, P) {
      if (matrix(D).columns === matrix(Y).columns && D.cols === Y.cols) {
        const atoms = await whole(D);
        await local.correlate(atoms, atoms, await change(P));
      } else await local.correlate(await whole(D), await share(Y), into(P));
    },
    combine: async (D, X, Y) => local.combine(await whole(D), await shareSparse(X), into(Y)),
    async remainder(D, X, Y, R) {
      const given = [await whole(D), await shareSparse(X), await share(Y)] as const;
      await local.remainder(...given, into(R));
    },
    async addMoments(beta, Y, X, B, C) {
      const given = [await whole(Y), await wholeSparse(X)] as const;
      await local.addMoments(beta, ...given, await change(B), await change(C));
    },
    descendAtoms: async (B, C, D, step, atoms) =>
      local.descendAtoms(await whole(B), await whole(C), await change(D), step, atoms),
    refitAtoms: async (R, X, D) => local.refitAtoms(await change(R), await changeSparse(X), await change(D)),
    addOuter: async (Y, C) => local.addOuter(await whole(Y), await change(C)),

    async extract(signals, { signal, start }, patch, Y, means) {
      const windows = { signal: own(signal), start: own(start) };
      await local.extract(signals, windows, patch, into(Y), means && into(means));
    },
    async addWindows(Y, means, start, patch, shape, sum) {
      const given = [await whole(Y), means && (await whole(means))] as const;
      await local.addWindows(...given, start, patch, shape, await change(sum));
    },
  };
}
