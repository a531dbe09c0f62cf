import { expect, test } from "vitest";
import { InputError } from "../errors.js";
import type { Signal } from "../signal.js";
import { describeExtreme, extremeLimit, findExtreme } from "./extremes.js";
import { requireNotAllTiny, roundToFloat32 } from "./float32.js";
import { hasGaps, isNodata, markGaps, nodataInSignals, resolveNodata, withGaps } from "./gaps.js";

const signalOf = (...values: number[]): Signal => ({
  name: "a.npy",
  shape: [values.length],
  data: Float32Array.from(values),
});

test("values that mark missing samples are compared after rounding to f32", () => {
  expect(resolveNodata("f", undefined)).toEqual([]);
  expect(resolveNodata("f", [-9999, -9999, Number.NaN])).toEqual([-9999, Number.NaN]);
  const [lowest] = resolveNodata("f", -3.4028235e38);
  expect(isNodata(Math.fround(-3.4028234663852886e38), [lowest])).toBe(true);
  expect(resolveNodata("f", -1.7976931348623157e308)).toEqual([-Infinity]);
  expect(() => resolveNodata("f", "nan" as never)).toThrow(
    new InputError('f: nodata must be a number, or a list of numbers, got "nan"'),
  );
  expect(nodataInSignals(undefined)).toBeUndefined();
  expect(nodataInSignals(-9999)).toEqual([-9999, Number.NaN]);
});

test("a signal with gaps is a copy with NaN; one without is the same", () => {
  const whole = signalOf(1, 2);
  expect(withGaps(whole, [-9999])).toBe(whole);
  const given = signalOf(1, -9999, 3);
  const marked = withGaps(given, [-9999]);
  expect(marked.data).toEqual(Float32Array.of(1, Number.NaN, 3));
  expect(given.data[1]).toBe(-9999);
  expect([hasGaps(marked), hasGaps(given)]).toEqual([true, false]);
  expect(withGaps(marked, [Number.NaN])).toBe(marked);
});

test("NaN and infinity are errors unless they are named", () => {
  for (const value of [Number.NaN, Infinity, -Infinity]) {
    expect(() => withGaps(signalOf(1, value), [])).toThrow(
      `a.npy: samples must be finite, got ${value} at [1]; if it marks missing samples, name it by nodata`,
    );
    expect(() => markGaps("a.npy", [2], Float32Array.of(-9999, value), [-9999])).toThrow(InputError);
    expect(hasGaps(withGaps(signalOf(1, value), [value]))).toBe(true);
  }
});

test("an extreme sample is named with its place; ordinary data have none, at any scale", () => {
  const values = Array.from({ length: 200 }, (_, i) => 100 + 50 * Math.sin(i));
  for (const scale of [1e-30, 1, 1e30]) {
    const ordinary = signalOf(...values.map((v) => v * scale), 0, Number.NaN);
    expect(findExtreme([ordinary])).toBeUndefined();
    expect(extremeLimit([ordinary])).toBeUndefined();
  }
  const extreme = findExtreme([signalOf(...values), signalOf(...values, -3.4028234663852886e38)]);
  expect(extreme && describeExtreme(extreme, "name it")).toBe(
    "a.npy has a sample of -3.4028235e+38 at [200], far beyond the others (below 128); if it marks missing samples, name it",
  );
  expect(findExtreme([signalOf(...values, 1e10)])?.value).toBe(1e10);
  expect(findExtreme([signalOf(...values, 1e7)])).toBeUndefined();
  const half = signalOf(...values, ...values.map((_, i) => (i % 2 ? 1e37 : 1)));
  expect(findExtreme([half])?.value).toBe(Math.fround(1e37));
});

test("f64 beyond the range of f32 is named, unless it marks missing samples", () => {
  const huge = { name: "a.npy", shape: [1, 2], data: Float64Array.of(1, 1e302) };
  expect(() => roundToFloat32(huge)).toThrow("a.npy: sample 1e+302 at [0, 1] is beyond float32 (3.4e38)");
  expect(roundToFloat32(huge, [Infinity])).toEqual(Float32Array.of(1, Infinity));
  const tiny = { name: "a.npy", shape: [2], data: Float64Array.of(1e-300, 0) };
  expect(() => requireNotAllTiny(tiny, roundToFloat32(tiny))).toThrow(/^a.npy: all samples are too small/);
  const zeros = { name: "a.npy", shape: [2], data: new Float64Array(2) };
  requireNotAllTiny(zeros, roundToFloat32(zeros));
  const some = { name: "a.npy", shape: [2], data: Float64Array.of(1e-300, 1) };
  requireNotAllTiny(some, roundToFloat32(some));
});
