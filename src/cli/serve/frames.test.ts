import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.js";
import { type Frame, FrameReader, frameParts } from "./frames.js";

const head = { method: "code", text: "Φ" };
const arrays = {
  D: { shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) },
  empty: { shape: [0, 3], data: new Float32Array(0) },
  counts: { shape: [3], data: Uint32Array.of(7, 8, 4_000_000_000) },
  bytes: { shape: [5], data: Uint8Array.of(1, 2, 3, 4, 255) },
};

/** What a reader makes of bytes that come a few at a time. */
function framesOf(bytes: Uint8Array, step: number): { frames: Frame[]; reader: FrameReader } {
  const frames: Frame[] = [];
  const reader = new FrameReader((frame) => frames.push(frame));
  for (let at = 0; at < bytes.length; at += step) reader.push(bytes.subarray(at, at + step));
  return { frames, reader };
}

const bytesOf = (...frame: Parameters<typeof frameParts>): Uint8Array => Buffer.concat(frameParts(...frame));

/** A message with this text. */
function textFrame(text: string): Uint8Array {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(text)]);
  bytes.writeUInt32LE(Buffer.byteLength(text));
  return bytes;
}

describe("frames", () => {
  it.each([1, 3, 4, 7, 1000])("come out as they went in, in chunks of %i bytes", (step) => {
    const { frames, reader } = framesOf(
      Buffer.concat([bytesOf(head, arrays), bytesOf({ last: true }), bytesOf({}, { D: arrays.empty })]),
      step,
    );
    expect(frames.map((frame) => frame.head)).toEqual([head, { last: true }, {}]);
    expect(Object.fromEntries(frames[0].arrays)).toEqual(arrays);
    expect(frames[1].arrays.size).toBe(0);
    expect(frames[2].arrays.get("D")).toEqual(arrays.empty);
    expect(reader.isInside).toBe(false);
  });

  it("are known to be incomplete", () => {
    const whole = bytesOf(head, arrays);
    for (const length of [1, 4, 20, whole.length - 1]) {
      const { frames, reader } = framesOf(whole.subarray(0, length), 1000);
      expect({ frames: frames.length, inside: reader.isInside }).toEqual({ frames: 0, inside: true });
    }
  });

  it.each([
    ["no text", Buffer.alloc(4), "a text of 0 bytes"],
    ["a text of 4 GB", Buffer.from("ffffffff", "hex"), "a text of 4294967295 bytes"],
    ["something else", textFrame("hello"), "its text is not a JSON object"],
    ["a list", textFrame("[]"), "its text is not a JSON object"],
    ["no arrays", textFrame("{}"), "it does not list its arrays"],
    ["an unknown type", textFrame('{"arrays":[{"name":"D","type":"<c8","shape":[1]}]}'), "is not described"],
    ["a shape below 0", textFrame('{"arrays":[{"name":"D","type":"<f4","shape":[-1]}]}'), "is not described"],
  ])("refuse %s", (_, bytes, message) => {
    expect(() => framesOf(bytes, 1000)).toThrow(InputError);
    expect(() => framesOf(bytes, 1000)).toThrow(message);
  });
});
