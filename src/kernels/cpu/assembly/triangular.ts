/**
 * The small triangular systems of a pursuit: C, the Cholesky factor of G_II.
 *
 * They are in f64: they cost little, and f32 would lose several digits with the coherent
 * atoms of wavelets. Row r of C starts at r·p. Instead of the pivots on its diagonal their inverses
 * are kept: every turn divides by all of them.
 */

/** Extend C by the row (w, pivot) of an atom; 1/pivot, or 0 if the atom depends on those taken. */
export function extend(
  column: usize,
  atom: i32,
  indices: usize,
  taken: i32,
  p: i32,
  factor: usize,
  w: usize,
  floor: f64,
): f64 {
  let distance = <f64>load<f32>(column + ((<usize>atom) << 2));
  for (let t = 0; t < taken; t++) {
    // all at once, since each may be far away in memory
    const other = (<usize>load<u32>(indices + ((<usize>t) << 2))) << 2;
    store<f64>(w + ((<usize>t) << 3), <f64>load<f32>(column + other));
  }
  for (let t = 0; t < taken; t++) {
    const row = factor + ((<usize>t * <usize>p) << 3);
    const entry = (load<f64>(w + ((<usize>t) << 3)) - dot(row, w, t)) * load<f64>(row + ((<usize>t) << 3));
    store<f64>(w + ((<usize>t) << 3), entry);
    distance -= entry * entry;
  }
  if (!(distance > floor)) return 0;
  const inverse = 1.0 / sqrt(distance);
  const row = factor + ((<usize>taken * <usize>p) << 3);
  copy(row, w, taken);
  store<f64>(row + ((<usize>taken) << 3), inverse);
  return inverse;
}

/** to ← `count` f64: most often too few for `memory.copy`, which leaves the kernels. */
function copy(to: usize, from: usize, count: i32): void {
  const end = (<usize>count) << 3;
  for (let i: usize = 0; i < end; i += 8) store<f64>(to + i, load<f64>(from + i));
}

export function dot(a: usize, b: usize, count: i32): f64 {
  let sum = f64x2.splat(0);
  const whole = (<usize>(count & ~1)) << 3;
  for (let i: usize = 0; i < whole; i += 16)
    sum = f64x2.add(sum, f64x2.mul(v128.load(a + i), v128.load(b + i)));
  let result = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  if (count & 1) result += load<f64>(a + whole) * load<f64>(b + whole);
  return result;
}

/** x ← C⁻ᵀ z, by rows of C: each solved entry is eliminated from those before it. */
export function solveTransposed(factor: usize, p: i32, z: usize, x: usize, count: i32): void {
  if (x !== z) copy(x, z, count);
  for (let t = count - 1; t >= 0; t--) {
    const row = factor + ((<usize>t * <usize>p) << 3);
    const value = load<f64>(x + ((<usize>t) << 3)) * load<f64>(row + ((<usize>t) << 3));
    store<f64>(x + ((<usize>t) << 3), value);
    const v = f64x2.splat(value);
    const whole = (<usize>(t & ~1)) << 3;
    for (let i: usize = 0; i < whole; i += 16) {
      v128.store(x + i, f64x2.sub(v128.load(x + i), f64x2.mul(v, v128.load(row + i))));
    }
    if (t & 1) store<f64>(x + whole, load<f64>(x + whole) - value * load<f64>(row + whole));
  }
}

/** v ← the last of `count` rows of C⁻¹; whether 1/‖v‖² is above a floor. Otherwise OLS passes over the atom of that row. */
export function isFarFromSpan(factor: usize, p: i32, v: usize, count: i32, floor: f64): bool {
  inverseRow(factor, p, v, count);
  return 1.0 / dot(v, v, count) > floor;
}

/** v ← the last of `count` rows of C⁻¹: C⁻ᵀe, in place of the zeros before its last entry. */
function inverseRow(factor: usize, p: i32, v: usize, count: i32): void {
  const last = (<usize>(count - 1)) << 3;
  memory.fill(v, 0, last);
  store<f64>(v + last, 1);
  solveTransposed(factor, p, v, v, count);
}
