/**
 * Twenty small sets: windows of signals, blocks of volumes, patches of pictures, 50 to 5,000 examples each. They come from
 * the files that the caller names, or from signals made here: heartbeats, echoes, a volume, a picture. The examples to learn from and those
 * to measure on are cut from different pieces of the same signals, so that none of one kind overlaps one of the other.
 */

import { Rng } from "../src/core/random/rng.js";
import { formatShape, type Shape, sizeOf } from "../src/core/shape.js";
import { makeSignal, type Signal } from "../src/core/signal.js";
import { readImage } from "../src/data/node/images.js";
import { inspectInputs } from "../src/data/node/inputs.js";
import { readSignals } from "../src/data/node/readSignals.js";
import { PatchSampler } from "../src/data/sampling/patchSampler.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";

export interface SmallSet {
  readonly name: string;
  readonly patch: Shape;
  /** Examples to learn from, each a signal of its own. */
  readonly examples: readonly Signal[];
  /** Examples to measure on, never seen in training. */
  readonly unseen: readonly Signal[];
}

/** The sets of each kind of data: the size of a window, and how many there are. */
const plans = {
  signals: [
    [[64], 50],
    [[128], 500],
    [[256], 843],
    [[100], 5000],
  ],
  volumes: [
    [[4, 4, 4], 300],
    [[4, 4, 4], 3000],
    [[4, 4, 4], 1000],
  ],
  pictures: [
    [[8, 8], 60],
    [[8, 8], 5000],
    [[12, 12], 2000],
    [[16, 16], 1000],
    [[20, 20], 400],
  ],
} as const satisfies Record<string, readonly (readonly [Shape, number])[]>;

/** Sets that are always made here: nothing can be learned from noise but what its examples have by chance. */
const madeUp = [
  { name: "noise", patch: [32], count: 1000, source: () => noise(100_000) },
  { name: "chirps", patch: [128], count: 300, source: () => chirps(60, 4000) },
  { name: "steps", patch: [64], count: 200, source: () => steps(100_000) },
  { name: "dead leaves", patch: [10, 10], count: 800, source: () => syntheticPictures(7, 1, 256) },
] as const;

/** From this many on, signals are not cut into pieces; the most pieces of one that is. */
const manySignals = 10;
const mostPieces = 50;
/** Examples to measure on, at most. */
const mostUnseen = 1000;

/** The sets: `data` are arrays with one signal per row or one volume, `images` pictures. */
export async function smallSets(data: readonly string[], images: readonly string[]): Promise<SmallSet[]> {
  const arrays = await Promise.all(data.map(readArray));
  const rows = arrays.filter(({ kind }) => kind === "signals");
  const volumes = arrays.filter(({ kind }) => kind === "volumes");
  const pictures = await Promise.all(
    images.map(async (path) => ({ name: baseName(path), signals: [await readImage(path)] })),
  );
  const sets = [
    ...(rows.length > 0 ? rows : madeSignals()).flatMap((source) => setsOf(source, plans.signals)),
    ...(volumes.length > 0 ? volumes : [madeVolume()]).flatMap((source) => setsOf(source, plans.volumes)),
    ...(pictures.length > 0 ? pictures : [madePicture()]).flatMap((source) => setsOf(source, plans.pictures)),
  ];
  return [
    ...sets,
    ...madeUp.map(({ name, patch, count, source }) => makeSet({ name, signals: source() }, patch, count)),
  ];
}

interface Source {
  readonly name: string;
  readonly signals: readonly Signal[];
}

function setsOf(source: Source, plan: readonly (readonly [Shape, number])[]): SmallSet[] {
  return plan.map(([patch, count]) => makeSet(source, patch, count));
}

function makeSet({ name, signals }: Source, patch: Shape, count: number): SmallSet {
  const rng = Rng.from(26);
  const { seen, rest } = split(signals, patch);
  const examples = cutWindows(seen, patch, count, rng.split("seen"));
  return {
    name: `${name}, ${examples.length.toLocaleString("en-US")} of ${formatShape(patch)}`,
    patch,
    examples,
    unseen: cutWindows(rest, patch, mostUnseen, rng.split("unseen")),
  };
}

/** Pieces of the signals, seven of ten to learn from: whole signals if there are many, else parts along the first axis. */
function split(
  signals: readonly Signal[],
  patch: Shape,
): { readonly seen: Signal[]; readonly rest: Signal[] } {
  const pieces =
    signals.length >= manySignals ? signals : signals.flatMap((signal) => piecesOf(signal, patch));
  const isSeen = (i: number) => (pieces.length < 10 ? i < 0.7 * pieces.length : i % 10 < 7);
  return {
    seen: pieces.filter((_, i) => isSeen(i)),
    rest: pieces.filter((_, i) => !isSeen(i)),
  };
}

/** Equal parts along the first axis, each at least twice as long as a window. */
function piecesOf(signal: Signal, patch: Shape): Signal[] {
  const count = Math.min(mostPieces, Math.floor(signal.shape[0] / (2 * patch[0])));
  const length = Math.floor(signal.shape[0] / count);
  return Array.from({ length: count }, (_, i) => between(signal, i * length, (i + 1) * length));
}

/** A part of a signal along its first axis. */
function between({ name, shape, data }: Signal, from: number, to: number): Signal {
  const each = data.length / shape[0];
  return makeSignal(name, [to - from, ...shape.slice(1)], data.slice(from * each, to * each));
}

