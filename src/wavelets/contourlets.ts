/**
 * Contourlets [Do05]: a Laplacian pyramid whose details are divided by direction, and their cropped version.
 *
 * A transform of J levels makes one coarse picture and J pictures of details, each with 4 times the samples of the next
 * coarser one; the details of a level are divided into 2^l directions. The directional bank adds no coefficients, so
 * the redundancy is that of the pyramid, 1 + 1/4 + … + 4^−J, slightly below 1.33.
 *
 * As a dictionary (§V-D of [Sulam16]), a column is the synthesis of one unit coefficient, scaled to unit norm, coarse
 * ones first.
 *
 * Cropped contourlets are made like cropped wavelets: from the atoms of pictures of 2^(⌈log₂ n⌉ + 1) samples along each
 * axis the central n rows and columns are kept; atoms that are zero there are omitted, the others scaled to unit norm.
 * A torus of four times the samples has four times the atoms, and the directional filters are long: at 32×32 no atom is
 * zero in the window, and the redundancy is 5.33.
 *
 * Atoms of one band are translates of each other, but only by even numbers of samples of their level, like GH of the
 * pyramid. With 4 or more directions, all points of a band are such translates.
 *
 * Shapes   Φ n×L for n = rows·columns
 * Cost     one synthesis per direction and level, then n·L copies
 *
 * [Do05]     M. N. Do, M. Vetterli. The Contourlet Transform: An Efficient Directional Multiresolution Image
 *            Representation. IEEE TIP 14(12), 2005.
 * [Sulam16]  J. Sulam, B. Ophir, M. Zibulevsky, M. Elad. Trainlets: Dictionary Learning in High Dimensions.
 *            IEEE TSP 64(12), 2016.
 */

import { InputError } from "../core/errors.js";
import { formatShape, type Shape } from "../core/shape.js";
import { Matrix64, norm, normalizeColumns } from "../linalg/matrix64.js";
import { extendedLength } from "./cropped.js";
import { type DirectionalBand, DirectionalBank } from "./directionalBank.js";
import { expand, pyramidAnalysis, pyramidSynthesis, type Torus, torus, wrap } from "./laplacianPyramid.js";
import { maxLevels } from "./transform.js";

/** The transform of a picture. */
export interface ContourletCoefficients {
  readonly coarse: Torus;
  /** Coarsest level first, with one band per direction. */
  readonly details: readonly (readonly DirectionalBand[])[];
}

/**
 * The directions of each level, coarsest first: 4, 4, 8, 8, 16, 16, … They double at every second level, to match
 * curves of width ≈ length² [Do05]; there are as many levels as both axes can be halved.
 */
export function defaultDirections(shape: Shape): number[] {
  const levels = Math.min(...shape.map(maxLevels));
  return Array.from({ length: levels }, (_, level) => 4 * 2 ** Math.floor(level / 2));
}

/** The contourlet transform of a picture on a torus. */
export function forwardContourlet(picture: Torus, directions: readonly number[]): ContourletCoefficients {
  const details: DirectionalBand[][] = [];
  let coarse = picture;
  for (const count of [...directions].reverse()) {
    const level = pyramidAnalysis(coarse);
    details.unshift(bankFor(coarse, count).analyze(level.detail));
    coarse = level.coarse;
  }
  return { coarse, details };
}

/** The picture with these coefficients. */
export function inverseContourlet({ coarse, details }: ContourletCoefficients): Torus {
  return details.reduce((picture, bands) => {
    const size = bands[0].picture;
    const detail = bankFor(size, bands.length).synthesize(bands.map((band) => band.picture));
    return pyramidSynthesis({ coarse: picture, detail });
  }, coarse);
}

function bankFor({ rows, columns }: Torus, directions: number): DirectionalBank {
  return new DirectionalBank(rows, columns, Math.log2(directions));
}

/**
 * The synthesis dictionary of pictures of a shape, n × L. Both axes must be divisible by 2^J, and at each level by half
 * the number of directions.
 */
export function contourlets(
  shape: Shape,
  directions: readonly number[] = defaultDirections(shape),
): Matrix64 {
  const [rows, columns] = requirePicture(shape);
  requireDirections(shape, directions, "; cropped contourlets take any");
  return cropAtoms({ rows, columns }, { rows, columns }, directions);
}

/** The central windows of the contourlets of pictures of 2^(⌈log₂ n⌉ + 1) samples along each axis, for any shape. */
export function croppedContourlets(shape: Shape, directions?: readonly number[]): Matrix64 {
  const [rows, columns] = requirePicture(shape);
  const whole = [extendedLength(rows), extendedLength(columns)] as const;
  const chosen = directions ?? defaultDirections(whole);
  requireDirections(whole, chosen, ", the extended picture");
  return cropAtoms({ rows: whole[0], columns: whole[1] }, { rows, columns }, chosen);
}

