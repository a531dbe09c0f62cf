import { describe, expect, it } from "vitest";
import type { Input } from "../inputKinds.js";
import { describeInputs, hintAtColumns } from "./describeInputs.js";

const array = (path: string, shape: number[], more: Partial<Input> = {}): Input =>
  ({ kind: "npy", path, shape, ...more }) as Input;
const image = (path: string): Input => ({ kind: "image", path });
const within = { file: "data/set.npz", offset: 0, length: 1 };

describe("describeInputs", () => {
  it.each<[string, Input[], Parameters<typeof describeInputs>[1]]>([
    [
      "256 signals of 843 samples from X in set.npz",
      [array("data/set.npz[X]", [256, 843], { within })],
      [
        { name: "data/set.npz[X]", shape: [843], count: 200, from: 0, part: "signals" },
        { name: "data/set.npz[X]", shape: [843], count: 56, from: 200, part: "signals" },
      ],
    ],
    [
      "1 signal of 800x1000 from scan.npy",
      [array("a/scan.npy", [800, 1000])],
      [{ name: "a/scan.npy", shape: [800, 1000] }],
    ],
    [
      "1 signal of 800x1000 from scan.npy",
      [array("scan.npy", [800, 1000])],
      [
        { name: "scan.npy", shape: [500, 1000], count: 1, from: 0, part: "rows" },
        { name: "scan.npy", shape: [307, 1000], count: 1, from: 493, part: "rows" },
      ],
    ],
    [
      "843 signals of 256 samples from the columns of set.csv (without its header)",
      [
        array("set.csv", [256, 843], {
          kind: "csv",
          columns: true,
          leftOut: "without its header",
        } as Partial<Input>),
      ],
      [{ name: "set.csv", shape: [256], count: 843, from: 0, part: "signals" }],
    ],
    [
      "2 channels of 1,000 samples from x.wav",
      [array("x.wav", [2, 1000], { kind: "wav" } as Partial<Input>)],
      [0, 1].map((from) => ({ name: "x.wav", shape: [1000], from, part: "signals" as const })),
    ],
    [
      "2 channels of 1,000 samples from x.wav",
      [array("x.wav", [2, 1000], { kind: "wav" } as Partial<Input>)],
      [0, 493, 0, 493].map((from) => ({
        name: "x.wav",
        shape: [from ? 507 : 500],
        from,
        part: "rows" as const,
      })),
    ],
    ["1 picture of 64x48 from a.png", [image("p/a.png")], [{ name: "p/a.png", shape: [64, 48] }]],
    [
      "2 pictures, 0.2 megapixels each",
      [image("a.png"), image("b.png")],
      [
        { name: "a.png", shape: [321, 481] },
        { name: "b.png", shape: [481, 321] },
      ],
    ],
    [
      "2 pictures, 0.01 to 12 megapixels",
      [image("a.png"), image("b.png")],
      [
        { name: "a.png", shape: [100, 100] },
        { name: "b.png", shape: [3000, 4000] },
      ],
    ],
    [
      "3 pictures of 9x8 from s.tif",
      [image("s.tif")],
      [{ name: "s.tif", shape: [9, 8], count: 3, from: 0, part: "signals" }],
    ],
    [
      "3 pictures of 9x8 from s.tif",
      [image("s.tif")],
      [0, 1, 2].map((page) => ({ name: `s.tif[${page}]`, shape: [9, 8] })),
    ],
    ["1 stack of pages of 54x9x8 from s.tif", [image("s.tif")], [{ name: "s.tif", shape: [54, 9, 8] }]],
    [
      "1 picture of 9x8 from s.png; 3 signals of 90 to 110 samples from 2 files",
      [image("s.png"), array("a.npy", [2, 90]), array("b.npy", [110])],
      [
        { name: "s.png", shape: [9, 8] },
        { name: "a.npy", shape: [90], count: 2, from: 0, part: "signals" },
        { name: "b.npy", shape: [110] },
      ],
    ],
  ])("%s", (line, inputs, signals) => {
    expect(describeInputs(inputs, signals)).toBe(line);
  });
});

describe("hintAtColumns", () => {
  it("names arrays whose columns have the size of the patch, and whose rows do not", () => {
    expect(hintAtColumns([image("a.png"), array("x.npy", [256, 843])], [256])).toBe(
      "x.npy is 256x843: read as 256 signals of 843 samples; if each column is a signal, --signals columns reads 843 signals of 256 samples",
    );
    expect(hintAtColumns([array("x.npy", [64, 64, 500])], [64, 64])).toMatch(/reads 500 signals of 64x64$/);
  });

  it("is silent about all others", () => {
    expect(hintAtColumns([array("x.npy", [843, 256])], [256])).toBeUndefined();
    expect(hintAtColumns([array("x.npy", [256, 256])], [256])).toBeUndefined();
    expect(hintAtColumns([array("x.npy", [256, 843])], [64])).toBeUndefined();
    expect(
      hintAtColumns([array("x.npy", [256, 843], { columns: true } as Partial<Input>)], [256]),
    ).toBeUndefined();
    expect(hintAtColumns([array("x.npy", [256, 843])], [16, 16])).toBeUndefined();
  });
});