/** Random windows, each as a signal. */
function cutWindows(signals: readonly Signal[], patch: Shape, count: number, rng: Rng): Signal[] {
  const sampler = new PatchSampler(signals, { patch, holdout: 0, examples: count }, rng);
  const { signal, start } = sampler.trainingWindows(0, 0, sampler.examples);
  return Array.from(signal, (from, i) =>
    makeSignal(`window ${i}`, patch, cutWindow(signals[from], start[i], patch)),
  );
}

/** The samples of a window that starts at this sample. */
function cutWindow({ shape, data }: Signal, start: number, patch: Shape): Float32Array {
  const window = new Float32Array(sizeOf(patch));
  for (let i = 0; i < window.length; i++) {
    let [place, stride, rest] = [start, 1, i];
    for (let axis = patch.length - 1; axis >= 0; axis--) {
      place += (rest % patch[axis]) * stride;
      rest = Math.floor(rest / patch[axis]);
      stride *= shape[axis];
    }
    window[i] = data[place];
  }
  return window;
}

async function readArray(path: string): Promise<Source & { readonly kind: "signals" | "volumes" }> {
  const [input] = await inspectInputs([path]);
  const axes = input.kind === "npy" ? input.shape.length : 0;
  if (axes !== 2 && axes !== 3)
    throw new Error(`${path}: must be a .npy array with 2 axes (signals) or 3 (a volume)`);
  const patch = axes === 2 ? [1] : [1, 1, 1];
  return {
    name: baseName(path),
    kind: axes === 2 ? "signals" : "volumes",
    signals: await readSignals([input], { patch }),
  };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
}

function madeSignals(): Source[] {
  return [
    { name: "heartbeats", signals: heartbeats(60_000) },
    { name: "echoes", signals: echoes(40, 1500) },
  ];
}

function madePicture(): Source {
  return { name: "picture", signals: syntheticPictures(1, 1, 256) };
}

/** Beats at irregular intervals, each a wave of three bumps, over a wandering baseline. */
function heartbeats(length: number): Signal[] {
  const rng = Rng.from(1);
  const data = Float32Array.from({ length }, (_, t) => 20 * Math.sin(t / 700) + 2 * rng.normal());
  const bumps = [
    [-60, 12, 15],
    [0, 4, 200],
    [70, 20, 40],
  ] as const;
  for (let beat = 100; beat < length; beat += 250 + Math.floor(60 * rng.uniform())) {
    const strength = 0.9 + 0.2 * rng.uniform();
    for (const [offset, width, height] of bumps)
      for (let t = -4 * width; t <= 4 * width; t++) {
        const at = beat + offset + t;
        if (at >= 0 && at < length) data[at] += strength * height * Math.exp(-((t / width) ** 2) / 2);
      }
  }
  return [makeSignal("heartbeats", [length], data)];
}

/** Traces of a pulse that is reflected at random depths. */
function echoes(count: number, length: number): Signal[] {
  const rng = Rng.from(2);
  return Array.from({ length: count }, (_, i) => {
    const data = Float32Array.from({ length }, () => 0.3 * rng.normal());
    for (let echo = 0; echo < length / 25; echo++) {
      const [at, strength] = [Math.floor(length * rng.uniform()), 10 * rng.normal()];
      for (let t = -20; t <= 20; t++) {
        const x = (t / 5) ** 2;
        if (at + t >= 0 && at + t < length) data[at + t] += strength * (1 - x) * Math.exp(-x / 2);
      }
    }
    return makeSignal(`trace ${i}`, [length], data);
  });
}

/** Balls of different brightness in a volume. */
function madeVolume(): Source {
  const rng = Rng.from(3);
  const size = 40;
  const data = Float32Array.from({ length: size ** 3 }, () => 3 * rng.normal());
  for (let ball = 0; ball < 60; ball++) {
    const centre = [rng.uniform(), rng.uniform(), rng.uniform()].map((u) => size * u);
    const [radius, value] = [3 + 6 * rng.uniform(), 100 * rng.normal()];
    for (let i = 0; i < data.length; i++) {
      const place = [Math.floor(i / size ** 2), Math.floor(i / size) % size, i % size];
      const distance = Math.sqrt(place.reduce((sum, x, axis) => sum + (x - centre[axis]) ** 2, 0));
      if (distance < radius) data[i] = value + 3 * rng.normal();
    }
  }
  return { name: "balls", signals: [makeSignal("balls", [size, size, size], data)] };
}

function noise(length: number): Signal[] {
  const rng = Rng.from(4);
  return [
    makeSignal(
      "noise",
      [length],
      Float32Array.from({ length }, () => rng.normal()),
    ),
  ];
}

function chirps(count: number, length: number): Signal[] {
  const rng = Rng.from(5);
  return Array.from({ length: count }, (_, i) => {
    const [from, rate] = [0.02 + 0.2 * rng.uniform(), 1e-4 * rng.uniform()];
    const data = Float32Array.from({ length }, (_, t) => 50 * Math.sin((from + rate * t) * t) + rng.normal());
    return makeSignal(`chirp ${i}`, [length], data);
  });
}

/** A staircase of random heights. */
function steps(length: number): Signal[] {
  const rng = Rng.from(6);
  let level = 0;
  const data = Float32Array.from({ length }, () => {
    if (rng.uniform() < 0.03) level = 40 * rng.normal();
    return level + 0.5 * rng.normal();
  });
  return [makeSignal("steps", [length], data)];
}
