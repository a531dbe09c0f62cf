/** What is measured for figure 7: the PSNR of every picture; means and spreads over the pictures. */

/** One picture, denoised by one method. */
export interface Measurement {
  readonly sigma: number;
  /** The method, by its id. */
  readonly method: string;
  /** Of the patches. */
  readonly size: number;
  readonly picture: string;
  /** In dB. */
  readonly psnr: number;
  readonly seconds: number;
}

/** The pictures of one patch size. */
export interface CurvePoint {
  readonly size: number;
  /** The mean PSNR, in dB, and the standard deviation over the pictures. */
  readonly psnr: number;
  readonly spread: number;
  /** Seconds per picture. */
  readonly seconds: number;
  readonly pictures: number;
}

/** A method with one noise: one point per patch size, in the order of the measurements. */
export function meanCurve(
  measurements: readonly Measurement[],
  method: string,
  sigma: number,
): readonly CurvePoint[] {
  const own = measurements.filter((one) => one.method === method && one.sigma === sigma);
  return [...new Set(own.map(({ size }) => size))].map((size) => {
    const ofSize = own.filter((one) => one.size === size);
    const values = ofSize.map(({ psnr }) => psnr);
    const seconds = meanOf(ofSize.map((one) => one.seconds));
    return { size, psnr: meanOf(values), spread: deviation(values), seconds, pictures: ofSize.length };
  });
}

/** By how much one method is above another on the same pictures, with patches of one size. */
export interface MeanGain {
  readonly size: number;
  /** The mean, in dB, the standard deviation over the pictures, and the standard error of the mean. */
  readonly gain: number;
  readonly spread: number;
  readonly error: number;
}

/** By how much `better` is above `than`, for one noise, by size. */
export function meanGains(
  measurements: readonly Measurement[],
  better: string,
  than: string,
  sigma: number,
): readonly MeanGain[] {
  const ofNoise = measurements.filter((one) => one.sigma === sigma);
  const others = ofNoise.filter(({ method }) => method === than);
  const sizes = new Set(others.map(({ size }) => size));
  const otherOf = ({ size, picture }: Measurement) =>
    others.find((one) => one.picture === picture && (sizes.size === 1 || one.size === size));
  const own = ofNoise.filter(({ method }) => method === better);
  return [...new Set(own.map(({ size }) => size))].flatMap((size) => {
    const gains = own
      .filter((one) => one.size === size)
      .flatMap((one) => {
        const other = otherOf(one);
        return other ? one.psnr - other.psnr : [];
      });
    if (gains.length === 0) return [];
    return { size, gain: meanOf(gains), spread: deviation(gains), error: standardError(gains) };
  });
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How exact the mean of a sample is. */
export function standardError(values: readonly number[]): number {
  return deviation(values) / Math.sqrt(values.length);
}

/** The standard deviation of a sample; 0 for one value. */
function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
