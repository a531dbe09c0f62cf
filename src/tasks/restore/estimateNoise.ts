/**
 * The standard deviation of white noise in a signal, from the signal alone: the
 * median absolute deviation of its finest diagonal wavelet coefficients
 *
 *     σ = median |⟨y, g ⊗ g ⊗ …⟩| / 0.6745
 *
 * [Donoho, Johnstone 1994]. The filter g has unit norm and is high-pass along every
 * axis, where pictures have little energy: nearly all of these coefficients are noise,
 * and the median is not affected by the few that are edges and textures. Windows lie
 * inside the signal, two samples apart, so that the coefficients are independent.
 *
 * A short axis (the channels of a colour picture) is not filtered.
 */

import { requireArgument, signal as signalType } from "../../core/arguments/argumentTypes.js";
import { InputError } from "../../core/errors.js";
import { type Nodata, resolveNodata, signalsWithGaps } from "../../core/samples/gaps.js";
import { formatShape, type Shape, sizeOf, stridesOf } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { MagnitudeCounts } from "../../core/units.js";
import { wavelet } from "../../wavelets/filters.js";

/** The median of |N(0, 1)|. */
const medianOfNormal = 0.6744897501960817;

/** Enough coefficients for the median: its error is then below a thousandth. */
const enough = 2 ** 21;

/** Axes with fewer samples than this are not filtered, unless all are short. */
const shortAxis = 8;

/** σ, in the units of the samples; those that are one of the values `nodata` are missing, and left out. */
export function estimateNoise(given: Signal, nodata?: Nodata): number {
  requireArgument("estimateNoise", "signal", given, signalType);
  const [signal] = signalsWithGaps("estimateNoise", [given], resolveNodata("estimateNoise", nodata));
  const long = signal.shape.map((size) => size >= shortAxis);
  const filtered = long.includes(true) ? long : signal.shape.map((size) => size >= 2);
  if (!filtered.includes(true)) {
    throw new InputError(
      `the noise of ${signal.name} cannot be estimated from ${formatShape(signal.shape)} samples: sigma must be given`,
      { where: "estimateNoise", argument: "sigma" },
    );
  }
  const counts = new MagnitudeCounts();
  counts.add(signal.data);
  const unit = counts.quantile(0.5); // sums then stay in the range of f32
  let part: { shape: Shape; data: Float32Array } = {
    shape: signal.shape,
    data: signal.data.map((value) => value / unit),
  };
  filtered.forEach((wanted, axis) => {
    if (wanted) part = highPass(part.data, part.shape, axis);
  });
  return (median(magnitudes(part.data)) / medianOfNormal) * unit;
}

/** Inner products with the high-pass filter along one axis, two samples apart. */
function highPass(data: Float32Array, shape: Shape, axis: number): { shape: Shape; data: Float32Array } {
  const size = shape[axis];
  const g = wavelet(size >= 64 ? "sym8" : size >= shortAxis ? "db2" : "haar").highpass;
  const places = (size - g.length) >> 1;
  const small = shape.map((length, a) => (a === axis ? places + 1 : length));
  const result = new Float32Array(sizeOf(small));
  const stride = stridesOf(shape)[axis];
  const blocks = data.length / (size * stride);
  for (let block = 0; block < blocks; block++) {
    for (let k = 0; k <= places; k++) {
      const target = (block * (places + 1) + k) * stride;
      const source = (block * size + 2 * k) * stride;
      for (let i = 0; i < stride; i++) {
        let sum = 0;
        for (let t = 0; t < g.length; t++) sum += g[t] * data[source + t * stride + i];
        result[target + i] = sum;
      }
    }
  }
  return { shape: small, data: result };
}

/** The magnitudes, or evenly spaced ones if there are more than enough. */
function magnitudes(values: Float32Array): Float32Array {
  const step = Math.ceil(values.length / enough);
  return Float32Array.from({ length: Math.ceil(values.length / step) }, (_, i) => Math.abs(values[i * step]));
}

function median(values: Float32Array): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0) return 0;
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
