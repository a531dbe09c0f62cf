import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { makeSignal, type Signal } from "../../core/signal.js";
import { signalsFrom, sourceOf } from "./signalSource.js";

const picture = makeSignal("picture", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
const from = (data: unknown, patch: number[] = [2, 2]) => signalsFrom("train", data as never, patch);

describe("signalsFrom", () => {
  test("takes several signals as they are, and one as a list of one", () => {
    const several = [picture, picture];
    expect(from(several)).toEqual(several);
    expect((from(several) as Signal[])[0].data).toBe(picture.data);
    expect(from(picture)).toEqual([picture]);
  });

  test("hands a source through", () => {
    const source = sourceOf([picture]);
    expect(from(source)).toBe(source);
  });

  test.each([
    Float32Array.of(1, 2, 3),
    Float64Array.of(1, 2, 3),
    Uint8Array.of(1, 2, 3),
    Int16Array.of(1, 2, 3),
  ])("takes %o as a 1-D signal", (data) => {
    expect(from(data, [2])).toEqual([makeSignal("data", [3], Float32Array.of(1, 2, 3))]);
  });

  test("takes several typed arrays, each a signal of its own", () => {
    const signals = from([Float32Array.of(1), Int8Array.of(2, 3)], [1]);
    expect(signals).toEqual([
      makeSignal("data[0]", [1], Float32Array.of(1)),
      makeSignal("data[1]", [2], Float32Array.of(2, 3)),
    ]);
  });

  test("takes an array with as many axes as the patch as one signal", () => {
    const data = Uint8Array.of(1, 2, 3, 4, 5, 6);
    expect(from({ shape: [2, 3], data })).toEqual([
      makeSignal("data", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)),
    ]);
  });

  test("counts signals by the first axis of an array with one axis more than the patch", () => {
    const data = Float64Array.of(1, 2, 3, 4, 5, 6);
    const rows = from({ shape: [2, 3], data, name: "rows" }, [2]);
    expect(rows).toEqual([
      makeSignal("rows[0]", [3], Float32Array.of(1, 2, 3)),
      makeSignal("rows[1]", [3], Float32Array.of(4, 5, 6)),
    ]);
  });

  test.each([
    [[], "train: data must hold at least one signal, got none"],
    [
      "photos",
      'train: data must be a signal, several signals, a typed array or an array { shape, data }, got "photos"; train of trainlets/node reads files',
    ],
    [
      [1, 2, 3],
      "train: data[0] must be a signal, several signals, a typed array or an array { shape, data }, got 1",
    ],
    [
      null,
      "train: data must be a signal, several signals, a typed array or an array { shape, data }, got null",
    ],
    [
      { shape: [2], data: [1, 2] },
      "train: data must be a signal, several signals, a typed array or an array { shape, data }, got an Object",
    ],
    [{ shape: [4], data: Float32Array.of(1) }, "data: shape 4 must have 4 samples, got 1"],
    [
      { shape: [1], data: Float32Array.of(NaN) },
      "data: samples must be finite, got NaN at [0]; if it marks missing samples, name it by nodata",
    ],
  ])("refuses %j", (data, message) => {
    expect(() => from(data)).toThrow(new InputError(message));
  });
});
