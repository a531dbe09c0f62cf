/**
 * Kernels whose operations run one after the other, in the order of the calls, awaited
 * or not: for implementations whose operations may pause half-way (to wait for threads,
 * say) and share memory. If nothing is running, a call starts at once.
 *
 * Every operation is listed below: one that is forgotten does not compile.
 */

import type { DeviceKernels } from "./contract.js";

export function inOrder(kernels: DeviceKernels): DeviceKernels {
  let running = 0;
  let last: Promise<unknown> = Promise.resolve(); // never rejects

  /** The operation, started once all those called before it have ended. */
  const inTurn =
    <Args extends unknown[], Result>(operation: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> => {
      const done = running === 0 ? operation(...args) : last.then(() => operation(...args));
      running++;
      const settled = () => {
        running--;
      };
      last = done.then(settled, settled);
      return done;
    };

  return {
    name: kernels.name,
    description: kernels.description,
    get memory() {
      return kernels.memory;
    },
    mostGramAtoms: kernels.mostGramAtoms,
    divided: kernels.divided,
    workspace: kernels.workspace,
    close: inTurn(kernels.close),

    matrix: kernels.matrix,
    sparse: kernels.sparse,
    set: kernels.set,
    base: kernels.base,
    signals: kernels.signals,
    head: kernels.head,
    headSparse: kernels.headSparse,
    copyColumns: inTurn(kernels.copyColumns),
    copySparse: inTurn(kernels.copySparse),
    writeMatrix: inTurn(kernels.writeMatrix),
    writeSparse: inTurn(kernels.writeSparse),
    writeColumns: inTurn(kernels.writeColumns),
    writeSet: inTurn(kernels.writeSet),
    readMatrix: inTurn(kernels.readMatrix),
    readSparse: inTurn(kernels.readSparse),
    readRows: inTurn(kernels.readRows),
    readSet: inTurn(kernels.readSet),
    free(...handles) {
      if (running === 0) kernels.free(...handles);
      else void last.then(() => kernels.free(...handles));
    },

    analyze: inTurn(kernels.analyze),
    synthesize: inTurn(kernels.synthesize),
    project: inTurn(kernels.project),
    reconstruct: inTurn(kernels.reconstruct),
    residual: inTurn(kernels.residual),
    refreshGram: inTurn(kernels.refreshGram),
    coherence: inTurn(kernels.coherence),

    columnEnergies: inTurn(kernels.columnEnergies),
    batchOmp: inTurn(kernels.batchOmp),
    ompNear: inTurn(kernels.ompNear),
    ompFromAtoms: inTurn(kernels.ompFromAtoms),
    scaleRows: inTurn(kernels.scaleRows),

    usedAtoms: inTurn(kernels.usedAtoms),
    countUses: inTurn(kernels.countUses),
    gradient: inTurn(kernels.gradient),
    movedEnergy: inTurn(kernels.movedEnergy),
    addSquaredNorm: inTurn(kernels.addSquaredNorm),
    normRatio: inTurn(kernels.normRatio),
    moveAtoms: inTurn(kernels.moveAtoms),
    thresholdAtoms: inTurn(kernels.thresholdAtoms),
    takeEntries: inTurn(kernels.takeEntries),
    addEntries: inTurn(kernels.addEntries),
    acceptAtoms: inTurn(kernels.acceptAtoms),
    clearColumns: inTurn(kernels.clearColumns),
    exchangeAtoms: inTurn(kernels.exchangeAtoms),

    correlate: inTurn(kernels.correlate),
    combine: inTurn(kernels.combine),
    remainder: inTurn(kernels.remainder),
    addMoments: inTurn(kernels.addMoments),
    descendAtoms: inTurn(kernels.descendAtoms),
    refitAtoms: inTurn(kernels.refitAtoms),
    addOuter: inTurn(kernels.addOuter),

    extract: inTurn(kernels.extract),
    addWindows: inTurn(kernels.addWindows),
  };
}
