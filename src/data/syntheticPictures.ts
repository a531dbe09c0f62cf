/**
 * Pictures made from a seed, with the statistics of photographs: dead leaves [Lee01].
 *
 * Opaque leaves of random place, size, shape and tone cover each other until no gap is
 * left. With radii of density f(r) ∝ r⁻³ the picture looks alike at every scale, as
 * photographs do: it has occlusion, straight and curved edges, and a power spectrum
 * near 1/f². Leaves have a gradient and some have gratings, so that a dictionary has
 * more to learn than edges.
 *
 * Leaves are drawn front to back: a sample is set by the first leaf that covers it.
 * Edges are smoothed by 2 × 2 samples per pixel.
 *
 * The result has the same bits on every machine: only + − × ÷ √, floor and
 * comparisons are used, and the sine of the gratings is a polynomial of our own, since
 * the last bit of `Math.sin` may differ between engines.
 *
 * [Lee01] A. Lee, D. Mumford, J. Huang. Occlusion Models for Natural Images.
 *         IJCV 41, 2001.
 */

import { inputError } from "../core/errors.js";
import { Rng } from "../core/random/rng.js";
import { requireInteger } from "../core/require.js";
import { makeSignal, type Signal } from "../core/signal.js";

export interface DeadLeavesOptions {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Radius of the smallest leaf in pixels, at least 0.5. */
  readonly minRadius?: number;
  /** Radius of the largest leaf; by default a third of the longer side. */
  readonly maxRadius?: number;
  /** The name of the signal. */
  readonly name?: string;
}

const deadLeavesDefaults = { minRadius: 8, name: "dead leaves" } as const;

/** An ellipse or a rectangle, with its tones; lengths in pixels. */
interface Leaf {
  readonly x: number;
  readonly y: number;
  /** The largest distance of a point from the centre. */
  readonly reach: number;
  /** Unit vector of its long axis, and half lengths along and across it. */
  readonly axis: Vector;
  readonly along: number;
  readonly across: number;
  readonly round: boolean;
  readonly tone: number;
  /** Change of tone per pixel. */
  readonly gradient: Vector;
  readonly gratings: readonly Grating[];
}

interface Vector {
  readonly x: number;
  readonly y: number;
}

/** amplitude · sin 2π(⟨frequency, position⟩ + phase). */
interface Grating {
  readonly amplitude: number;
  readonly frequency: Vector;
  readonly phase: number;
}

/** Which samples are covered (2 × 2 per pixel), how many are left, and the picture so far. */
interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly covered: Uint8Array;
  readonly picture: Float32Array;
  left: number;
}

/** A grey dead-leaves picture, 0 to 255. */
export function deadLeaves(rng: Rng, options: DeadLeavesOptions): Signal {
  const { width, height, name } = { ...deadLeavesDefaults, ...options };
  requireInteger("deadLeaves", "width", width, 1, 1 << 14);
  requireInteger("deadLeaves", "height", height, 1, 1 << 14);
  const radii = requireRadii(options);
  const canvas: Canvas = {
    width: 2 * width,
    height: 2 * height,
    covered: new Uint8Array(4 * width * height),
    picture: new Float32Array(width * height),
    left: 4 * width * height,
  };
  while (canvas.left > 0) {
    const leaf = dropLeaf(rng, width, height, radii);
    if (leaf) paint(canvas, leaf);
  }
  return makeSignal(name, [height, width], canvas.picture);
}

/** `count` square pictures; each depends only on the seed and its own number. */
export function syntheticPictures(seed: number, count: number, size: number): Signal[] {
  requireInteger("syntheticPictures", "seed", seed, 0);
  requireInteger("syntheticPictures", "count", count, 0);
  requireInteger("syntheticPictures", "size", size, 1, 1 << 14);
  const rng = Rng.from(seed);
  return Array.from({ length: count }, (_, i) =>
    deadLeaves(rng.split(`picture ${i}`), { width: size, height: size, name: `synthetic ${seed}/${i}` }),
  );
}

interface Radii {
  readonly min: number;
  readonly max: number;
}

function requireRadii(options: DeadLeavesOptions): Radii {
  const min = options.minRadius ?? deadLeavesDefaults.minRadius;
  const max = options.maxRadius ?? Math.max(options.width / 3, options.height / 3, 2 * min);
  if (!(min >= 0.5)) throw inputError("deadLeaves", "minRadius", "must be a number of at least 0.5", min);
  if (max >= min && max < Infinity) return { min, max };
  throw inputError("deadLeaves", "maxRadius", `must be a number of at least minRadius (${min})`, max);
}

/**
 * The next leaf; undefined if it falls outside. Centres are uniform over the picture
 * and a margin of the largest radius, so that borders look like the middle.
 */
