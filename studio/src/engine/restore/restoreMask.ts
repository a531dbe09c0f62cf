/** Samples of a picture that are missing: painted by a person, scratched, or dropped at random from a seed. */

/** Random numbers, such as an `Rng` of the library. */
interface Randomness {
  split(label: string): { uniform(): number };
}

/** A line that a brush has drawn. */
export interface Stroke {
  readonly radius: number;
  /** Columns and rows of its points: x, y, x, y, … */
  readonly points: readonly number[];
}

export interface Damage {
  readonly strokes: readonly Stroke[];
  /** Number of scratches. */
  readonly scratches: number;
  /** Percent of the samples that are dropped. */
  readonly drop: number;
}

/** 1 for each missing sample. */
export function maskOf(
  width: number,
  height: number,
  damage: Damage,
  random: Randomness,
): Uint8Array<ArrayBuffer> {
  const mask = new Uint8Array(width * height);
  for (const stroke of damage.strokes) drawStroke(mask, width, height, stroke);
  for (const stroke of scratchesOf(width, height, damage.scratches, random))
    drawStroke(mask, width, height, stroke);
  const rng = random.split("drop");
  const share = damage.drop / 100;
  if (share > 0) for (let i = 0; i < mask.length; i++) if (rng.uniform() < share) mask[i] = 1;
  return mask;
}

/** Bent lines across the picture. */
function scratchesOf(width: number, height: number, scratches: number, random: Randomness): Stroke[] {
  const rng = random.split("scratches");
  const size = Math.min(width, height);
  return Array.from({ length: scratches }, () => {
    const angle = rng.uniform() * Math.PI;
    const bend = (rng.uniform() - 0.5) * 0.6;
    let [x, y] = [rng.uniform() * width, rng.uniform() * height];
    let direction = angle;
    const points: number[] = [];
    for (let i = 0; i < 12; i++) {
      points.push(x, y);
      x += (Math.cos(direction) * size) / 16;
      y += (Math.sin(direction) * size) / 16;
      direction += bend / 4;
    }
    return { radius: Math.max(0.75, size / 160), points };
  });
}

function drawStroke(mask: Uint8Array, width: number, height: number, { radius, points }: Stroke): void {
  for (let i = 0; i < points.length; i += 2) {
    const [x0, y0] = [points[i], points[i + 1]];
    const [x1, y1] = i + 3 < points.length ? [points[i + 2], points[i + 3]] : [x0, y0];
    const from = { x: Math.min(x0, x1) - radius, y: Math.min(y0, y1) - radius };
    const to = { x: Math.max(x0, x1) + radius, y: Math.max(y0, y1) + radius };
    for (let y = Math.max(0, Math.ceil(from.y)); y <= Math.min(height - 1, to.y); y++)
      for (let x = Math.max(0, Math.ceil(from.x)); x <= Math.min(width - 1, to.x); x++)
        if (distance(x, y, x0, y0, x1, y1) <= radius) mask[y * width + x] = 1;
  }
}

/** From a point to a segment. */
function distance(x: number, y: number, x0: number, y0: number, x1: number, y1: number): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  const t = length > 0 ? Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / length)) : 0;
  return Math.hypot(x - x0 - t * dx, y - y0 - t * dy);
}
