/**
 * Every public function, called as plain JavaScript may call it: with arguments and options of
 * the wrong type, or with options that it does not have. It must refuse them with an
 * `InputError` that names the argument, before any work; never with a message of the engine.
 *
 * A function that is exported but has no row here fails the test.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as library from "../src/index.js";
import { createReferenceKernels } from "../src/kernels/reference/index.js";
import * as node from "../src/node.js";
import * as parts from "../src/parts.js";

const { DenseMatrix, Model, createBase, makeNpy, makeSignal, InputError } = library;
const { Matrix64, Rng, SparseColumns } = parts;

const folder = mkdtempSync(join(tmpdir(), "trainlets-types-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const kernels = createReferenceKernels();
const [picture] = library.syntheticPictures(1, 1, 16);
const base = createBase("odct:1", [4, 4]);
const atoms = DenseMatrix.identity(16);
const model = Model.from(atoms, [4, 4], { coding: { sparsity: 2 } });
const codes = await model.encode(new DenseMatrix(16, 3), { sparsity: 2 }, kernels);
const modelBytes = library.modelToBytes(model);
const encoded = await library.encodeSignals(model, [picture], { stride: [4, 4], kernels });
const array = makeNpy([2, 2], new Float32Array(4).fill(1));
const sampled = { shape: [16, 16], data: new Float32Array(256), colour: false };
const compressor = await library.Compressor.open(model, kernels);
const compressed = await compressor.compress(sampled, { psnr: 20 });
const dictionary = await parts.SparseDictionary.ofBase(base, kernels);
const osdlOptions = { atomSparsity: 1, coding: { sparsity: 2 }, batch: 8 };
const state = parts.createOsdl(dictionary, osdlOptions, kernels);
const Y = kernels.matrix(16, 8);
const encoder = new parts.Encoder(dictionary, { sparsity: 2, residualEnergy: 0 }, 8, kernels);
const store = kernels.signals([picture]);
const windows = { signal: new Uint32Array(2), start: new Uint32Array(2) };
const chart = {
  title: "t",
  x: { label: "x" },
  y: { label: "y" },
  series: [
    {
      label: "s",
      points: [
        { x: 1, y: 2 },
        { x: 2, y: 3 },
      ],
    },
  ],
};
const wavelet = parts.wavelet("haar");
const cropping = parts.croppingOf(4, wavelet);
const tally = new parts.Tally(16, kernels);
const work = { update: async () => {}, free: () => {} };
const explicitState = { dictionary, encoder, tally, residual: Y };
const checkpointSource = { name: "c", size: 3, read: async () => new Uint8Array(3) };
const incomplete = { signal: picture, missing: new Uint8Array(256) };
const file = join(folder, "x.npy");
await node.writeFileAtomic(file, library.writeNpy(makeNpy([16, 16], picture.data)));
const colourPicture = makeSignal("c", [4, 4, 3], new Float32Array(48));

/** Arguments in their order; an options object stands for its own names, too. */
interface Row {
  readonly call: (...args: never[]) => unknown;
  readonly args: Readonly<Record<string, unknown>>;
  /** Arguments that may be left out. */
  readonly optional?: readonly string[];
  /** The argument whose properties are options, of which each is tried. */
  readonly options?: string;
  /** Wrong values that are right for an argument: `list` for one that takes a list, for example. */
  readonly accepts?: Readonly<Record<string, readonly (keyof typeof wrongValues)[]>>;
  /** What messages call an argument, where it is not its name; a pattern. */
  readonly called?: Readonly<Record<string, string>>;
}

/** One of each type. */
const wrongValues = {
  text: "wrong",
  number: 12345.678,
  NaN: Number.NaN,
  null: null,
  undefined: undefined,
  object: { wrong: true },
  list: ["wrong"],
  function: () => {},
  flag: true,
} as const;

const trainOptions = {
  patch: [4, 4],
  base: "odct:1",
  atoms: 16,
  atomSparsity: 2,
  coding: { sparsity: 2 },
  learner: "osdl",
  batch: 10,
  epochs: 1,
  examples: 50,
  momentum: 0.5,
  seed: 1,
  holdout: 5,
  test: [picture],
  testEvery: 10,
  patience: 3,
  minutes: 1,
  reportEvery: 5,
  atomCare: false,
  removeMean: true,
  groupSamples: 1000,
  onUnreadable: () => {},
  onReading: () => {},
  kernels,
  signal: new AbortController().signal,
  checkpoints: { due: () => false, save: async () => {} },
};
/** Options of `train` that cannot be given together with those above, or need a run. */
const moreTrainOptions = { redundancy: 1, stepDecay: 10, start: model, resume: {} };
const trainAccepts = {
  data: [],
  base: [],
  minutes: ["number"],
  onUnreadable: ["function"],
  onReading: ["function"],
} as const;