function dropLeaf(rng: Rng, width: number, height: number, { min, max }: Radii): Leaf | undefined {
  const reach = min / Math.sqrt(1 - rng.uniform() * (1 - (min / max) * (min / max))); // f(r) ∝ r⁻³
  const x = between(rng, -max, width + max);
  const y = between(rng, -max, height + max);
  if (x + reach < 0 || y + reach < 0 || x - reach > width || y - reach > height) return undefined;
  const round = rng.uniform() < 0.6;
  const axis = direction(rng);
  // Half lengths whose farthest point, an end or a corner, is at `reach`.
  const slimness = round ? between(rng, 0.5, 1) : between(rng, 0.2, 1);
  const along = round ? reach : reach / Math.sqrt(1 + slimness * slimness);
  const slope = (between(rng, 0, 60) * rng.uniform()) / reach;
  const lit = direction(rng);
  return {
    x,
    y,
    reach,
    axis,
    along,
    across: along * slimness,
    round,
    tone: (between(rng, 15, 240) + between(rng, 15, 240)) / 2,
    gradient: { x: slope * lit.x, y: slope * lit.y },
    gratings: texture(rng, axis),
  };
}

/** Smooth, striped, woven or rough: no grating, one, two that cross, or five in all directions. */
function texture(rng: Rng, axis: Vector): Grating[] {
  const kind = rng.uniform();
  if (kind < 0.15) return [];
  if (kind < 0.5) return Array.from({ length: 5 }, () => grating(rng, direction(rng), 2, 9));
  // Often along the leaf's own axes, like veins, planks and bricks.
  const across = rng.uniform() < 0.5 ? axis : direction(rng);
  const first = grating(rng, across, 4, 20);
  return kind < 0.85 ? [first] : [first, grating(rng, { x: -across.y, y: across.x }, 4, 20)];
}

/** A grating with a period of 3 to 24 pixels, equally likely in each of the three octaves. */
function grating(rng: Rng, { x, y }: Vector, weakest: number, strongest: number): Grating {
  const period = 3 * (1 << rng.below(3)) * between(rng, 1, 2);
  return {
    amplitude: between(rng, weakest, strongest),
    frequency: { x: x / period, y: y / period },
    phase: rng.uniform(),
  };
}

/** Give the leaf's tone to every sample that no earlier leaf covers. */
function paint(canvas: Canvas, leaf: Leaf): void {
  const { width, height, covered, picture } = canvas;
  const bottom = Math.min(height - 1, Math.floor(2 * (leaf.y + leaf.reach)));
  const right = Math.min(width - 1, Math.floor(2 * (leaf.x + leaf.reach)));
  const left = Math.max(0, Math.floor(2 * (leaf.x - leaf.reach)));
  for (let row = Math.max(0, Math.floor(2 * (leaf.y - leaf.reach))); row <= bottom; row++) {
    const dy = (row + 0.5) / 2 - leaf.y;
    for (let column = left; column <= right; column++) {
      if (covered[row * width + column]) continue;
      const dx = (column + 0.5) / 2 - leaf.x;
      if (!covers(leaf, dx, dy)) continue;
      covered[row * width + column] = 1;
      canvas.left--;
      picture[(row >> 1) * (width >> 1) + (column >> 1)] += toneAt(leaf, dx, dy) / 4;
    }
  }
}

/** Whether the point (dx, dy) from the centre lies on the leaf. */
function covers({ axis, along, across, round }: Leaf, dx: number, dy: number): boolean {
  const u = (dx * axis.x + dy * axis.y) / along;
  const v = (dy * axis.x - dx * axis.y) / across;
  return round ? u * u + v * v <= 1 : u <= 1 && u >= -1 && v <= 1 && v >= -1;
}

/** The leaf's tone at (dx, dy) from its centre, in [0, 255]. */
function toneAt({ tone, gradient, gratings }: Leaf, dx: number, dy: number): number {
  let value = tone + gradient.x * dx + gradient.y * dy;
  for (const { amplitude, frequency, phase } of gratings) {
    value += amplitude * sineOfTurns(frequency.x * dx + frequency.y * dy + phase);
  }
  return Math.min(255, Math.max(0, value));
}

/** A polynomial within 0.001 of sin 2πt: odd, of period 1, with the same zeros and extremes. */
function sineOfTurns(turns: number): number {
  const t = turns - Math.floor(turns + 0.5); // in [−½, ½)
  const parabola = 8 * t - 16 * t * (t < 0 ? -t : t);
  return 0.775 * parabola + 0.225 * parabola * (parabola < 0 ? -parabola : parabola);
}

function between(rng: Rng, low: number, high: number): number {
  return low + (high - low) * rng.uniform();
}

/** A uniformly random unit vector: a point in the disc, scaled. */
function direction(rng: Rng): Vector {
  for (;;) {
    const x = between(rng, -1, 1);
    const y = between(rng, -1, 1);
    const squared = x * x + y * y;
    if (squared > 1 || squared < 1e-4) continue;
    const length = Math.sqrt(squared);
    return { x: x / length, y: y / length };
  }
}
