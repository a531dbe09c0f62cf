/** Matlab files of version 5, for tests: variables of any stored type, compressed or not, in both byte orders. */

import { zlibSync } from "fflate";

export interface TestVariable {
  readonly name: string;
  /** Matlab's sizes: at least two. */
  readonly sizes: readonly number[];
  /** The first axis varies fastest. */
  readonly values: readonly number[];
  readonly stored?: "double" | "single" | "int8" | "uint8" | "int16" | "uint32";
  /** The number of Matlab's class, if not that of numbers: 6 is double. */
  readonly kind?: number;
  readonly complex?: boolean;
}

export interface Mat5Options {
  readonly compressed?: boolean;
  readonly bigEndian?: boolean;
}

const types = {
  double: [9, 8, "setFloat64"],
  single: [7, 4, "setFloat32"],
  int8: [1, 1, "setInt8"],
  uint8: [2, 1, "setUint8"],
  int16: [3, 2, "setInt16"],
  uint32: [6, 4, "setUint32"],
} as const;

export function mat5Of(
  variables: readonly TestVariable[],
  { compressed, bigEndian = false }: Mat5Options = {},
): Uint8Array {
  const text = "MATLAB 5.0 MAT-file, made by a test".padEnd(124);
  const order = bigEndian ? [1, 0, 0x4d, 0x49] : [0, 1, 0x49, 0x4d];
  const elements = variables.map((variable) => {
    const whole = variableElement(variable, bigEndian);
    return compressed ? element(15, [...zlibSync(Uint8Array.from(whole))], bigEndian, 1) : whole;
  });
  return Uint8Array.from([...new TextEncoder().encode(text), ...order, ...elements.flat()]);
}

function variableElement(variable: TestVariable, bigEndian: boolean): number[] {
  const { name, sizes, values, stored = "double", kind = 6, complex } = variable;
  const [type, size, set] = types[stored];
  const view = new DataView(new ArrayBuffer(values.length * size));
  values.forEach((value, i) => {
    view[set](i * size, value, !bigEndian);
  });
  const flags = [...word(kind + (complex ? 0x800 : 0), bigEndian), ...word(0, bigEndian)];
  const parts = [
    element(6, flags, bigEndian),
    element(
      5,
      sizes.flatMap((axis) => word(axis, bigEndian)),
      bigEndian,
    ),
    element(1, [...new TextEncoder().encode(name)], bigEndian),
    element(type, [...new Uint8Array(view.buffer)], bigEndian),
  ];
  return element(14, parts.flat(), bigEndian);
}

/** A tag and its bytes; those of at most 4 bytes are in the tag itself. */
function element(type: number, bytes: readonly number[], bigEndian: boolean, padding = 8): number[] {
  if (bytes.length > 0 && bytes.length <= 4 && padding === 8)
    return [
      ...word(bytes.length * 65536 + type, bigEndian),
      ...bytes,
      ...new Array(4 - bytes.length).fill(0),
    ];
  const padded = new Array((padding - (bytes.length % padding)) % padding).fill(0);
  return [...word(type, bigEndian), ...word(bytes.length, bigEndian), ...bytes, ...padded];
}

function word(value: number, bigEndian: boolean): number[] {
  const bytes = [value, value >>> 8, value >>> 16, value >>> 24].map((byte) => byte & 255);
  return bigEndian ? bytes.reverse() : bytes;
}
