/** The problems that benchmarks measure, with the sizes of the paper. Needs nothing of Node: the page "Measure this machine" has them too. */

/** A problem of the paper: patches, sparsities, the size of the dictionary. */
export interface Problem {
  readonly name: string;
  readonly patch: readonly [number, number];
  /** p. */
  readonly sparsity: number;
  /** k. */
  readonly atomSparsity: number;
  /** m / L. */
  readonly redundancy: number;
}

export const problems = {
  small: { name: "12×12", patch: [12, 12], sparsity: 4, atomSparsity: 7, redundancy: 1 },
  medium: { name: "20×20", patch: [20, 20], sparsity: 10, atomSparsity: 40, redundancy: 1 },
  large: { name: "32×32", patch: [32, 32], sparsity: 60, atomSparsity: 250, redundancy: 2 },
  huge: { name: "64×64", patch: [64, 64], sparsity: 100, atomSparsity: 600, redundancy: 1 },
  lena32: {
    name: "32×32, as many atoms as the base",
    patch: [32, 32],
    sparsity: 20,
    atomSparsity: 100,
    redundancy: 1,
  },
} as const satisfies Record<string, Problem>;
