/** What the experiment measured, and how it is asked for. */

import type { DenoisingConfig, DenoisingMethod } from "./config.js";

/** One picture by one method. */
export interface Measurement {
  readonly method: DenoisingMethod;
  /** Of the patches. */
  readonly size: number;
  readonly picture: string;
  /** In dB. */
  readonly psnr: number;
  readonly seconds: number;
}

export interface DenoisingResult {
  readonly config: DenoisingConfig;
  readonly measurements: readonly Measurement[];
  readonly sources: string;
  readonly device: string;
}

/** A point of a curve: means over the pictures. */
export interface CurvePoint {
  readonly size: number;
  readonly psnr: number;
  readonly seconds: number;
}

/** The curve of a method, a point a size, rising. */
export function curveOf({ measurements }: DenoisingResult, method: DenoisingMethod): CurvePoint[] {
  const own = measurements.filter((measurement) => measurement.method === method);
  return [...new Set(own.map(({ size }) => size))].map((size) => {
    const there = own.filter((measurement) => measurement.size === size);
    const mean = (value: (measurement: Measurement) => number) =>
      there.reduce((sum, measurement) => sum + value(measurement), 0) / there.length;
    return { size, psnr: mean(({ psnr }) => psnr), seconds: mean(({ seconds }) => seconds) };
  });
}

/** The point of a curve with the highest PSNR. */
export function bestOf(curve: readonly CurvePoint[]): CurvePoint {
  return curve.reduce((best, point) => (point.psnr > best.psnr ? point : best));
}
