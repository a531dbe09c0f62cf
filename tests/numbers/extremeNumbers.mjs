/**
 * Every task on arrays of extreme samples, and every function that searches for a number on extreme numbers, in a
 * process of its own: if one does not end, the test that started it ends the process. Prints one line of JSON per
 * outcome: a task, an array, and either "finite", "not finite" or the error.
 */

const dist = new URL("../../dist/", import.meta.url);
const load = (path) => import(new URL(path, dist).href);
const { InputError } = await load("core/errors.js");
const { powerBelow } = await load("core/units.js");
const { SparseColumns } = await load("core/matrix.js");
const { createBase, baseCols, matrixBase } = await load("dictionaries/base.js");
const { createCpuKernels } = await load("kernels/cpu/index.js");
const { createReferenceKernels } = await load("kernels/reference/index.js");
const { chiSquareProbability, chiSquareQuantile } = await load("linalg/chiSquare.js");
const { LogSum } = await load("linalg/logSum.js");
const { Matrix64, norm, normalizeColumns } = await load("linalg/matrix64.js");
const { symmetricEigen } = await load("linalg/symmetricEigen.js");
const { modelToBytes } = await load("model/files.js");
const { Model } = await load("model/model.js");
const { train } = await load("learn/run/train.js");
const { mTermErrors, samplePatches } = await load("tasks/approximate/mTerm.js");
const { representationError } = await load("tasks/approximate/representation.js");
const { Compressor } = await load("tasks/codec/compress.js");
const { decompress } = await load("tasks/codec/decompress.js");
const { quantizeBlock } = await load("tasks/codec/quantize.js");
const { IntegerModel } = await load("tasks/codec/entropy/integerModel.js");
const { BitWriter } = await load("tasks/codec/entropy/rangeCoder.js");
const { decodeSignals, encodeSignals } = await load("tasks/encode/encodeSignals.js");
const { denoise } = await load("tasks/restore/denoise.js");
const { estimateNoise } = await load("tasks/restore/estimateNoise.js");
const { inpaint, missingIn } = await load("tasks/restore/inpaint.js");

const side = 16;
const smooth = (i) => 100 + 50 * Math.sin((i % side) / 3) * Math.cos(Math.floor(i / side) / 4);
const one = (value) => (i) => (i === 70 ? value : smooth(i));
const arrays = {
  smooth,
  zeros: () => 0,
  "all subnormal": (i) => smooth(i) * 1e-44,
  "all 1e-38": (i) => smooth(i) * 1e-40,
  "all 3.3e38": (i) => (i % 2 ? 3.3e38 : -3.3e38),
  "all the largest": () => 3.4028234663852886e38,
  "a constant and 3e38": (i) => (i === 70 ? 3e38 : 100),
  "one 1e37": one(1e37),
  "one 1e10": one(1e10),
  "one -3.4e38": one(-3.4028234663852886e38),
  "half 3.4e38": (i) => (i % 2 ? 3.4028234663852886e38 : smooth(i)),
  "one subnormal": (i) => (i === 70 ? 1e-45 : 0),
  "one NaN": one(Number.NaN),
  "one infinity": one(Infinity),
  "one minus infinity": one(-Infinity),
};
const signalOf = (value) => ({
  name: "a.npy",
  shape: [side, side],
  data: Float32Array.from({ length: side * side }, (_, i) => value(i)),
});

const base = createBase("odct:2", [4, 4]);
const meta = {
  learner: "none",
  options: {},
  seed: 0,
  examplesSeen: 0,
  removeMean: true,
  coding: { sparsity: 3 },
};
const model = new Model(base, SparseColumns.identity(baseCols(base), 1), meta);
const training = { examples: 100, batch: 50 };

