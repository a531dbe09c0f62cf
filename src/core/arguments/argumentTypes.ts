/**
 * Types of arguments, for callers in plain JavaScript: what TypeScript would refuse is refused
 * with a message that names the argument, before any work. Numbers with a range have rules of
 * their own (require.ts, shape.ts).
 *
 * Objects are recognised by what they offer, not by their class, so that kernels and sources
 * of one's own pass, and so do objects of another copy of this library.
 */

import { inputError } from "../errors.js";
import { type Elsewhere, requireKnownOptions } from "./knownOptions.js";

export interface ArgumentType {
  /** What it must be: `a string`. */
  readonly words: string;
  accepts(value: unknown): boolean;
}

/** An argument of a type. */
export function requireArgument(where: string, name: string, value: unknown, type: ArgumentType): void {
  if (!type.accepts(value)) throw inputError(where, name, `must be ${type.words}`, value);
}

/** Several arguments: `{ name: [name, text], data: [data, float32] }`. */
export function requireArguments(
  where: string,
  given: Readonly<Record<string, readonly [value: unknown, type: ArgumentType]>>,
): void {
  for (const name in given) requireArgument(where, name, given[name][0], given[name][1]);
}

/** The type of every option of a function; the compiler checks that none is missing. */
export type OptionTypes<Options extends object> = Readonly<Record<keyof Options, ArgumentType>>;

/** Options that have these names and types; those that are undefined count as left out. */
export function requireOptions<Options extends object>(
  where: string,
  options: Options,
  types: OptionTypes<Options>,
  elsewhere: Elsewhere = {},
): void {
  const known = Object.keys(types) as (keyof Options & string)[];
  requireKnownOptions(where, options, known, elsewhere);
  for (const name of known) {
    const isLeftOut = options[name] === undefined && !isRequired.has(types[name]);
    if (!isLeftOut) requireArgument(where, name, options[name], types[name]);
  }
}

const isRequired = new WeakSet<ArgumentType>();

/** An option that must be given. */
export function required(type: ArgumentType): ArgumentType {
  const result = { ...type };
  isRequired.add(result);
  return result;
}

/** Undefined, or of a type. */
export function optional(type: ArgumentType): ArgumentType {
  return { words: type.words, accepts: (value) => value === undefined || type.accepts(value) };
}

export function listOf(type: ArgumentType, words: string): ArgumentType {
  return { words, accepts: (value) => Array.isArray(value) && value.every((item) => type.accepts(item)) };
}

export function either(words: string, ...types: readonly ArgumentType[]): ArgumentType {
  return { words, accepts: (value) => types.some((type) => type.accepts(value)) };
}

/** Anything that has these methods, and these properties. */
export function having(
  words: string,
  methods: readonly string[],
  properties: readonly string[] = [],
): ArgumentType {
  return {
    words,
    accepts: (value) =>
      isObject(value) &&
      methods.every((name) => typeof value[name] === "function") &&
      properties.every((name) => name in value),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typedArray(type: new (length: number) => ArrayBufferView): ArgumentType {
  return { words: `a ${type.name}`, accepts: (value) => value instanceof type };
}

// — plain values ——————————————————————————————————————————————————————————————

/** Checked by a rule of its own. */
export const byRule: ArgumentType = { words: "given or left out", accepts: (value) => value !== null };
export const text: ArgumentType = { words: "a string", accepts: (value) => typeof value === "string" };
export const flag: ArgumentType = { words: "true or false", accepts: (value) => typeof value === "boolean" };
export const number: ArgumentType = { words: "a number", accepts: (value) => Number.isFinite(value) };
/** A number that a rule with these words restricts further. */
export function numberWith(words: string): ArgumentType {
  return { words, accepts: (value) => typeof value === "number" };
}
export const callback: ArgumentType = {
  words: "a function",
  accepts: (value) => typeof value === "function",
};
export const record: ArgumentType = { words: "an object", accepts: isObject };
export const bytes = typedArray(Uint8Array);
export const float32 = typedArray(Float32Array);
export const float64 = typedArray(Float64Array);
export const words32 = typedArray(Uint32Array);
export const numberList: ArgumentType = {
  words: "a list of numbers",
  accepts: (value) =>
    Array.isArray(value) ? value.every((item) => typeof item === "number") : isSamples(value),
};

// — matrices and signals ——————————————————————————————————————————————————————

export const matrix: ArgumentType = {
  words: "a DenseMatrix",
  accepts: (value) =>
    isObject(value) && isSize(value.rows) && isSize(value.cols) && value.data instanceof Float32Array,
};
export const matrix64: ArgumentType = {
  words: "a Matrix64",
  accepts: (value) =>
    isObject(value) && isSize(value.rows) && isSize(value.cols) && value.data instanceof Float64Array,
};
export const sparseColumns: ArgumentType = {
  words: "SparseColumns",
  accepts: (value) =>
    isObject(value) &&
    isSize(value.rows) &&
    isSize(value.cols) &&
    isSize(value.width) &&
    value.indices instanceof Uint32Array,
};
export const signal: ArgumentType = {
  words: "a signal, as makeSignal returns it",
  accepts: (value) => isObject(value) && Array.isArray(value.shape) && value.data instanceof Float32Array,
};
export const signalList = listOf(signal, "a list of signals, as makeSignal returns them");
/** Samples, samples with a shape, or several of either. */
export const signalData: ArgumentType = {
  words: "a signal, several signals, a typed array or an array { shape, data }",
  accepts: (value) =>
    Array.isArray(value) ? value.length > 0 && value.every(isSignalData) : isSignalData(value),
};
export const npyArray: ArgumentType = {
  words: "an array { shape, dtype, data }, as makeNpy and readNpy return it",
  accepts: (value) =>
    isObject(value) &&
    Array.isArray(value.shape) &&
    typeof value.dtype === "string" &&
    ArrayBuffer.isView(value.data),
};

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isSignalData(value: unknown): boolean {
  return isSamples(value) || (isObject(value) && Array.isArray(value.shape) && isSamples(value.data));
}

function isSamples(value: unknown): boolean {
  return (
    ArrayBuffer.isView(value) &&
    !(value instanceof DataView || value instanceof BigInt64Array || value instanceof BigUint64Array)
  );
}

// — the library's own objects —————————————————————————————————————————————————

export const kernels = having("kernels, as chooseKernels returns them", ["matrix", "batchOmp", "free"]);
/** A handle of a matrix, which the kernels check further. */
export const deviceMatrix: ArgumentType = {
  words: "a matrix that the kernels made",
  accepts: (value) => isObject(value) && isSize(value.rows) && isSize(value.cols),
};
export const base: ArgumentType = {
  words: "a base dictionary, as createBase returns it",
  accepts: (value) =>
    isObject(value) &&
    typeof value.name === "string" &&
    Array.isArray(value.shape) &&
    Array.isArray(value.factors),
};
export const model: ArgumentType = {
  words: "a Model",
  accepts: (value) =>
    isObject(value) && base.accepts(value.base) && sparseColumns.accepts(value.A) && isObject(value.meta),
};
/** A dictionary on the host: a model, a base, or both parts. */
export const dictionaryParts: ArgumentType = {
  words: "a Model, or an object { base, A }",
  accepts: (value) => isObject(value) && base.accepts(value.base) && optional(sparseColumns).accepts(value.A),
};
/** A dictionary on the device. */
export const dictionary = having("a dictionary, as openDictionary returns it", [
  "project",
  "residual",
  "free",
]);
export const abortSignal = having("an AbortSignal", ["addEventListener"], ["aborted"]);
export const rng = having("an Rng", ["split", "uint32"]);
