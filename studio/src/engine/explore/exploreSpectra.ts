/**
 * What a spectrum says of an atom. P(f) is the energy of the spectrum, with f in cycles per sample, −½ ≤ f < ½ along both
 * axes, the constant f = 0 in the corner. Without the constant:
 *
 *     frequency     Σ P(f) ‖f‖ / Σ P(f), the centre of the spectrum
 *     orientation   the main axis of M = Σ P(f) f fᵀ; the lines of an atom run across it. 0° is a horizontal line,
 *                   and angles grow against the clock. An atom has a direction if (λ₁ − λ₂)/(λ₁ + λ₂) is at least 0.2.
 */

/** P, row by row. */
export interface Spectrum {
  readonly height: number;
  readonly width: number;
  readonly energies: Float64Array;
}

export interface SpectrumMeasures {
  /** Cycles per sample. */
  readonly frequency: number;
  /** Degrees; undefined without a direction. */
  readonly orientation: number | undefined;
}

/** Spectra that are rounder have no direction. */
const leastDirection = 0.2;
/** Angles start here, below 0°: lines that are nearly horizontal stay together. */
const firstAngle = -11.25;
/** Less energy than this part of the whole, beside the constant, is rounding. */
const rounding = 1e-12;
/** The decibels that the picture of a spectrum spans. */
const shownDecibels = 60;

export function spectrumMeasures({ height, width, energies }: Spectrum): SpectrumMeasures {
  let [sum, moment, xx, xy, yy] = [0, 0, 0, 0, 0];
  for (let i = 1; i < energies.length; i++) {
    const fx = cycles(i % width, width);
    const fy = cycles(Math.floor(i / width), height);
    const energy = energies[i];
    sum += energy;
    moment += energy * Math.hypot(fx, fy);
    xx += energy * fx * fx;
    xy += energy * fx * fy;
    yy += energy * fy * fy;
  }
  if (!(sum > rounding * energies[0])) return { frequency: 0, orientation: undefined };
  const split = Math.hypot(xx - yy, 2 * xy); // λ₁ − λ₂
  const directed = split >= leastDirection * (xx + yy);
  return { frequency: moment / sum, orientation: directed ? lineAngle(xx, xy, yy) : undefined };
}

/** The angle of lines across the main axis of M; y grows downwards. */
function lineAngle(xx: number, xy: number, yy: number): number {
  const axis = 0.5 * Math.atan2(-2 * xy, xx - yy);
  const line = (axis * 180) / Math.PI + 90;
  return ((((line - firstAngle) % 180) + 180) % 180) + firstAngle;
}

function cycles(index: number, size: number): number {
  return (index < size / 2 ? index : index - size) / size;
}

export interface SpectrumPicture {
  readonly width: number;
  readonly height: number;
  readonly shades: Uint8Array;
}

/** Shades of log P, 0 to 255, the constant in the middle; of one row at the left, up to half a cycle per sample. */
export function spectrumPicture({ height, width, energies }: Spectrum): SpectrumPicture {
  const largest = energies.reduce((most, energy) => Math.max(most, energy), 0) || 1;
  const shadeOf = (energy: number) => {
    const decibels = energy > 0 ? 10 * Math.log10(energy / largest) : -Infinity;
    return Math.round(255 * Math.max(0, 1 + decibels / shownDecibels));
  };
  if (height === 1) {
    const half = Math.floor(width / 2) + 1;
    return {
      width: half,
      height,
      shades: Uint8Array.from({ length: half }, (_, i) => shadeOf(energies[i % width])),
    };
  }
  const shades = new Uint8Array(height * width);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const row = (y + (height >> 1)) % height;
      shades[y * width + x] = shadeOf(energies[row * width + ((x + (width >> 1)) % width)]);
    }
  return { width, height, shades };
}
