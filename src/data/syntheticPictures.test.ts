import { describe, expect, it } from "vitest";
import { Rng } from "../core/random/rng.js";
import type { Signal } from "../core/signal.js";
import { crc32 } from "./formats/checksums.js";
import { deadLeaves, syntheticPictures } from "./syntheticPictures.js";

const checksum = ({ data }: Signal) => crc32(new Uint8Array(data.buffer));

/** Root mean square of the samples of 12×12 patches without their means. */
function patchDeviation({ shape, data }: Signal): number {
  const [height, width] = shape;
  let sum = 0;
  let count = 0;
  for (let top = 0; top + 12 <= height; top += 12) {
    for (let left = 0; left + 12 <= width; left += 12) {
      const patch = Array.from(
        { length: 144 },
        (_, i) => data[(top + Math.floor(i / 12)) * width + left + (i % 12)],
      );
      const mean = patch.reduce((a, b) => a + b) / 144;
      sum += patch.reduce((a, b) => a + (b - mean) ** 2, 0);
      count += 144;
    }
  }
  return Math.sqrt(sum / count);
}

/** Mean squared difference of pixels `lag` columns apart. */
function variogram({ shape, data }: Signal, lag: number): number {
  const width = shape[1];
  let sum = 0;
  let count = 0;
  for (let i = 0; i + lag < data.length; i++) {
    if ((i % width) + lag >= width) continue;
    sum += (data[i] - data[i + lag]) ** 2;
    count++;
  }
  return sum / count;
}

describe("deadLeaves", () => {
  it("gives the same bits from the same seed, on every machine", () => {
    const picture = () => deadLeaves(Rng.from(7), { width: 48, height: 32 });
    expect(picture().shape).toEqual([32, 48]);
    expect(checksum(picture())).toBe(checksum(picture()));
    expect(checksum(picture())).toBe(0x62fd65a2);
  });

  it("covers every pixel with tones from 0 to 255, for any size", () => {
    for (const [width, height] of [
      [1, 1],
      [3, 50],
      [64, 64],
    ] as const) {
      const { data } = deadLeaves(Rng.from(1), { width, height });
      expect(data.every((value) => value >= 0 && value <= 255)).toBe(true);
    }
    const { data } = deadLeaves(Rng.from(1), { width: 64, height: 64 });
    expect(new Set(data).size).toBeGreaterThan(1000);
  });

  it("has patches as varied as those of photographs", () => {
    // Lena has 20.5, the median of 22 photographs is 23.7, peppers has 30.3.
    for (const picture of syntheticPictures(1, 4, 128)) {
      expect(patchDeviation(picture)).toBeGreaterThan(15);
      expect(patchDeviation(picture)).toBeLessThan(40);
    }
  });

  it("is smooth nearby and differs far away, as photographs do", () => {
    const picture = deadLeaves(Rng.from(3), { width: 256, height: 256 });
    const [near, mid, far] = [1, 8, 64].map((lag) => variogram(picture, lag));
    expect(near).toBeLessThan(0.35 * mid);
    expect(mid).toBeLessThan(far);
  });

  it("uses the given radii: larger leaves have fewer edges", () => {
    const near = (minRadius: number) =>
      variogram(deadLeaves(Rng.from(2), { width: 128, height: 128, minRadius, maxRadius: 40 }), 1);
    expect(near(20)).toBeLessThan(near(2));
  });

  it("rejects sizes and radii that make no picture", () => {
    const draw = (options: object) => () => deadLeaves(Rng.from(1), { width: 8, height: 8, ...options });
    expect(draw({ width: 0 })).toThrow("deadLeaves: width must be an integer from 1 to 16384, got 0");
    expect(draw({ minRadius: 0.1 })).toThrow(
      "deadLeaves: minRadius must be a number of at least 0.5, got 0.1",
    );
    expect(draw({ minRadius: Number.NaN })).toThrow(
      "deadLeaves: minRadius must be a number of at least 0.5, got NaN",
    );
    expect(draw({ minRadius: 4, maxRadius: 3 })).toThrow(
      "deadLeaves: maxRadius must be a number of at least minRadius (4), got 3",
    );
  });
});

describe("syntheticPictures", () => {
  it("draws each picture from the seed and its number alone", () => {
    const three = syntheticPictures(5, 3, 24);
    expect(syntheticPictures(5, 2, 24).map(checksum)).toEqual(three.slice(0, 2).map(checksum));
    expect(new Set([...three, ...syntheticPictures(6, 3, 24)].map(checksum)).size).toBe(6);
    expect(three[1].name).toBe("synthetic 5/1");
    expect(three[1].shape).toEqual([24, 24]);
  });

  it("rejects an invalid count", () => {
    expect(() => syntheticPictures(5, -1, 24)).toThrow(
      "syntheticPictures: count must be an integer of at least 0, got -1",
    );
  });
});
