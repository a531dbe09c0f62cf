/**
 * Arrays as `.safetensors` bytes:
 *
 *     u64        length of the header
 *     header     JSON: for each tensor its dtype, shape and data_offsets; `__metadata__`, texts by name
 *     data       the tensors, row-major, one after the other
 *
 * All little-endian. Read as it is written everywhere else; sizes are checked against the bytes present before
 * anything is allocated.
 */

import { InputError, show } from "../../../core/errors.js";
import { formatNpyHeader, type NpyArray, npyParts, readNpy } from "../npy.js";

/** The names of types, here and there. */
const dtypes: Readonly<Record<string, string>> = {
  "<f2": "F16",
  "<f4": "F32",
  "<f8": "F64",
  "|i1": "I8",
  "|u1": "U8",
  "<i2": "I16",
  "<u2": "U16",
  "<i4": "I32",
  "<u4": "U32",
  "<i8": "I64",
  "<u8": "U64",
  "|b1": "BOOL",
};

/** Tensors by name, and texts about them. */
export interface Tensors {
  readonly arrays: ReadonlyMap<string, NpyArray>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Largest header, in bytes: that of the reference implementation. */
const maxHeader = 100_000_000;

export function writeSafetensors({ arrays, metadata }: Tensors): Uint8Array {
  const bodies: Uint8Array[] = [];
  let at = 0;
  const header: Record<string, unknown> = { __metadata__: metadata };
  for (const [name, array] of arrays) {
    const dtype = dtypes[array.dtype];
    if (dtype === undefined) throw new InputError(`writeSafetensors: ${name} must hold numbers`);
    const [, body] = npyParts(array);
    header[name] = { dtype, shape: array.shape, data_offsets: [at, at + body.length] };
    bodies.push(body);
    at += body.length;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + padded + at).fill(0x20, 8, 8 + padded);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(padded), true);
  bytes.set(text, 8);
  let from = 8 + padded;
  for (const body of bodies) {
    bytes.set(body, from);
    from += body.length;
  }
  return bytes;
}

export function readSafetensors(bytes: Uint8Array, name: string): Tensors {
  const damaged = (what: string) => new InputError(`${name}: not a .safetensors file: ${what}`);
  if (bytes.length < 8) throw damaged("too short");
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (length > Math.min(maxHeader, bytes.length - 8)) throw damaged("no header");
  const header = parseHeader(bytes.subarray(8, 8 + length));
  if (!header) throw damaged("no header");
  const data = bytes.subarray(8 + length);
  const arrays = new Map<string, NpyArray>();
  for (const [key, value] of Object.entries(header)) {
    if (key === "__metadata__") continue;
    const label = `${name}[${/^[\w./-]{1,60}$/.test(key) ? key : show(key)}]`;
    arrays.set(key, readTensor(value, data, label));
  }
  return { arrays, metadata: textsOf(header.__metadata__) };
}

function parseHeader(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const header: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      (key, value) => (key === "__proto__" ? undefined : value),
    );
    return isRecord(header) ? header : undefined;
  } catch {
    return undefined;
  }
}

function readTensor(value: unknown, data: Uint8Array, name: string): NpyArray {
  const { dtype, shape, data_offsets: offsets } = isRecord(value) ? value : {};
  const known = Object.entries(dtypes).find(([, theirs]) => theirs === dtype)?.[0];
  if (known === undefined) {
    const readable = Object.values(dtypes).join(", ");
    throw new InputError(`${name}: type must be one of ${readable}, got ${show(dtype)}`);
  }
  if (!isSizes(shape) || !isSizes(offsets) || offsets.length !== 2)
    throw new InputError(`${name}: damaged: shape or offsets`);
  const [from, to] = offsets;
  const items = shape.reduce((product, size) => product * size, 1);
  const wanted = items * Number(known.slice(2));
  if (!(from <= to && to <= data.length) || to - from !== wanted)
    throw new InputError(`${name}: damaged: ${to - from} bytes, ${wanted} are needed`);
  const head = formatNpyHeader(known, shape); // the rest is what reading a .npy does
  const bytes = new Uint8Array(head.length + wanted);
  bytes.set(head);
  bytes.set(data.subarray(from, to), head.length);
  return readNpy(bytes, name);
}

function textsOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}