const tasks = (kernels) => ({
  async encode(signal) {
    const { codes, signals } = await encodeSignals(model, [signal], { stride: [4, 4], kernels });
    return [codes.X.values, codes.means, (await decodeSignals(model, codes, signals, kernels))[0].data];
  },
  async "encode to an error"(signal) {
    const options = { stride: [4, 4], coding: { error: 1 }, kernels };
    return [(await encodeSignals(model, [signal], options)).codes.X.values];
  },
  async approximate(signal) {
    const patches = await samplePatches([signal], { patch: [4, 4], count: 40, seed: 1, kernels });
    return [await mTermErrors(model, patches, 4, kernels)];
  },
  async represent(signal) {
    const options = { coding: { error: 2 }, examples: 40, seed: 1, removeMean: true, kernels };
    return [[await representationError(model, [signal], options)]];
  },
  async compress({ shape, data }) {
    const compressor = await Compressor.open(model, kernels);
    const { bytes } = await compressor.compress({ shape, data, colour: false }, { psnr: 20 });
    compressor.free();
    return [decompress(bytes, model, "a.tlt").data];
  },
  async denoise(signal) {
    return [(await denoise(signal, { patch: [4, 4], stride: 2, training, kernels })).signals[0].data];
  },
  async "denoise little noise"(signal) {
    return [
      (await denoise(signal, { sigma: 1e-38, patch: [4, 4], stride: 2, training, kernels })).signals[0].data,
    ];
  },
  async "denoise much noise"(signal) {
    return [
      (await denoise(signal, { sigma: 3e38, patch: [4, 4], stride: 2, training, kernels })).signals[0].data,
    ];
  },
  async inpaint(signal) {
    const missing = missingIn(signal).map((gone, i) => (gone || i % 7 === 3 ? 1 : 0));
    return [(await inpaint([{ signal, missing }], { patch: [4, 4], stride: 2, training, kernels }))[0].data];
  },
  async train(signal) {
    const options = { patch: [4, 4], base: "odct:1", ...training, holdout: 0, kernels };
    const learned = await train(signal, options).model();
    return [modelToBytes(learned), learned.A.values];
  },
});

/** Functions of a few numbers that loop until something holds. */
const candidates = (x) => ({
  atoms: Uint32Array.of(0, 1),
  coefficients: Float32Array.of(x, 1),
  gains: Float32Array.of(x, x),
});
const gram = { at: (i, j) => (i === j ? 1 : 0.5), column: () => Float32Array.of(1, 0.5) };
const costs = { atoms: Float64Array.of(3, 3), magnitudes: [1, 2, 3] };
const functions = {
  powerBelow: (x) => powerBelow(x),
  norm: (x) => norm(Float64Array.of(x, 1)),
  normalizeColumns: (x) => normalizeColumns("m", new Matrix64(2, 1, Float64Array.of(x, 1))),
  matrixBase: (x) => matrixBase("m", [2], new Matrix64(2, 1, Float64Array.of(x, 1))),
  "Model.from": (x) => Model.from([[x, 1]], [2]),
  symmetricEigen: (x) => symmetricEigen(new Matrix64(2, 2, Float64Array.of(1, x, x, 1))),
  chiSquareProbability: (x) => chiSquareProbability(x, 3),
  chiSquareQuantile: (x) => chiSquareQuantile(x, 3),
  LogSum(x) {
    const sum = new LogSum();
    for (let i = 0; i < 5; i++) sum.add(x);
    return sum.value;
  },
  quantizeBlock: (x) =>
    quantizeBlock(candidates(x), gram, Uint32Array.of(0, 1), { delta: Math.abs(x), lambda: x * x, costs }),
  IntegerModel: (x) => new IntegerModel().code(new BitWriter(), x, 2 ** 24),
  estimateNoise: (x) => estimateNoise(signalOf(() => x)),
};
const numbers = [
  NaN,
  Infinity,
  -Infinity,
  0,
  -0,
  5e-324,
  1e-310,
  1e-45,
  3.4028234663852886e38,
  3.4e38,
  1.7e308,
  -1,
];

function describe(error) {
  const kind = error instanceof InputError ? "InputError" : error.name;
  return { error: kind, message: error.message };
}

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
for (const [name, run] of Object.entries(functions))
  for (const x of numbers) {
    try {
      await run(x);
      print({ task: name, array: String(x), result: "returned" });
    } catch (error) {
      print({ task: name, array: String(x), ...describe(error) });
    }
  }
const cpu = await createCpuKernels({ threads: 1 });
for (const [device, kernels] of [
  ["reference", createReferenceKernels()],
  ["cpu", cpu],
])
  for (const [task, run] of Object.entries(tasks(kernels)))
    for (const [array, value] of Object.entries(arrays)) {
      try {
        const results = await run(signalOf(value));
        const finite = results.every((values) => Array.from(values).every(Number.isFinite));
        print({ device, task, array, result: finite ? "finite" : "not finite" });
      } catch (error) {
        print({ device, task, array, ...describe(error) });
      }
    }
await cpu.close();