const rows: Readonly<Record<string, Row>> = {
  // — trainlets ———————————————————————————————————————————————————————————————
  DenseMatrix: {
    call: (rows, cols, data) => new DenseMatrix(rows, cols, data),
    args: { rows: 2, cols: 2, data: new Float32Array(4) },
    optional: ["data"],
  },
  makeSignal: {
    call: makeSignal,
    args: { name: "s", shape: [4], data: new Float32Array(4) },
    accepts: { name: ["text"] },
  },
  makeNpy: { call: makeNpy, args: { shape: [4], data: new Float32Array(4) } },
  readNpy: {
    call: library.readNpy,
    args: { bytes: library.writeNpy(array), name: "a" },
    accepts: { name: ["text"] },
  },
  writeNpy: { call: library.writeNpy, args: { array } },
  syntheticPictures: { call: library.syntheticPictures, args: { seed: 1, count: 1, size: 8 } },
  createBase: { call: createBase, args: { name: "identity", shape: [4] }, called: { name: "name|base" } },
  atomGallery: {
    call: library.atomGallery,
    args: { atoms, shape: [4, 4], options: { order: [1, 2], count: 2, columns: 2, magnify: 2, gap: 1 } },
    options: "options",
    optional: ["options"],
  },
  orderAtoms: {
    call: library.orderAtoms,
    args: { atoms, order: "use", options: { uses: new Uint32Array(16) } },
    options: "options",
    optional: ["options"],
  },
  encodePng: {
    call: library.encodePng,
    args: { image: { width: 1, height: 1, channels: 1, data: new Uint8Array(1) } },
    options: "image",
  },
  chooseKernels: {
    call: library.chooseKernels,
    args: { device: "reference", options: { threads: 1 } },
    options: "options",
    optional: ["device", "options"],
  },
  listDevices: { call: library.listDevices, args: {} },
  train: {
    call: (data, options) => library.train(data, options),
    args: { data: [picture], options: trainOptions },
    options: "options",
    accepts: trainAccepts,
  },
  openLearner: {
    call: library.openLearner,
    args: {
      options: {
        patch: [4, 4],
        base: "odct:1",
        atoms: 16,
        coding: { sparsity: 2 },
        batch: 10,
        test: [picture],
        testEvery: 10,
        atomCare: false,
        kernels,
        checkpoints: { due: () => false, save: async () => {} },
      },
    },
    options: "options",
  },
  "OnlineLearner#partialFit": {
    call: (batch) => library.openLearner({ patch: [4, 4], base: "odct:1", kernels }).partialFit(batch),
    args: { batch: new DenseMatrix(16, 3) },
  },
  code: {
    call: library.code,
    args: { D: atoms, Y: new DenseMatrix(16, 2), options: { sparsity: 1, kernels } },
    options: "options",
  },
  modelFromArray: {
    call: library.modelFromArray,
    args: { array, name: "a", shape: [2] },
    optional: ["shape"],
    accepts: { name: ["text"] },
  },
  codesFromBytes: {
    call: library.codesFromBytes,
    args: { bytes: library.codesToBytes(codes, encoded.signals), name: "c" },
    accepts: { name: ["text"] },
  },
  codesToBytes: {
    call: library.codesToBytes,
    args: { codes, signals: encoded.signals },
    options: "signals",
    accepts: { dictionary: ["text"] },
  },
  modelFromBytes: {
    call: library.modelFromBytes,
    args: { bytes: modelBytes, name: "m" },
    accepts: { name: ["text"] },
  },
  modelToBytes: { call: library.modelToBytes, args: { model } },
  Model: {
    call: (base, A, meta) => new Model(base, A, meta),
    args: { base, A: SparseColumns.identity(16, 1), meta: model.meta },
    options: "meta",
    accepts: {
      learner: ["text"],
      options: ["object"],
      coding: ["object"],
      seed: ["number", "NaN"],
      examplesSeen: ["number", "NaN"],
    },
  },
  "Model.from": {
    call: (atoms, shape, options) => Model.from(atoms, shape, options),
    args: { atoms, shape: [4, 4], options: { coding: { sparsity: 1 }, removeMean: true } },
    options: "options",
    optional: ["options"],
    called: { atoms: "atoms|atom" },
  },
  "Model.explicit": {
    call: (shape, D, meta) => Model.explicit(shape, D, meta),
    args: { shape: [4, 4], D: atoms, meta: model.meta },
  },
  "Model.of": {
    call: (dictionary, meta, kernels) => Model.of(dictionary, meta, kernels),
    args: { dictionary, meta: model.meta, kernels },
  },
  "Model#atoms": { call: (kernels) => model.atoms(kernels), args: { kernels }, optional: ["kernels"] },
  "Model#encode": {
    call: (signals, coding, kernels) => model.encode(signals, coding, kernels),
    args: { signals: new DenseMatrix(16, 1), coding: { sparsity: 1 }, kernels },
    optional: ["coding", "kernels"],
    options: "coding",
  },
  "Model#open": { call: (kernels) => model.open(kernels), args: { kernels }, optional: ["kernels"] },
  "Model#decode": {
    call: (codes, kernels) => model.decode(codes, kernels),
    args: { codes, kernels },
    optional: ["kernels"],
  },
  mTermCurves: {
    call: library.mTermCurves,
    args: {
      contenders: [{ label: "b", make: () => ({ base }) }],
      patches: new DenseMatrix(16, 2),
      options: { maxTerms: 2, peak: 255, kernels, onProgress: () => {} },
    },
    options: "options",
    accepts: { peak: ["number"], onProgress: ["function"] },
  },
  psnr: {
    call: library.psnr,
    args: { rmse: 1, peak: 255 },
    optional: ["peak"],
    accepts: { rmse: ["number", "NaN"], peak: ["number"] },
  },
  representationError: {
    call: library.representationError,
    args: {
      parts: model,
      signals: [picture],
      options: { coding: { sparsity: 1 }, examples: 5, seed: 1, removeMean: true, kernels },
    },
    options: "options",
    called: { coding: "coding|sparsity" },
  },
  "Compressor.open": { call: library.Compressor.open, args: { model, kernels } },
  "Compressor#compress": {
    call: (array, target, onTrial) => compressor.compress(array, target, onTrial),
    args: { array: sampled, target: { psnr: 20 }, onTrial: () => {} },
    optional: ["onTrial"],
    options: "target",
    accepts: { onTrial: ["function"], psnr: ["number"] },
  },
  decompress: {
    call: library.decompress,
    args: { bytes: compressed.bytes, model, name: "x" },
    accepts: { name: ["text"] },
  },
  decodeSignals: {
    call: library.decodeSignals,
    args: { model, codes: encoded.codes, coded: encoded.signals, kernels },
  },
  encodeSignals: {
    call: library.encodeSignals,
    args: { model, signals: [picture], options: { stride: [4, 4], coding: { sparsity: 1 }, kernels } },
    options: "options",
  },
  denoise: {
    call: library.denoise,
    args: {
      signals: picture,
      options: {
        sigma: 0,
        patch: [4, 4],
        colour: "none",
        stride: 1,
        lambda: 1,
        quantile: 0.5,
        iterations: 1,
        training: {},
        kernels,
        signal: new AbortController().signal,
        onProgress: () => {},
      },
    },
    options: "options",
    optional: ["options"],
    accepts: { sigma: ["number"], lambda: ["number"], onProgress: ["function"] },
  },
  estimateNoise: { call: library.estimateNoise, args: { signal: picture } },
  inpaint: {
    call: library.inpaint,
    args: {
      items: [incomplete],
      options: {
        patch: [4, 4],
        colour: "none",
        stride: 1,
        error: 1,
        training: {},
        rounds: 1,
        kernels,
        signal: new AbortController().signal,
        onProgress: () => {},
      },
    },
    options: "options",
    optional: ["options"],
    accepts: { error: ["number"], onProgress: ["function"] },
  },
  missingIn: { call: library.missingIn, args: { signal: picture } },
  // — trainlets/node ——————————————————————————————————————————————————————————
  writeFileAtomic: {
    call: node.writeFileAtomic,
    args: { path: join(folder, "w"), bytes: new Uint8Array(1) },
    accepts: { path: ["text"] },
  },
  readImage: { call: node.readImage, args: { path: file }, accepts: { path: ["text"] } },
  inspectInputs: { call: node.inspectInputs, args: { data: file }, accepts: { data: ["text", "list"] } },
  resolvePatch: {
    call: node.resolvePatch,
    args: { patch: 4, inputs: [{ kind: "npy" }] },
    accepts: { patch: ["number"] },
  },
  openSource: {
    call: node.openSource,
    args: { data: file, options: { patch: [4, 4], onSkip: () => {}, unitSamples: 100 } },
    options: "options",
    accepts: { data: ["text", "list"], onSkip: ["function"], unitSamples: ["number"] },
  },
  readPictureFile: { call: node.readPictureFile, args: { path: file }, accepts: { path: ["text"] } },
  writePictureFile: {
    call: node.writePictureFile,
    args: { path: join(folder, "p.png"), picture: { signal: picture, opacity: undefined, bits: 8 } },
    options: "picture",
    accepts: { path: ["text"] },
  },
  readSignals: {
    call: node.readSignals,
    args: { data: file, options: { patch: [4, 4], onSkip: () => {} } },
    options: "options",
    accepts: { data: ["text", "list"], onSkip: ["function"] },
  },
  lineChart: {
    call: node.lineChart,
    args: { options: chart },
    options: "options",
    accepts: { title: ["text"] },
  },
  "CheckpointFolder.open": {
    call: node.CheckpointFolder.open,
    args: { path: join(folder, "run"), options: { minutes: 1, steps: 1, onProblem: () => {} } },
    optional: ["options"],
    options: "options",
    accepts: { path: ["text"], minutes: ["number"], onProblem: ["function"] },
  },
  "train (node)": {
    call: (data, options) => node.train(data, options).plan(),
    args: { data: [picture], options: trainOptions },
    options: "options",
    accepts: { ...trainAccepts, data: ["text", "list"], test: ["text", "list"] },
  },
  loadBase: { call: node.loadBase, args: { name: "identity", shape: [4] }, called: { name: "name|base" } },
  loadModel: {
    call: node.loadModel,
    args: { path: file, options: { shape: [4, 4] } },
    options: "options",
    optional: ["options"],
    accepts: { path: ["text"] },
  },
  saveModel: {
    call: node.saveModel,
    args: { path: join(folder, "m.npz"), model },
    accepts: { path: ["text"] },
  },
  // — trainlets/parts —————————————————————————————————————————————————————————
  SparseColumns: {
    call: (rows, cols, width) => new SparseColumns(rows, cols, width),
    args: { rows: 2, cols: 2, width: 1 },
  },
  "SparseColumns.fromEntries": {
    call: SparseColumns.fromEntries,
    args: { rows: 2, width: 1, columns: [[[0, 1]]] },
  },
  "SparseColumns.identity": { call: SparseColumns.identity, args: { size: 2, width: 1 } },
  "Rng.from": { call: Rng.from, args: { seed: 1 } },
  "Rng.restore": { call: Rng.restore, args: { state: Rng.from(1).state } },
  toFloat32: { call: parts.toFloat32, args: { array, name: "a" }, accepts: { name: ["text"] } },
  PatchSampler: {
    call: (units, options, rng) => new parts.PatchSampler(units, options, rng),
    args: { units: [picture], options: { patch: [4, 4], holdout: 0, examples: 5 }, rng: Rng.from(1) },
    options: "options",
  },
  signalsFrom: {
    call: parts.signalsFrom,
    args: { where: "me", data: [picture], patch: [4, 4] },
    accepts: { where: ["text"] },
  },
  sourceOf: { call: parts.sourceOf, args: { signals: [picture] } },
  matrixBase: {
    call: parts.matrixBase,
    args: { name: "b", shape: [4], matrix: Matrix64.identity(4) },
    accepts: { name: ["text"] },
  },
  "ExplicitDictionary.create": {
    call: parts.ExplicitDictionary.create,
    args: { shape: [4, 4], D: atoms, kernels },
  },
  openDictionary: { call: parts.openDictionary, args: { parts: model, kernels } },
  "SparseDictionary.create": {
    call: (base, A, kernels, width) => parts.SparseDictionary.create(base, A, kernels, width),
    args: { base, A: SparseColumns.identity(16, 1), kernels, width: 1 },
    optional: ["width"],
  },
  "SparseDictionary.ofBase": { call: parts.SparseDictionary.ofBase, args: { base, kernels } },
  atomFamilies: {
    call: parts.atomFamilies,
    args: {
      atoms,
      shape: [4, 4],
      options: { count: 1, minAtoms: 2, maxAtoms: 3, correlation: 0.5, candidates: 5 },
    },
    options: "options",
    optional: ["options"],
    accepts: { correlation: ["number"] },
  },
  tileStyle: { call: parts.tileStyle, args: { shape: [4, 4] } },
  Fourier: { call: (shape) => new parts.Fourier(shape), args: { shape: [4, 4] } },
  AtomCare: {
    call: (atoms, options, kernels) => new parts.AtomCare(atoms, options, kernels),
    args: {
      atoms: parts.osdlAtoms(state, kernels),
      options: { every: 1, minUse: 0.1, maxCoherence: 0.9 },
      kernels,
    },
    options: "options",
    accepts: { maxCoherence: ["number"] },
  },
  examplesIn: { call: parts.examplesIn, args: { Y, kernels } },
  "Checkpoint.open": { call: parts.Checkpoint.open, args: { source: checkpointSource } },
  checkpointFromBytes: {
    call: parts.checkpointFromBytes,
    args: { bytes: new Uint8Array(3), name: "c" },
    accepts: { name: ["text"] },
  },
  checkpointToBytes: {
    call: parts.checkpointToBytes,
    args: { draft: { step: 1, bytes: async function* () {} } },
  },
  savableMatrix: {
    call: parts.savableMatrix,
    args: { name: "M", M: Y, kernels },
    accepts: { name: ["text"] },
  },
  savableNumbers: {
    call: parts.savableNumbers,
    args: { name: "n", get: () => [1], set: () => {} },
    accepts: { name: ["text"], get: ["function"], set: ["function"] },
  },
  savableTogether: { call: parts.savableTogether, args: { all: tally.savable } },
  createExplicit: {
    call: parts.createExplicit,
    args: {
      setting: {
        options: { base, coding: { sparsity: 1 }, batch: 4 },
        atoms: async () => atoms,
        examples: 4,
        kernels,
      },
    },
  },
  explicitLearner: {
    call: parts.explicitLearner,
    args: { state: { ...(await freshExplicit()), residual: Y }, kernels, work },
  },
  freeExplicit: { call: parts.freeExplicit, args: { parts: await freshExplicit() } },
  createOsdl: {
    call: parts.createOsdl,
    args: { dictionary, options: osdlOptions, kernels },
    options: "options",
    called: { coding: "coding|sparsity" },
  },
  freeOsdl: {
    call: parts.freeOsdl,
    args: { state: parts.createOsdl(dictionary, osdlOptions, kernels), kernels },
  },
  osdlAtoms: { call: parts.osdlAtoms, args: { state, kernels } },
  osdlReport: { call: parts.osdlReport, args: { state, kernels } },
  osdlStep: { call: parts.osdlStep, args: { state, Y, kernels } },
  osdlUpdate: { call: parts.osdlUpdate, args: { state, Y, kernels } },
  sparseLearner: { call: parts.sparseLearner, args: { state: explicitState, kernels, work } },
  Tally: { call: (atoms, kernels) => new parts.Tally(atoms, kernels), args: { atoms: 4, kernels } },
  Matrix64: {
    call: (rows, cols, data) => new Matrix64(rows, cols, data),
    args: { rows: 1, cols: 1, data: new Float64Array(1) },
    optional: ["data"],
  },
  "Matrix64#times": {
    call: (other) => Matrix64.identity(2).times(other),
    args: { other: Matrix64.identity(2) },
  },
  "Coder.open": {
    call: (model, kernels) => parts.Coder.open(model, kernels),
    args: { model, kernels },
    optional: ["kernels"],
  },
  codingError: {
    call: parts.codingError,
    args: { encoder, examples: { store, windows }, removeMean: true, kernels },
    accepts: { removeMean: ["flag"] },
  },
  defaultAtomSparsity: { call: parts.defaultAtomSparsity, args: { n: 16, L: 8 } },
  defaultSparsity: { call: parts.defaultSparsity, args: { n: 16 } },
  Encoder: {
    call: (dictionary, limits, capacity, kernels) => new parts.Encoder(dictionary, limits, capacity, kernels),
    args: { dictionary, limits: { sparsity: 1, residualEnergy: 0 }, capacity: 4, kernels },
    options: "limits",
    accepts: { residualEnergy: ["number"] },
  },
  "Encoder#encode": { call: (Y) => encoder.encode(Y), args: { Y } },
  resolveLimits: {
    call: (coding, n, m) => parts.resolveLimits("me", coding, n, m),
    args: { coding: { sparsity: 1 }, n: 4, m: 4 },
    called: { coding: "coding|sparsity" },
  },
  approximatorOf: {
    call: parts.approximatorOf,
    args: { name: "identity", shape: [4] },
    called: { name: "name|base" },
  },
  mTermErrors: {
    call: parts.mTermErrors,
    args: {
      approximator: model,
      patches: new DenseMatrix(16, 1),
      maxTerms: 2,
      kernels,
      options: {},
    },
    optional: ["options"],
    accepts: { options: ["object"] },
  },
  psnrOfErrors: {
    call: parts.psnrOfErrors,
    args: { errors: new Float64Array(1), peak: 255 },
    optional: ["peak"],
    accepts: { peak: ["number"] },
  },
  samplePatches: {
    call: parts.samplePatches,
    args: { signals: [picture], options: { patch: [4, 4], count: 2, seed: 1, kernels } },
    options: "options",
  },
  isColour: { call: parts.isColour, args: { signal: picture } },
  pictureOf: {
    call: parts.pictureOf,
    args: { planes: parts.planesOf(colourPicture), name: "p" },
    accepts: { name: ["text"] },
  },
  planesOf: { call: parts.planesOf, args: { picture: colourPicture } },
  approximateBorders: {
    call: parts.approximateBorders,
    args: {
      signal: new Float64Array(8),
      options: { border: "zero", wavelet: "haar", terms: 2 },
      kernels,
    },
    optional: ["kernels"],
    options: "options",
  },
  placedAtoms: { call: parts.placedAtoms, args: { size: 4, wavelet, construction: "usual" } },
  levelAtoms: { call: parts.levelAtoms, args: { n: 4, wavelet, levels: 2, mode: "zero" } },
  largestRows: { call: parts.largestRows, args: { values: new Float32Array(4), k: 2 } },
  randomCubic: { call: parts.randomCubic, args: { n: 4, rng: Rng.from(1) } },
  croppedWavelets: { call: parts.croppedWavelets, args: { n: 4, wavelet } },
  croppingOf: { call: parts.croppingOf, args: { n: 4, wavelet } },
  extensionOf: { call: parts.extensionOf, args: { cropping, code: { indices: [0], values: [1] } } },
  wavelet: { call: parts.wavelet, args: { name: "haar" }, called: { name: "wavelet" } },
};