function requirePicture(shape: Shape): readonly [number, number] {
  if (shape.length === 2) return [shape[0], shape[1]];
  throw new InputError(`contourlets need a patch of 2 axes, got ${formatShape(shape)}`);
}

function requireDirections(shape: Shape, directions: readonly number[], remark: string): void {
  const isPower = (count: number) =>
    Number.isSafeInteger(count) && count > 0 && Number.isInteger(Math.log2(count));
  if (!directions.every(isPower)) {
    throw new InputError(
      `directions of contourlets must be powers of 2, one per level, got ${directions.join(",")}`,
    );
  }
  const J = directions.length;
  const divisors = directions.map((count, i) => 2 ** (J - 1 - i) * Math.max(2, count / 2));
  const divisor = Math.max(2, ...divisors);
  if (shape.every((size) => size % divisor === 0)) return;
  throw new InputError(
    `contourlets${J > 0 ? ` of ${directions.join(",")} directions` : ""} need sizes divisible by ${divisor}, ` +
      `got ${formatShape(shape)}${remark}`,
  );
}

/** Atoms that are translates of each other. */
interface AtomFamily {
  readonly atom: Torus;
  /** The coefficients of all atoms, that of `atom` first: flat indices of the whole torus. */
  readonly points: Uint32Array;
}

/** All atoms of a torus in families, coarse ones first. */
function atomFamilies(rows: number, columns: number, directions: readonly number[]): AtomFamily[] {
  const onTorus = (points: ArrayLike<number>, scale: number, width: number): Uint32Array =>
    Uint32Array.from(points, (point) => (Math.floor(point / width) * columns + (point % width)) * scale);
  const J = directions.length;
  const coarse = impulse(rows / 2 ** J, columns / 2 ** J, 0);
  const details = directions.flatMap((count, i) => {
    const finer = J - 1 - i;
    const h = rows / 2 ** finer;
    const w = columns / 2 ** finer;
    const bank = new DirectionalBank(h, w, Math.log2(count));
    return bank.bandPoints().flatMap((points, band) =>
      splitByParity(points, w).map((phase): AtomFamily => {
        const bands = Array.from({ length: count }, () => torus(h, w));
        bands[band] = impulse(h, w, phase[0]);
        const level = { coarse: torus(h / 2, w / 2), detail: bank.synthesize(bands) };
        return { atom: expanded(pyramidSynthesis(level), finer), points: onTorus(phase, 2 ** finer, w) };
      }),
    );
  });
  const all = onTorus(
    coarse.data.map((_, i) => i),
    2 ** J,
    coarse.columns,
  );
  return [{ atom: expanded(coarse, J), points: all }, ...details];
}

/** Points by the parity of their row and column: atoms are translates of each other only within one class. */
function splitByParity(points: Uint32Array, width: number): Uint32Array[] {
  const parity = (point: number) => 2 * (Math.floor(point / width) % 2) + ((point % width) % 2);
  return [0, 1, 2, 3]
    .map((phase) => points.filter((point) => parity(point) === phase))
    .filter(({ length }) => length > 0);
}

function impulse(rows: number, columns: number, point: number): Torus {
  const picture = torus(rows, columns);
  picture.data[point] = 1;
  return picture;
}

/** Apply G several times. */
function expanded(picture: Torus, times: number): Torus {
  return times === 0 ? picture : expanded(expand(picture), times - 1);
}

/** The size of a picture. */
interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** The atoms of a torus in its central window, without those that are zero there, scaled to unit norm. */
function cropAtoms(whole: Size, window: Size, directions: readonly number[]): Matrix64 {
  const top = Math.floor((whole.rows - window.rows) / 2);
  const left = Math.floor((whole.columns - window.columns) / 2);
  const n = window.rows * window.columns;
  const families = atomFamilies(whole.rows, whole.columns, directions);
  const all = new Float64Array(n * families.reduce((sum, { points }) => sum + points.length, 0));
  let kept = 0;
  for (const { atom, points } of families) {
    for (const point of points) {
      const column = all.subarray(kept * n, (kept + 1) * n);
      copyWindow(atom, offset(point, points[0], whole), { top, left, ...window }, column);
      if (norm(column) > 0) kept++;
    }
  }
  return normalizeColumns("contourlets", new Matrix64(n, kept, all.subarray(0, n * kept)));
}

/** The vector from one point of a torus to another. */
function offset(to: number, from: number, { columns }: Size): readonly [number, number] {
  return [Math.floor(to / columns) - Math.floor(from / columns), (to % columns) - (from % columns)];
}

/** Copy the samples in a window of a translated atom. */
function copyWindow(
  { rows, columns, data }: Torus,
  [down, right]: readonly [number, number],
  window: Size & { readonly top: number; readonly left: number },
  target: Float64Array,
): void {
  for (let y = 0; y < window.rows; y++) {
    const row = wrap(window.top + y - down, rows) * columns;
    for (let x = 0; x < window.columns; x++) {
      target[y * window.columns + x] = data[row + wrap(window.left + x - right, columns)];
    }
  }
}
