/**
 * What §V-B says of figure 7, and whether it was so: Sparse K-SVD over the ODCT does not scale
 * with the patch; cropped wavelets raise it by nearly 0.4 dB; of all four OSDL over cropped wavelets is
 * the best, larger patches gain on K-SVD of 8×8, and still larger ones lose again.
 */

import type { Claim } from "../shared/experiment.js";
import { bestOf, type CurvePoint, curveOf, type DenoisingResult } from "./result.js";

/** "Nearly 0.4 dB". */
const jump = 0.3;

export function judge(result: DenoisingResult): Claim[] {
  const { methods, reference } = result.config;
  const find = (learner: string, base: string) =>
    methods.filter((method) => method.learner === learner && method.base === base);
  const curve = (learner: string, base: string) =>
    find(learner, base).flatMap((method) => curveOf(result, method));
  const sparse = { odct: curve("sparse-ksvd", "ODCT"), cropped: curve("sparse-ksvd", "cropped") };
  const osdl = { odct: curve("osdl", "ODCT"), cropped: curve("osdl", "cropped") };
  const [dense] = curveOf(result, reference);
  const best = bestOf(osdl.cropped);
  const gain = largestGain(sparse.odct, sparse.cropped);
  const others = bestOf([...sparse.odct, ...sparse.cropped, ...osdl.odct]);
  return [
    falls("Sparse K-SVD over the ODCT loses", sparse.odct),
    {
      text: `cropped wavelets raise Sparse K-SVD by nearly 0.4 dB (measured: at most ${gain.dB.toFixed(2)} dB, at ${square(gain.size)})`,
      holds: gain.dB >= jump,
    },
    {
      text: `OSDL over cropped wavelets is the best of the four (measured: ${told(best)}; the best other ${told(others)})`,
      holds: best.psnr > others.psnr,
    },
    {
      text: `larger patches gain on K-SVD of ${square(dense.size)} (measured: ${told(best)}, against ${told(dense)})`,
      holds: best.psnr > dense.psnr && best.size > dense.size,
    },
    falls("even OSDL over cropped wavelets loses", osdl.cropped),
  ];
}

/** That the largest patches are not the best. */
function falls(what: string, curve: readonly CurvePoint[]): Claim {
  const [best, last] = [bestOf(curve), curve.at(-1)!];
  return {
    text: `${what} with patches larger than its best (measured: ${told(best)}, then ${told(last)})`,
    holds: last.psnr < best.psnr,
  };
}

function largestGain(from: readonly CurvePoint[], to: readonly CurvePoint[]): { dB: number; size: number } {
  return from
    .map(({ size, psnr }, i) => ({ size, dB: to[i].psnr - psnr }))
    .reduce((most, gain) => (gain.dB > most.dB ? gain : most));
}

function told({ size, psnr }: CurvePoint): string {
  return `${psnr.toFixed(2)} dB at ${square(size)}`;
}

function square(size: number): string {
  return `${size}x${size}`;
}