async function freshExplicit() {
  const options = { base, coding: { sparsity: 1 }, batch: 4 } as never;
  const start = new SparseColumns(16, 16, 0);
  return parts.createExplicit({ options, start, atoms: async () => atoms, examples: 4, kernels });
}

/** What a call comes to: "accepted", or its error. */
async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return "accepted";
  } catch (error) {
    return error;
  }
}

/** It must be refused, in a message of one line that names the argument. */
async function expectRefused(call: () => unknown, name: string, what: string): Promise<void> {
  const outcome = await outcomeOf(call);
  expect(outcome, what).toBeInstanceOf(InputError);
  const { message } = outcome as Error;
  expect(message, what).toMatch(new RegExp(`\\b(${name})\\b`));
  expect(message).not.toContain("\n");
}

const kinds = Object.keys(wrongValues) as (keyof typeof wrongValues)[];

describe.each(Object.entries(rows))(
  "%s",
  (title, { call, args, optional = [], options, accepts = {}, called = {} }) => {
    const run = (given: Readonly<Record<string, unknown>>) => () =>
      call(...(Object.values(given) as never[]));

    it("takes the arguments of this table", async () => {
      const outcome = await outcomeOf(run(args));
      const isKnown = outcome === "accepted" || (outcome instanceof InputError && mayFail.has(title));
      expect(isKnown, String(outcome)).toBe(true);
    });

    it.each(Object.keys(args))("refuses wrong types of %s", async (name) => {
      for (const kind of kinds) {
        if (accepts[name]?.includes(kind) || (kind === "undefined" && optional.includes(name))) continue;
        const what = `${title}: ${name} = ${kind}`;
        const names = called[name] ?? name;
        const expected = name === options ? `${names}|options|option wrong` : names;
        await expectRefused(run({ ...args, [name]: wrongValues[kind] }), expected, what);
      }
    });

    if (options === undefined) return;
    const given = args[options] as Readonly<Record<string, unknown>>;

    it.each(Object.keys(given))(`refuses wrong types of the option %s`, async (name) => {
      for (const kind of kinds) {
        if (kind === "undefined" || accepts[name]?.includes(kind)) continue;
        if (kind === "flag" && typeof given[name] === "boolean") continue;
        const wrong = { ...given, [name]: wrongValues[kind] };
        await expectRefused(
          run({ ...args, [options]: wrong }),
          called[name] ?? name,
          `${title}: ${name}: ${kind}`,
        );
      }
    });

    it("refuses an option that it does not have", async () => {
      if (title === "encodePng" || title === "Model") return; // a picture and a record may hold more
      const outcome = await outcomeOf(run({ ...args, [options]: { ...given, nosuchOption: 1 } }));
      expect(outcome).toBeInstanceOf(InputError);
      expect((outcome as Error).message).toContain("unknown option nosuchOption");
    });
  },
);

