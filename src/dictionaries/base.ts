/**
 * Base dictionaries Φ, over which dictionaries D = ΦA are learned. They also serve as
 * dictionaries themselves.
 *
 * A separable base is Φ = φ₀ ⊗ φ₁ ⊗ …, with one factor per axis, applied axis by axis;
 * the factors may be of different kinds.
 * Any other base is a single factor over the whole signal, an explicit matrix n × L.
 * Columns have unit norm.
 */

import { matrix64, requireArgument, requireArguments, text } from "../core/arguments/argumentTypes.js";
import { InputError, inputError, onBehalfOf, show } from "../core/errors.js";
import { requireFinite, requireOneOf } from "../core/require.js";
import { formatShape, hasChannels, requireShape, type Shape, sizeOf } from "../core/shape.js";
import { Matrix64, normalizeColumns } from "../linalg/matrix64.js";
import { borderModes } from "../wavelets/borders.js";
import { contourlets, croppedContourlets } from "../wavelets/contourlets.js";
import { croppedWavelets } from "../wavelets/cropped.js";
import { isOrthogonal, wavelet } from "../wavelets/filters.js";
import { maxLevels, periodicSynthesisMatrix } from "../wavelets/transform.js";
import { axisWavelets, cascadeWavelets } from "../wavelets/waveletDictionary.js";
import { overcompleteDct } from "./odct.js";

export interface BaseDictionary {
  /** As on the command line: `cropped:sym8`, or `cropped:sym8,cropped:sym8,odct:1`. */
  readonly name: string;
  /** The shape of the signals. */
  readonly shape: Shape;
  /** φ₀, φ₁, …: one per axis, or a single explicit matrix over the whole signal. */
  readonly factors: readonly Matrix64[];
}

/** The bytes of a base where the kernels compute, per entry of its factors: itself, and in the plans of both directions. */
const bytesPerEntry = 16;

export function baseBytes({ factors }: BaseDictionary): number {
  return bytesPerEntry * factors.reduce((sum, { data }) => sum + data.length, 0);
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

/** The default base along an axis of channels (docs/decisions/0032-colour.md). */
export const channelBase = "odct:1";

/**
 * A base by name for signals of a shape, such as `cropped:sym8`; or by one name per axis, all of separable kinds, such as
 * `cropped:sym8,cropped:sym8,identity`.
 */
export function createBase(name: string, shape: Shape): BaseDictionary {
  requireArgument("createBase", "name", name, text);
  requireShape("createBase", "shape", shape);
  const names = axisNames(name);
  if (names.length > 1) return createAxisBase(names, shape);
  const { maker, args } = makerOf(name);
  const factors = onBehalfOf("createBase", () =>
    "axis" in maker ? shape.map((size) => maker.axis(size, args)) : [maker.whole(shape, args)],
  );
  return { name, shape, factors };
}

/** The default base for signals of a shape: `usual` along all axes, but for channels. */
export function defaultBaseFor(shape: Shape, usual: string = defaultBase): string {
  return hasChannels(shape) ? [...shape.slice(1).map(() => usual), channelBase].join(",") : usual;
}

/** A base for signals whose last axis is channels, by a name for the other axes, or by one per axis. */
export function channelledBase(name: string, shape: Shape): BaseDictionary {
  if (axisNames(name).length === shape.length) return createBase(name, shape);
  const plane = createBase(name, shape.slice(0, -1));
  const mixing = createBase(channelBase, shape.slice(-1));
  const separable = plane.factors.length === shape.length - 1;
  const planeName =
    separable && axisNames(name).length === 1 ? plane.factors.map(() => name).join(",") : name;
  const factors = [...plane.factors, ...mixing.factors];
  return { name: `${planeName},${channelBase}`, shape, factors };
}

/** `cropped:sym8,odct:1` → its names; numbers after a comma are directions of contourlets. */
function axisNames(name: string): string[] {
  return name.split(/,(?=\s*[a-z])/i).map((part) => part.trim());
}

function createAxisBase(names: readonly string[], shape: Shape): BaseDictionary {
  const name = names.join(",");
  if (names.length !== shape.length) {
    const rule = `must be one name, or one for each of the ${shape.length} axes of ${formatShape(shape)}`;
    throw inputError("createBase", "base", rule, name);
  }
  const factors = names.map((part, axis) => {
    const { maker, args } = makerOf(part);
    if (!("axis" in maker))
      throw inputError("createBase", "base", `of one axis must be ${separableForms()}`, part);
    return onBehalfOf("createBase", () => maker.axis(shape[axis], args));
  });
  return { name, shape, factors };
}

function separableForms(): string {
  const isSeparable = (form: string) => "axis" in makers[form.split(/[:[]/)[0]];
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(baseForms.filter(isSeparable));
}

/** The maker of a name, and the arguments in it. */
function makerOf(name: string): { readonly maker: Maker; readonly args: readonly string[] } {
  const [kind, ...args] = name.split(":");
  const maker = Object.hasOwn(makers, kind) ? makers[kind] : undefined;
  if (maker && args.length >= maker.minArguments && args.length <= maker.maxArguments) return { maker, args };
  throw new InputError(`unknown base ${show(name)}; known: ${baseForms.join(", ")}`, {
    where: "createBase",
    argument: "base",
    value: name,
  });
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

/** How bases of one kind are made from the arguments in their names: axis by axis, or over the whole signal. */
type Maker = {
  /** How many arguments follow the kind. */
  readonly minArguments: number;
  readonly maxArguments: number;
} & (
  | { readonly axis: (size: number, args: readonly string[]) => Matrix64 }
  | { readonly whole: (shape: Shape, args: readonly string[]) => Matrix64 }
);

const makers: Readonly<Record<string, Maker>> = {
  identity: {
    minArguments: 0,
    maxArguments: 0,
    axis: (size) => Matrix64.identity(size),
  },
  cropped: {
    minArguments: 1,
    maxArguments: 1,
    axis: (size, [name]) => croppedWavelets(size, wavelet(name)),
  },
  separable: {
    minArguments: 1,
    maxArguments: 1,
    axis: (size, [name]) => separableWavelets(size, name),
  },
  wavelet: {
    minArguments: 1,
    maxArguments: 2,
    whole(shape, [name, border = borderModes[0]]) {
      const mode = requireOneOf("createBase", "border", border, borderModes);
      return cascadeWavelets(shape, wavelet(name), mode);
    },
  },
  contourlet: {
    minArguments: 0,
    maxArguments: 1,
    whole: (shape, [list]) => contourlets(shape, parseDirections(list)),
  },
  "cropped-contourlet": {
    minArguments: 0,
    maxArguments: 1,
    whole: (shape, [list]) => croppedContourlets(shape, parseDirections(list)),
  },
  odct: {
    minArguments: 1,
    maxArguments: 1,
    axis: (size, [argument]) => overcompleteDct(size, redundancyOf(argument)),
  },
};

function redundancyOf(argument: string): number {
  const redundancy = Number(argument);
  if (redundancy > 0 && redundancy <= maxRedundancy) return redundancy;
  const rule = `must be a number above 0, at most ${maxRedundancy}`;
  throw inputError("createBase", "redundancy of odct", rule, argument);
}

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
