/** A curve of any length with a bounded number of points: neighbours are averaged when there are too many. */

export interface CurvePoint {
  readonly x: number;
  readonly y: number;
}

export class Curve {
  readonly #most: number;
  #points: CurvePoint[] = [];
  /** Values that make one point. */
  #stride = 1;
  #pending: CurvePoint[] = [];

  constructor(most = 300) {
    this.#most = most;
  }

  /** What was added so far. */
  get points(): readonly CurvePoint[] {
    return this.#points;
  }

  add(x: number, y: number): void {
    if (!Number.isFinite(y)) return;
    this.#pending.push({ x, y });
    if (this.#pending.length < this.#stride) return;
    this.#points = [...this.#points, mean(this.#pending)];
    this.#pending = [];
    if (this.#points.length <= this.#most) return;
    const halves = Array.from({ length: Math.floor(this.#points.length / 2) }, (_, i) =>
      mean(this.#points.slice(2 * i, 2 * i + 2)),
    );
    this.#points = this.#points.length % 2 === 0 ? halves : [...halves, ...this.#points.slice(-1)];
    this.#stride *= 2;
  }

  /** Forget what comes after x: the run went back to there. */
  cut(x: number): void {
    this.#points = this.#points.filter((point) => point.x <= x);
    this.#pending = [];
  }
}

/** x of the last point, y of all. */
function mean(points: readonly CurvePoint[]): CurvePoint {
  const y = points.reduce((sum, point) => sum + point.y, 0) / points.length;
  return { x: points[points.length - 1].x, y };
}