/** Rows whose arguments are right, but whose file or bytes are not what they say. */
const mayFail = new Set([
  "Checkpoint.open",
  "checkpointFromBytes",
  "readImage",
  "readPictureFile",
  "decodeSignals",
  "Model#atoms",
]);

describe("train", () => {
  it.each(Object.keys(moreTrainOptions))("refuses wrong types of the option %s", async (name) => {
    const { base: _base, atoms: _atoms, checkpoints: _checkpoints, ...rest } = trainOptions;
    for (const kind of kinds) {
      if (
        kind === "undefined" ||
        (name === "stepDecay" && kind === "number") ||
        (name === "redundancy" && kind === "number")
      )
        continue;
      const wrong = { ...rest, [name]: wrongValues[kind] } as never;
      await expectRefused(() => library.train([picture], wrong), name, `${name}: ${kind}`);
    }
  });

  it("does not take 0 for false: nothing is saved that loads as something else", async () => {
    for (const removeMean of [0, 1, "", "false", null, Number.NaN]) {
      const options = { ...trainOptions, checkpoints: undefined, removeMean } as never;
      await expectRefused(() => library.train([picture], options), "removeMean", String(removeMean));
    }
    const meta = { ...model.meta, removeMean: 0 } as never;
    expect(() => Model.explicit([4, 4], atoms, meta)).toThrow(
      "Model: meta.removeMean must be true or false, got 0",
    );
  });
});

