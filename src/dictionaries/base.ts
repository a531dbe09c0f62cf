/**
 * Base dictionaries Φ, over which dictionaries D = ΦA are learned. They also serve as
 * dictionaries themselves.
 *
 * A separable base is Φ = φ₀ ⊗ φ₁ ⊗ …, with one factor per axis, applied axis by axis.
 * Any other base is a single factor over the whole signal, an explicit matrix n × L.
 * Columns have unit norm.
 */

import { matrix64, requireArgument, requireArguments, text } from "../core/arguments/argumentTypes.js";
import { InputError, inputError, onBehalfOf, show } from "../core/errors.js";
import { requireFinite, requireOneOf } from "../core/require.js";
import { formatShape, requireShape, type Shape, sizeOf } from "../core/shape.js";
import { Matrix64, normalizeColumns } from "../linalg/matrix64.js";
import { borderModes } from "../wavelets/borders.js";
import { contourlets, croppedContourlets } from "../wavelets/contourlets.js";
import { croppedWavelets } from "../wavelets/cropped.js";
import { isOrthogonal, wavelet } from "../wavelets/filters.js";
import { maxLevels, periodicSynthesisMatrix } from "../wavelets/transform.js";
import { axisWavelets, cascadeWavelets } from "../wavelets/waveletDictionary.js";
import { overcompleteDct } from "./odct.js";

export interface BaseDictionary {
  /** As on the command line: `cropped:sym8`. */
  readonly name: string;
  /** The shape of the signals. */
  readonly shape: Shape;
  /** φ₀, φ₁, …: one per axis, or a single explicit matrix over the whole signal. */
  readonly factors: readonly Matrix64[];
}

/** The forms of base names, for help and messages. Parts in brackets are optional. */
export const baseForms = [
  "cropped:WAVELET",
  "separable:WAVELET",
  "wavelet:WAVELET[:BORDER]",
  "contourlet[:DIRECTIONS]",
  "cropped-contourlet[:DIRECTIONS]",
  "odct:REDUNDANCY",
  "identity",
] as const;

/** Atoms per sample of an overcomplete DCT along one axis, at most. */
const maxRedundancy = 64;

export const defaultBase = "cropped:sym8";

/** A base by name for signals of a shape, such as `cropped:sym8`. */
export function createBase(name: string, shape: Shape): BaseDictionary {
  requireArgument("createBase", "name", name, text);
  requireShape("createBase", "shape", shape);
  const [kind, ...args] = name.split(":");
  const maker = Object.hasOwn(makers, kind) ? makers[kind] : undefined;
  if (!maker || args.length < maker.minArguments || args.length > maker.maxArguments) {
    throw new InputError(`unknown base ${show(name)}; known: ${baseForms.join(", ")}`, {
      where: "createBase",
      argument: "base",
      value: name,
    });
  }
  return { name, shape, factors: onBehalfOf("createBase", () => maker.factors(shape, args)) };
}

/** A base from an explicit matrix, n × L; its columns are scaled to unit norm. */
export function matrixBase(name: string, shape: Shape, matrix: Matrix64): BaseDictionary {
  requireArguments("matrixBase", { name: [name, text], matrix: [matrix, matrix64] });
  requireShape("matrixBase", "shape", shape);
  if (matrix.rows !== sizeOf(shape) || matrix.cols === 0) {
    throw new InputError(
      `${name} must have ${sizeOf(shape)} rows for patches of ${formatShape(shape)} and one column per atom, ` +
        `got ${matrix.rows}x${matrix.cols}`,
      { where: "matrixBase", argument: "matrix" },
    );
  }
  requireFinite("matrixBase", name, matrix.data);
  const copy = new Matrix64(matrix.rows, matrix.cols, Float64Array.from(matrix.data));
  return { name, shape, factors: [normalizeColumns(name, copy)] };
}

/** How bases of one kind are made from the arguments in their names. */
interface Maker {
  /** How many arguments follow the kind. */
  readonly minArguments: number;
  readonly maxArguments: number;
  readonly factors: (shape: Shape, args: readonly string[]) => Matrix64[];
}

const makers: Readonly<Record<string, Maker>> = {
  identity: {
    minArguments: 0,
    maxArguments: 0,
    factors: (shape) => shape.map((size) => Matrix64.identity(size)),
  },
  cropped: {
    minArguments: 1,
    maxArguments: 1,
    factors(shape, [name]) {
      const filters = wavelet(name);
      return shape.map((size) => croppedWavelets(size, filters));
    },
  },
  separable: {
    minArguments: 1,
    maxArguments: 1,
    factors: (shape, [name]) => shape.map((size) => separableWavelets(size, name)),
  },
  wavelet: {
    minArguments: 1,
    maxArguments: 2,
    factors(shape, [name, border = borderModes[0]]) {
      const mode = requireOneOf("createBase", "border", border, borderModes);
      return [cascadeWavelets(shape, wavelet(name), mode)];
    },
  },
  contourlet: {
    minArguments: 0,
    maxArguments: 1,
    factors: (shape, [list]) => [contourlets(shape, parseDirections(list))],
  },
  "cropped-contourlet": {
    minArguments: 0,
    maxArguments: 1,
    factors: (shape, [list]) => [croppedContourlets(shape, parseDirections(list))],
  },
  odct: {
    minArguments: 1,
    maxArguments: 1,
    factors(shape, [argument]) {
      const redundancy = Number(argument);
      if (!(redundancy > 0 && redundancy <= maxRedundancy)) {
        const rule = `must be a number above 0, at most ${maxRedundancy}`;
        throw inputError("createBase", "redundancy of odct", rule, argument);
      }
      return shape.map((size) => overcompleteDct(size, redundancy));
    },
  },
};

/** `4,8,8` → [4, 8, 8]: directions of each level, coarsest first. */
function parseDirections(list: string | undefined): number[] | undefined {
  return list?.split(",").map((count) => (count.trim() === "" ? Number.NaN : Number(count)));
}

/**
 * All atoms of the 1-D periodic wavelet transform, at all scales: the factor of the
 * completely separable transform Φ₁ ⊗ Φ₁ (§III-B). For an even size it is orthonormal,
 * if the wavelet is orthogonal, and as deep as the size can be halved; for an odd size it has a few more atoms than
 * samples.
 */
function separableWavelets(size: number, name: string): Matrix64 {
  const filters = wavelet(name);
  if (size % 2 !== 0) return axisWavelets(size, filters);
  const synthesis = periodicSynthesisMatrix(size, filters, maxLevels(size));
  return isOrthogonal(filters) ? synthesis : normalizeColumns("separableWavelets", synthesis);
}

/** Number of samples n of the signals of a base. */
export function baseRows(base: BaseDictionary): number {
  return sizeOf(base.shape);
}

/** Number of atoms L of a base. */
export function baseCols(base: BaseDictionary): number {
  return base.factors.reduce((product, factor) => product * factor.cols, 1);
}
