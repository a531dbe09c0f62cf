/** Damage to files, from a seed, as by disks, networks and attackers. */

import type { Rng } from "../../src/core/random/rng.js";

/** Numbers that break code which trusts a file. */
const extremes = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];
const texts = ["0", "-1", "1e309", "4294967296", "999999999999", "9007199254740993", "__proto__", "{", "[["];

type Mutation = (bytes: Uint8Array, rng: Rng, other: Uint8Array) => Uint8Array;

const mutations: readonly Mutation[] = [
  flipBits,
  (bytes, rng) => bytes.slice(0, rng.below(bytes.length + 1)),
  (bytes, rng) => {
    const [from, to] = range(bytes, rng);
    return replace(bytes, from, to, new Uint8Array());
  },
  (bytes, rng, other) => {
    const [from, to] = range(other, rng);
    return replace(bytes, rng.below(bytes.length + 1), undefined, other.subarray(from, to));
  },
  (bytes, rng, other) => {
    const [from, to] = range(other, rng);
    const at = rng.below(bytes.length + 1);
    return replace(bytes, at, Math.min(bytes.length, at + to - from), other.subarray(from, to));
  },
  placeExtreme,
  placeExtreme,
  replaceDigits,
  replaceDigits,
];

/** One to three mutations of a file; some insert parts of `other`. */
export function mutate(bytes: Uint8Array, rng: Rng, other: Uint8Array): Uint8Array {
  let mutated = bytes;
  for (let times = 1 + rng.below(3); times > 0; times--)
    mutated = mutations[rng.below(mutations.length)](mutated, rng, other);
  return mutated;
}

function flipBits(bytes: Uint8Array, rng: Rng): Uint8Array {
  const copy = bytes.slice();
  for (let times = 1 + rng.below(8); times > 0 && copy.length > 0; times--)
    copy[place(copy, rng)] ^= 1 << rng.below(8);
  return copy;
}

/** Write an extreme little-endian number of 1, 2, 4 or 8 bytes. */
function placeExtreme(bytes: Uint8Array, rng: Rng): Uint8Array {
  const copy = bytes.slice();
  const value = BigInt(extremes[rng.below(extremes.length)]) << BigInt(rng.below(2) * 31);
  const at = place(copy, rng);
  for (let i = 0; i < 2 ** rng.below(4) && at + i < copy.length; i++)
    copy[at + i] = Number((value >> BigInt(8 * i)) & 255n);
  return copy;
}

/** Replace the digits of a number in text: sizes in headers, numbers in JSON. */
function replaceDigits(bytes: Uint8Array, rng: Rng): Uint8Array {
  const digits = [...new TextDecoder("latin1").decode(bytes.subarray(0, 4096)).matchAll(/\d+/g)];
  const match = digits[rng.below(digits.length)];
  if (!match) return flipBits(bytes, rng);
  const text = new TextEncoder().encode(texts[rng.below(texts.length)]);
  const keep = rng.below(2) === 0; // keep the length, so that the rest of the file stays in place
  const length = keep ? Math.min(text.length, match[0].length) : text.length;
  const end = match.index + (keep ? length : match[0].length);
  return replace(bytes, match.index, end, text.subarray(0, length));
}

/** More often near the start or the end, where headers and directories are. */
function place(bytes: Uint8Array, rng: Rng): number {
  const near = Math.min(bytes.length, 256);
  return [rng.below(bytes.length), rng.below(near), bytes.length - 1 - rng.below(near)][rng.below(3)];
}

function range(bytes: Uint8Array, rng: Rng): [number, number] {
  const from = rng.below(bytes.length + 1);
  return [from, Math.min(bytes.length, from + 2 ** rng.below(12))];
}

function replace(bytes: Uint8Array, from: number, to: number | undefined, by: Uint8Array): Uint8Array {
  const rest = bytes.subarray(to ?? from);
  const result = new Uint8Array(from + by.length + rest.length);
  result.set(bytes.subarray(0, from));
  result.set(by, from);
  result.set(rest, from + by.length);
  return result;
}
