/**
 * What is measured for figure 7, and what §V-B claims about it: Sparse K-SVD over the ODCT does not
 * scale with the patch; cropped wavelets raise it by nearly 0.4 dB; OSDL over cropped wavelets is the
 * best of the four; larger patches gain on K-SVD of 8×8, and still larger ones lose again.
 */

import type { Claim } from "../shared/experiment.js";
import type { DenoisingMethod, DenoisingSettings } from "./settings.js";

/** One picture, denoised by one method. */
export interface Measurement {
  readonly method: DenoisingMethod;
  /** Of the patches. */
  readonly size: number;
  readonly picture: string;
  /** In dB. */
  readonly psnr: number;
  readonly seconds: number;
}

/** Means over the pictures, for one patch size. */
export interface CurvePoint {
  readonly size: number;
  readonly psnr: number;
  readonly seconds: number;
}

/** The curve of a method: one point per patch size, ascending. */
export function meanCurve(measurements: readonly Measurement[], method: DenoisingMethod): CurvePoint[] {
  const own = measurements.filter((measurement) => measurement.method === method);
  return [...new Set(own.map(({ size }) => size))].map((size) => {
    const ofSize = own.filter((measurement) => measurement.size === size);
    const mean = (value: (measurement: Measurement) => number) =>
      ofSize.reduce((sum, measurement) => sum + value(measurement), 0) / ofSize.length;
    return { size, psnr: mean(({ psnr }) => psnr), seconds: mean(({ seconds }) => seconds) };
  });
}

const source = "§V-B, figure 7";

/** "Nearly 0.4 dB". */
const nearlyGain = 0.3;

export function denoisingClaims(
  { methods, reference }: Pick<DenoisingSettings, "methods" | "reference">,
  measurements: readonly Measurement[],
): Claim[] {
  const curve = (learner: string, base: string) =>
    methods
      .filter((method) => method.learner === learner && method.base === base)
      .flatMap((method) => meanCurve(measurements, method));
  const sparseKsvd = { odct: curve("sparse-ksvd", "ODCT"), cropped: curve("sparse-ksvd", "cropped") };
  const osdl = { odct: curve("osdl", "ODCT"), cropped: curve("osdl", "cropped") };
  const [dense] = meanCurve(measurements, reference);
  const best = highest(osdl.cropped);
  const bestOther = highest([...sparseKsvd.odct, ...sparseKsvd.cropped, ...osdl.odct]);
  const gain = largestGain(sparseKsvd.odct, sparseKsvd.cropped);
  return [
    losesWithLargest(
      ...(["odct-does-not-scale", "Sparse K-SVD over the ODCT", sparseKsvd.odct] as const),
      "does not scale well with the increasing patch size",
    ),
    {
      ...{ id: "cropped-raises-sparse-ksvd", source },
      text: "cropped wavelets raise Sparse K-SVD by nearly 0.4 dB",
      paper: "a jump in performance of nearly 0.4 dB",
      measured: `at most ${gain.dB.toFixed(2)} dB, at ${square(gain.size)}`,
      holds: gain.dB >= nearlyGain,
    },
    {
      ...{ id: "osdl-cropped-best", source },
      text: "OSDL over cropped wavelets is the best of the four methods",
      paper: "the cropped wavelets dictionary performs the best",
      measured: `${describePoint(best)}; the best of the others ${describePoint(bestOther)}`,
      holds: best.psnr > bestOther.psnr,
    },
    {
      ...{ id: "larger-patches-over-ksvd", source },
      text: `OSDL over cropped wavelets, with larger patches, is better than K-SVD with ${square(dense.size)}`,
      paper: "benefit can be found in using bigger patches",
      measured: `${describePoint(best)} and ${describePoint(dense)}`,
      holds: best.psnr > dense.psnr && best.size > dense.size,
    },
    losesWithLargest(
      ...(["osdl-falls-at-last", "even OSDL over cropped wavelets", osdl.cropped] as const),
      "even greater patch sizes eventually result in decreasing denoising quality",
    ),
  ];
}

/** The claim that the largest patches are not the best. */
function losesWithLargest(id: string, method: string, curve: readonly CurvePoint[], paper: string): Claim {
  const best = highest(curve);
  const last = curve.at(-1)!;
  return {
    ...{ id, source, paper },
    text: `${method} gets worse with patches above its best size`,
    measured: `${describePoint(best)}, then ${describePoint(last)}`,
    holds: last.psnr < best.psnr,
  };
}

function highest(curve: readonly CurvePoint[]): CurvePoint {
  return curve.reduce((best, point) => (point.psnr > best.psnr ? point : best));
}

function largestGain(from: readonly CurvePoint[], to: readonly CurvePoint[]): { dB: number; size: number } {
  return from
    .map(({ size, psnr }, i) => ({ size, dB: to[i].psnr - psnr }))
    .reduce((largest, gain) => (gain.dB > largest.dB ? gain : largest));
}

function describePoint({ size, psnr }: CurvePoint): string {
  return `${psnr.toFixed(2)} dB at ${square(size)}`;
}

function square(size: number): string {
  return `${size}x${size}`;
}
