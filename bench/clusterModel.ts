/**
 * How long a step of OSDL takes on R ranks, from the operations of a step on one:
 *
 *     T(R) = examples/R + atoms/R + rest + placing·m² + bytes·(1 − 1/R)/bandwidth + calls·latency·log₂R
 *
 * `examples` are the operations that work by columns, `atoms` those that are divided (Gram matrix, gradient, step), `rest` is
 * done by all. Bytes: codes X, residuals R and W, atoms A, half of the Gram matrix, and the gradient if that pays.
 */

/** Seconds of a step on one rank, by the way the work is divided, and of the gradient alone. */
export interface StepProfile {
  readonly examples: number;
  readonly atoms: number;
  readonly gradient: number;
  readonly rest: number;
  /** Collective calls of a step. */
  readonly calls: number;
}

export interface StepSizes {
  readonly n: number;
  readonly L: number;
  readonly m: number;
  readonly p: number;
  readonly k: number;
  readonly N: number;
}

export interface Network {
  readonly name: string;
  /** Bytes per second. */
  readonly bandwidth: number;
  /** Seconds per call, for a doubling of the ranks. */
  readonly latency: number;
}

export const networks: readonly Network[] = [
  { name: "10 Gb/s", bandwidth: 1.25e9, latency: 30e-6 },
  { name: "100 Gb/s", bandwidth: 12.5e9, latency: 5e-6 },
];

/** Seconds to place an entry of G, as dividedOperations.ts has it; a rank places all but its own. */
const placing = 1e-9;

/** The operations of a step, by how they are divided. */
export const byExamples = ["extract", "columnEnergies", "project", "batchOmp", "residual", "scaleRows"];
export const byAtoms = ["refreshGram", "movedEnergy", "moveAtoms"];

/** Seconds of a step on `ranks` ranks. */
export function stepSeconds(profile: StepProfile, sizes: StepSizes, ranks: number, network: Network): number {
  const { n, L, m, p, k, N } = sizes;
  if (ranks === 1) return profile.examples + profile.atoms + profile.gradient + profile.rest;
  const others = 1 - 1 / ranks;
  const exchange = (bytes: number) => (bytes * others) / network.bandwidth;
  const codes = 4 * N * (2 * p + 1 + n + L);
  const gram = Math.min(
    profile.atoms,
    profile.atoms / ranks + exchange(2 * m * m + 4 * m * (2 * k + 1)) + placing * m * m * others,
  );
  const gradient = Math.min(profile.gradient, profile.gradient / ranks + exchange(4 * L * m));
  const latency = profile.calls * network.latency * Math.log2(ranks);
  return profile.examples / ranks + gram + gradient + profile.rest + exchange(codes) + latency;
}