describe("the table", () => {
  /** Exported values that are no functions: names, defaults, errors. */
  const values = new Set([
    ...[
      "baseForms",
      "learnerNames",
      "trainDefaults",
      "version",
      "waveletNames",
      "InputError",
      "DivergedError",
    ],
    ...["atomCareDefaults", "osdlDefaults", "learners", "denoiseDefaults", "inpaintDefaults", "optionWords"],
  ]);
  /** Classes that are made by a function of their own. */
  const made = {
    Compressor: "Compressor.open",
    CheckpointFolder: "CheckpointFolder.open",
    Checkpoint: "Checkpoint.open",
    Coder: "Coder.open",
    Rng: "Rng.from",
  };
  const more = {
    ExplicitDictionary: "ExplicitDictionary.create",
    SparseDictionary: "SparseDictionary.create",
  };

  it("has a row for every public function", () => {
    const names = [library, node, parts].flatMap((entry) => Object.keys(entry));
    const rowOf = (name: string) => ({ ...made, ...more })[name as keyof typeof made] ?? name;
    expect(names.filter((name) => !values.has(name) && !(rowOf(name) in rows))).toEqual([]);
  });

  it("has every option of train", () => {
    const known = Object.keys({ ...trainOptions, ...moreTrainOptions });
    expect(outcomeSync(() => library.train([picture], { ...trainOptions, nosuch: 1 } as never))).toContain(
      "unknown option",
    );
    for (const name of known)
      expect(() => library.train([picture], { [name]: undefined, patch: [4, 4] } as never)).not.toThrow(
        "unknown",
      );
    expect(known).toHaveLength(29);
  });
});

function outcomeSync(call: () => unknown): string {
  try {
    call();
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
}
