import { describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import type { DenseMatrix } from "../core/matrix.js";
import { Rng } from "../core/random/rng.js";
import { formatShape, type Shape, sizeOf } from "../core/shape.js";
import { dot, explicitBase, magnitudes, randomDense, wide } from "../kernels/conformance/oracle.case.js";
import { sumTolerance } from "../kernels/conformance/tolerance.js";
import type { DeviceMatrix } from "../kernels/contract.js";
import { createReferenceKernels } from "../kernels/reference/index.js";
import { Matrix64 } from "../linalg/matrix64.js";
import { wavelet } from "../wavelets/filters.js";
import { transformRounding, unitRoundoff } from "../wavelets/rounding.case.js";
import { maxLevels } from "../wavelets/transform.js";
import {
  baseCols,
  baseForms,
  baseRows,
  channelledBase,
  createBase,
  defaultBase,
  defaultBaseFor,
  matrixBase,
} from "./base.js";

const separable = [
  "cropped:sym8",
  "cropped:haar",
  "separable:sym8",
  "separable:db3",
  "separable:bior4.4",
  "cropped:rbio2.2",
  "odct:1",
  "odct:2",
  "odct:1.3",
  "identity",
];
const whole = ["wavelet:db2", "wavelet:sym8:periodic", "wavelet:db2:symmetric", "wavelet:haar:zero"];
const pictures = ["contourlet", "contourlet:4", "cropped-contourlet", "cropped-contourlet:2"];
const shapes: Shape[] = [[1], [2], [7], [16], [31], [5, 8], [6, 1], [1, 9], [6, 4], [3, 4, 5], [2, 2, 3]];
const fits = (name: string, shape: Shape) =>
  !pictures.includes(name) ||
  (shape.length === 2 && (name.startsWith("cropped") || shape.every((size) => size % 2 === 0)));
const cases = [...separable, ...whole, ...pictures].flatMap((name) =>
  shapes
    .filter((shape) => fits(name, shape))
    .map((shape) => ({ name, shape, text: `${name} for ${formatShape(shape)}` })),
);

describe.each(cases)("$text", ({ name, shape }) => {
  const base = createBase(name, shape);
  const kernels = createReferenceKernels();
  const rng = Rng.from(1).split(`${name} ${shape}`);

  /** What an operation makes of a matrix. */
  async function applied(
    rows: number,
    matrix: DenseMatrix,
    operation: (from: DeviceMatrix, to: DeviceMatrix) => Promise<void>,
  ): Promise<DenseMatrix> {
    const [from, to] = [kernels.matrix(matrix.rows, matrix.cols), kernels.matrix(rows, matrix.cols)];
    await kernels.writeMatrix(from, matrix);
    await operation(from, to);
    return kernels.readMatrix(to);
  }

  test("has one factor per axis, or a single one, with unit columns", () => {
    expect(base.name).toBe(name);
    expect(base.shape).toEqual(shape);
    expect(base.factors.map((factor) => factor.rows)).toEqual(
      separable.includes(name) ? shape : [sizeOf(shape)],
    );
    expect(baseRows(base)).toBe(sizeOf(shape));
    expect(baseCols(base)).toBe(base.factors.reduce((product, { cols }) => product * cols, 1));
    for (const factor of base.factors) {
      for (let j = 0; j < factor.cols; j++) {
        const asMade = name.startsWith("separable") && factor.rows % 2 === 0;
        const bound = asMade
          ? 2 * transformRounding(wavelet(name.slice(10)), maxLevels(factor.rows)) // not normalised: orthogonal as made
          : (factor.rows + 4) * unitRoundoff;
        expect(Math.abs(Math.hypot(...factor.column(j)) - 1)).toBeLessThanOrEqual(bound);
      }
    }
  });

  test("is kron(φ₀, φ₁, …), and its analysis is the adjoint of its synthesis", async () => {
    const phi = explicitBase(base.factors);
    const device = kernels.base(base.factors);
    const C = randomDense(rng, phi.cols, 2);
    const Y = randomDense(rng, phi.rows, 2);
    const V = await applied(phi.rows, C, (from, to) => kernels.synthesize(device, from, to));
    const Z = await applied(phi.cols, Y, (from, to) => kernels.analyze(device, from, to));
    const exactV = phi.times(wide(C));
    const exactZ = phi.transpose().times(wide(Y));
    const size = magnitudes(phi);
    const sizeV = size.times(magnitudes(wide(C)));
    const sizeZ = size.transpose().times(magnitudes(wide(Y)));
    // sums in f64 and one rounding to f32
    V.data.forEach((value, i) => {
      expect(Math.abs(value - exactV.data[i])).toBeLessThanOrEqual(sumTolerance(0, sizeV.data[i]));
    });
    Z.data.forEach((value, i) => {
      expect(Math.abs(value - exactZ.data[i])).toBeLessThanOrEqual(sumTolerance(0, sizeZ.data[i]));
    });
    for (let i = 0; i < 2; i++) {
      const bound = 2 * dot(sizeV.column(i), Y.column(i).map(Math.abs));
      expect(Math.abs(dot(V.column(i), Y.column(i)) - dot(C.column(i), Z.column(i)))).toBeLessThanOrEqual(
        sumTolerance(0, bound),
      );
    }
  });
});

describe("orthonormal bases", () => {
  test.each([1, 2, 3, 8, 13, 32, 64])("include odct:1 of size %i", (n) => {
    // the argument of a cosine is at most πn, off by 3u of itself; n products of entries of √(2/n), mean removal besides
    expectOrthonormal(createBase("odct:1", [n]).factors[0], 16 * Math.PI * n * unitRoundoff);
  });

  test.each(["haar", "db2", "sym8", "coif1"])(
    "include separable:%s of an even size, as deep as the size can be halved",
    (name) => {
      for (const n of [1, 2, 4, 6, 8, 12, 32, 40]) {
        const bound = 3 * Math.sqrt(n) * transformRounding(wavelet(name), maxLevels(n));
        expectOrthonormal(createBase(`separable:${name}`, [n]).factors[0], bound);
      }
    },
  );

  test.each(["haar", "db2", "sym8"])("include wavelet:%s of even sizes", (name) => {
    for (const shape of [[8], [4, 6], [2, 4, 8]]) {
      const bound = 10 * Math.sqrt(sizeOf(shape)) * transformRounding(wavelet(name), 3);
      expectOrthonormal(createBase(`wavelet:${name}`, shape).factors[0], bound);
    }
  });

  test("include the identity", () => {
    expect(createBase("identity", [3, 2]).factors).toEqual([Matrix64.identity(3), Matrix64.identity(2)]);
  });

  function expectOrthonormal(phi: Matrix64, bound: number): void {
    expect(phi.cols).toBe(phi.rows);
    const gram = phi.transpose().times(phi);
    const identity = Matrix64.identity(phi.cols);
    gram.data.forEach((value, i) => {
      expect(Math.abs(value - identity.data[i])).toBeLessThanOrEqual(bound);
    });
  }
});

describe("the overcomplete DCT", () => {
  test.each([
    [8, 2, 16],
    [8, 1, 8],
    [8, 0.5, 4],
    [11, 1.5, 17],
    [1, 4, 1],
    [5, 0.01, 1],
  ])("of size %i and redundancy %f has %i atoms", (size, redundancy, atoms) => {
    expect(createBase(`odct:${redundancy}`, [size]).factors[0].cols).toBe(atoms);
  });

  test("has cosines of rising frequency: the first constant, the others of mean zero", () => {
    const phi = createBase("odct:2", [12]).factors[0];
    phi.column(0).forEach((value) => {
      expect(Math.abs(value - 1 / Math.sqrt(12))).toBeLessThanOrEqual(4 * unitRoundoff);
    });
    for (let j = 1; j < phi.cols; j++) {
      const column = [...phi.column(j)];
      expect(Math.abs(column.reduce((sum, value) => sum + value, 0))).toBeLessThanOrEqual(24 * unitRoundoff);
      // j half-turns over L = 24 samples are j/2 over the 12 that are kept
      const signs = column.map(Math.sign).filter((sign) => sign !== 0);
      const changes = signs.filter((sign, i) => i > 0 && sign !== signs[i - 1]).length;
      expect(Math.abs(changes - j / 2)).toBeLessThanOrEqual(1);
    }
  });
});

describe("createBase", () => {
  test("accepts the default name and every form in baseForms", () => {
    expect(createBase(defaultBase, [8]).factors[0].cols).toBe(16);
    for (const form of baseForms) {
      const name = form
        .replace(/\[.*\]/, "")
        .replace("WAVELET", "haar")
        .replace("REDUNDANCY", "2");
      expect(createBase(name, [8, 8]).name).toBe(name);
    }
  });

  test.each([
    "",
    "cropped",
    "croped:sym8",
    "identity:2",
    "cropped:sym8:2",
    "wavelet",
    "wavelet:haar:zero:2",
    "contourlet:4:4",
    ":",
    "odct",
    "toString",
    "__proto__:x",
  ])("rejects the unknown name %o", (name) => {
    expect(() => createBase(name, [8])).toThrow(
      new InputError(`createBase: unknown base ${JSON.stringify(name)}; known: ${baseForms.join(", ")}`),
    );
  });

  test("rejects unknown wavelets and redundancies", () => {
    expect(() => createBase("cropped:sym99", [8])).toThrow(
      new InputError(
        'createBase: unknown wavelet "sym99"; known: haar, db1…db20, sym2…sym20, coif1…coif5, bior1.1…bior6.8, rbio1.1…rbio6.8, dmey',
      ),
    );
    expect(() => createBase("separable:", [8])).toThrow(InputError);
    expect(() => createBase("odct:0", [8])).toThrow(
      new InputError('createBase: redundancy of odct must be a number above 0, at most 64, got "0"'),
    );
    for (const argument of ["", "two", "-1", "Infinity", "NaN"]) {
      expect(() => createBase(`odct:${argument}`, [8])).toThrow(/^createBase: redundancy of odct must be /);
    }
  });

  test("rejects unknown borders, and directions that are not powers of 2", () => {
    expect(() => createBase("wavelet:haar:mirror", [8])).toThrow(
      new InputError('createBase: unknown border "mirror"; known: periodic, symmetric, zero'),
    );
    for (const list of ["", "4,,8", "x", "3", "0", "-4", "2.5"])
      expect(() => createBase(`contourlet:${list}`, [8, 8])).toThrow(
        /must be powers of 2, one per level, got/,
      );
    expect(() => createBase("contourlet", [8])).toThrow(/contourlets need a patch of 2 axes, got 8/);
  });

  test("rejects invalid shapes", () => {
    for (const shape of [[], [0], [2.5], [3, -1]]) {
      expect(() => createBase("identity", shape)).toThrow(/^createBase: shape must be one or more positive/);
    }
  });
});

describe("one base per axis", () => {
  test("has the factors of each name along its axis", () => {
    const base = createBase("cropped:haar, odct:2,identity", [6, 4, 3]);
    expect(base.name).toBe("cropped:haar,odct:2,identity");
    ["cropped:haar", "odct:2", "identity"].forEach((name, axis) => {
      expect(base.factors[axis]).toEqual(createBase(name, [base.shape[axis]]).factors[0]);
    });
  });

  test("is the usual base if all names are the same", () => {
    expect(createBase("odct:2,odct:2", [4, 5]).factors).toEqual(createBase("odct:2", [4, 5]).factors);
  });

  test("is odct:1 along channels by default", () => {
    expect(defaultBaseFor([8, 8, 3])).toBe("cropped:sym8,cropped:sym8,odct:1");
    expect(defaultBaseFor([6, 6, 6, 2], "odct:2")).toBe("odct:2,odct:2,odct:2,odct:1");
    for (const shape of [[8], [8, 3], [3, 8, 8], [4, 4, 4], [8, 8, 5]])
      expect(defaultBaseFor(shape)).toBe("cropped:sym8");
  });

  test("of channels completes the base of a plane, separable or not", () => {
    const mixing = createBase("odct:1", [3]).factors[0];
    for (const name of ["odct:2", "contourlet", "contourlet:2,4", "odct:2,identity"]) {
      const { factors } = channelledBase(name, [8, 8, 3]);
      expect(factors).toEqual([...createBase(name, [8, 8]).factors, mixing]);
    }
    expect(channelledBase("odct:2", [8, 8, 3]).name).toBe("odct:2,odct:2,odct:1");
    const given = "odct:2,odct:1,identity";
    expect(channelledBase(given, [8, 8, 3])).toEqual(createBase(given, [8, 8, 3]));
  });

  test("rejects too few names, too many, and bases of the whole signal", () => {
    expect(() => createBase("odct:2,identity", [4, 4, 3])).toThrow(
      new InputError(
        'createBase: base must be one name, or one for each of the 3 axes of 4x4x3, got "odct:2,identity"',
      ),
    );
    expect(() => createBase("odct:2,wavelet:haar", [4, 4])).toThrow(
      /^createBase: base of one axis must be cropped:WAVELET, .* or identity, got "wavelet:haar"$/,
    );
    expect(() => createBase("odct:2,croped:sym8", [4, 4])).toThrow(/^createBase: unknown base "croped:sym8"/);
  });
});

describe("matrixBase", () => {
  test("makes a base with unit columns, and does not change the matrix", () => {
    const matrix = new Matrix64(4, 2, Float64Array.of(3, 0, 4, 0, 0, 2, 0, 0));
    const { factors, shape } = matrixBase("mine", [2, 2], matrix);
    expect(shape).toEqual([2, 2]);
    expect([...factors[0].data]).toEqual([0.6, 0, 0.8, 0, 0, 1, 0, 0]);
    expect(matrix.data[0]).toBe(3);
  });

  test("rejects a matrix that does not fit the patch or has a zero column", () => {
    expect(() => matrixBase("mine", [2, 3], new Matrix64(4, 2))).toThrow(
      new InputError("matrixBase: mine must have 6 rows for patches of 2x3 and one column per atom, got 4x2"),
    );
    expect(() => matrixBase("mine", [2], Matrix64.identity(2).times(new Matrix64(2, 1)))).toThrow(
      new InputError("mine: column 0 must not be zero"),
    );
  });
});
