/**
 * trainlets: dictionary learning in high dimensions. This entry runs anywhere:
 * in Node, in a browser, in a worker. `trainlets/node` adds files and images.
 */

// The parts: signals, bases, dictionaries, pursuit, learner steps, kernels.
export { InputError } from "./core/errors.js";
export { DenseMatrix, SparseColumns } from "./core/matrix.js";
export { Rng, type RngState } from "./core/rng.js";
export type { Shape } from "./core/shape.js";
export { makeSignal, type Signal } from "./core/signal.js";
export { makeNpy, type NpyArray, readNpy, toFloat32, writeNpy } from "./data/formats/npy.js";
export { PatchSampler, type Windows } from "./data/sampling/patchSampler.js";
export { type SignalSource, type SignalUnit, sourceOf } from "./data/sampling/signalSource.js";
export { syntheticPictures } from "./data/syntheticPictures.js";
export { type BaseDictionary, baseForms, createBase, matrixBase } from "./dictionaries/base.js";
export type { Dictionary, DictionaryParts } from "./dictionaries/dictionary.js";
export { ExplicitDictionary } from "./dictionaries/explicitDictionary.js";
export { openDictionary } from "./dictionaries/openDictionary.js";
export { SparseDictionary } from "./dictionaries/sparseDictionary.js";
export {
  type AtomFamily,
  atomFamilies,
  type FamilyMember,
  type FamilyOptions,
} from "./figures/atoms/atomFamilies.js";
export { atomGallery, type GalleryOptions } from "./figures/atoms/atomGallery.js";
export { type AtomOrder, orderAtoms } from "./figures/atoms/atomOrder.js";
export { encodePng, type Picture } from "./figures/png.js";
export {
  chooseKernels,
  type DeviceChoice,
  type DeviceName,
  type DeviceReport,
  listDevices,
} from "./kernels/choose.js";
export type {
  DeviceBase,
  DeviceMatrix,
  DeviceSet,
  DeviceSignals,
  DeviceSparse,
  Kernels,
  PursuitLimits,
  WindowList,
} from "./kernels/contract.js";
export {
  AtomCare,
  type AtomCareOptions,
  atomCareDefaults,
  examplesIn,
  type LastExamples,
} from "./learn/atoms/atomCare.js";
export {
  Checkpoint,
  type CheckpointDraft,
  type CheckpointKeeper,
  type CheckpointSource,
  checkpointFromBytes,
  checkpointToBytes,
} from "./learn/checkpoints/checkpoint.js";
export { UnhealthyError } from "./learn/learners/finite.js";
export type { CaredAtoms, LearnerReport } from "./learn/learners/learner.js";
export {
  createOsdl,
  freeOsdl,
  type OsdlOptions,
  type OsdlReport,
  type OsdlState,
  osdlAtoms,
  osdlDefaults,
  osdlReport,
  osdlStep,
  osdlUpdate,
} from "./learn/learners/osdl.js";
export { type LearnerName, learnerNames } from "./learn/learners/registry.js";
export type { TrainPlan } from "./learn/run/setup.js";
export { TrainingRun, train } from "./learn/run/train.js";
// The high-level way: signals in, a model out.
export type { TrainReport } from "./learn/run/trainingLoop.js";
export { type TrainOptions, trainDefaults } from "./learn/run/trainOptions.js";
export { Matrix64 } from "./linalg/matrix64.js";
export { Coder, type Codes } from "./model/coder.js";
export {
  type CodedSignals,
  codesFromBytes,
  codesToBytes,
  modelFromBytes,
  modelToBytes,
} from "./model/files.js";
export { Model, type ModelMeta } from "./model/model.js";
export { version } from "./model/version.js";
export { Encoder } from "./pursuit/encoder.js";
export { type CodingRule, resolveLimits } from "./pursuit/limits.js";
export {
  approximatorOf,
  mTermErrors,
  type OrthonormalTransform,
  psnrOfErrors,
  samplePatches,
} from "./tasks/approximate/mTerm.js";
export {
  type Contender,
  type CurveOptions,
  type MTermCurve,
  mTermCurves,
} from "./tasks/approximate/mTermCurves.js";
export {
  psnr,
  type RepresentationOptions,
  representationError,
} from "./tasks/approximate/representation.js";
export { type CompressionTarget, Compressor } from "./tasks/codec/compress.js";
export { decompress } from "./tasks/codec/decompress.js";
// What one does with a dictionary.
export type { Compressed } from "./tasks/codec/rateSearch.js";
export type { SampleArray, Samples } from "./tasks/codec/samples.js";
export { decodeSignals, encodeSignals } from "./tasks/encode/codeSignals.js";
export { isColour, pictureOf, planesOf } from "./tasks/restore/colour.js";
export { type DenoiseResult, denoise } from "./tasks/restore/denoise.js";
export { type DenoiseOptions, denoiseDefaults } from "./tasks/restore/denoiseOptions.js";
export {
  type Incomplete,
  type InpaintOptions,
  inpaint,
  inpaintDefaults,
  missingIn,
} from "./tasks/restore/inpaint.js";
export { estimateNoise } from "./tasks/restore/noiseLevel.js";
export type { PatchTraining, TaskProgress } from "./tasks/restore/patchOptions.js";
export { type Cropping, croppedWavelets, croppingOf, extensionOf } from "./wavelets/cropped.js";
export { type Wavelet, wavelet, waveletNames } from "./wavelets/filters.js";
