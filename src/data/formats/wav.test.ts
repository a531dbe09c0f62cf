import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.js";
import { type SoundFile, wavOf } from "./wav.case.js";
import { readWav } from "./wav.js";

const read = (file: SoundFile) => readWav(wavOf(file), "x.wav");
const mono = { channels: 1, samples: "int16", values: [0, 1, -1, 32767, -32768] } as const;

/** Values that each kind of sample can hold exactly. */
const ranges = { uint8: 7, int16: 15, int24: 23, int32: 31 } as const;

describe("readWav", () => {
  it("returns the values of every kind of sample, channel by channel", async () => {
    const file = fc.record({
      channels: fc.integer({ min: 1, max: 4 }),
      frames: fc.integer({ min: 0, max: 9 }),
      samples: fc.constantFrom<SoundFile["samples"]>(
        "uint8",
        "int16",
        "int24",
        "int32",
        "float32",
        "float64",
      ),
      form: fc.constantFrom("RIFF", "RIFX", "RF64"),
      extensible: fc.boolean(),
      before: fc.array(fc.tuple(fc.constantFrom("LIST", "bext", "fact"), fc.integer({ min: 0, max: 30 })), {
        maxLength: 3,
      }),
      seed: fc.double({ min: -1, max: 1, noNaN: true }),
    });
    const property = fc.asyncProperty(file, async ({ frames, seed, form, ...rest }) => {
      const { channels, samples } = rest;
      const bits = samples in ranges ? ranges[samples as keyof typeof ranges] : undefined;
      const value = (i: number) => {
        const x = Math.sin(seed * 50 + i);
        return bits === undefined ? Math.fround(x) : Math.floor(x * 2 ** bits);
      };
      const values = Array.from({ length: frames * channels }, (_, i) => value(i));
      if (bits !== undefined && frames > 0) values.splice(0, 1, -(2 ** bits));
      const { shape, data } = await read({ ...rest, form: form as "RIFF", values });
      expect(shape).toEqual(channels === 1 ? [frames] : [channels, frames]);
      const expected = Array.from({ length: channels }, (_, c) =>
        values.filter((_, i) => i % channels === c),
      );
      expect([...(data as Float32Array)]).toEqual(expected.flat());
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it("reads up to the end of the file if a program did not know the size", async () => {
    const { data } = await read({ ...mono, declared: 0xffffffff });
    expect([...(data as Int16Array)]).toEqual(mono.values);
  });

  it.each([
    ["not a .wav file", new TextEncoder().encode("RIFFxxxxAVI LIST")],
    ["not a .wav file", new Uint8Array(3)],
    ["truncated .wav: its header says 100 bytes, 10 left", wavOf({ ...mono, declared: 100 })],
    ["truncated .wav: it has no samples", wavOf({ ...mono, values: [] }).subarray(0, 36)],
    [
      "must hold PCM or floating-point samples, got µ-law; convert it to PCM first",
      wavOf({ ...mono, tag: 7 }),
    ],
    [
      "must hold PCM or floating-point samples, got format 9; convert it to PCM first",
      wavOf({ ...mono, tag: 9 }),
    ],
    ["damaged .wav: 0 × 16 bits in frames of 0 bytes", wavOf({ ...mono, channels: 0 })],
    ["damaged .wav: 1 × 16 bits in frames of 2 bytes", wavOf({ ...mono, tag: 3 })],
  ])("refuses: %s", async (message, bytes) => {
    await expect(readWav(bytes, "x.wav")).rejects.toThrow(new InputError(`x.wav: ${message}`));
  });

  it("refuses or reads every beginning of a file", async () => {
    const bytes = wavOf({ ...mono, form: "RF64", extensible: true, before: [["LIST", 9]] });
    for (let length = 0; length < bytes.length; length++)
      await expect(readWav(bytes.subarray(0, length), "x.wav")).rejects.toBeInstanceOf(InputError);
  });
});
