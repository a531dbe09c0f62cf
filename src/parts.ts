/**
 * The parts that trainlets is made of, for training loops, base dictionaries and
 * learners of your own. docs/how-to/own-loop.md shows how they fit together. Like
 * `trainlets`, this entry runs anywhere.
 *
 * @module trainlets/parts
 */

// The vocabulary: matrices by columns, random numbers, signals and their windows.
export { SparseColumns } from "./core/matrix.js";
export { Rng, type RngState } from "./core/random/rng.js";
export { toFloat32 } from "./data/formats/npy.js";
export { PatchSampler, type Windows } from "./data/sampling/patchSampler.js";
export {
  type SignalData,
  type SignalSource,
  type SignalUnit,
  signalsFrom,
  sourceOf,
} from "./data/sampling/signalSource.js";
// Base dictionaries, and dictionaries where the kernels compute.
export { type BaseDictionary, matrixBase } from "./dictionaries/base.js";
export {
  type Dictionary,
  type DictionaryParts,
  ExplicitDictionary,
  openDictionary,
  SparseDictionary,
} from "./dictionaries/dictionary.js";
// Experiments and figures.
export { randomCubic } from "./experiments/shared/randomCubic.js";
export {
  type AtomFamily,
  atomFamilies,
  type FamilyMember,
  type FamilyOptions,
} from "./figures/atoms/atomFamilies.js";
export type { GalleryOptions } from "./figures/atoms/atomGallery.js";
export type { AtomOrder } from "./figures/atoms/atomOrder.js";
export { type Canvas, type TileStyle, tileStyle } from "./figures/atoms/tileStyle.js";
// Kernels: the operations, and the handles of what lives on a device.
export type { DeviceChoice, DeviceReport } from "./kernels/chooseDevice.js";
export type {
  DeviceBase,
  DeviceMatrix,
  DeviceSet,
  DeviceSignals,
  DeviceSparse,
  Kernels,
  PursuitLimits,
  PursuitName,
  WindowList,
} from "./kernels/contract.js";
// Learners.
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
export {
  type Savable,
  savableMatrix,
  savableNumbers,
  savableTogether,
} from "./learn/checkpoints/checkpointParts.js";
export { largestRows } from "./learn/learners/atomwise/hardThreshold.js";
export { createExplicit, explicitLearner, freeExplicit } from "./learn/learners/explicitLearner.js";
export type {
  Learner,
  LearnerKind,
  LearnerOptions,
  LearnerReport,
  LearnerSetting,
  ReplaceableAtoms,
} from "./learn/learners/learner.js";
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
export { learners } from "./learn/learners/registry.js";
export { sparseLearner, Tally } from "./learn/learners/tally.js";
export type { ExampleBatch } from "./learn/online/batchSignals.js";
export type { OnlineLearner } from "./learn/online/onlineLearner.js";
export type { OnlineOptions } from "./learn/online/onlineOptions.js";
export { optionWords } from "./learn/optionWords.js";
export type { TrainPlan } from "./learn/run/setup.js";
export { defaultAtomSparsity } from "./learn/run/trainOptions.js";
export { type ComplexArray, Fourier } from "./linalg/fft.js";
export { Matrix64 } from "./linalg/matrix64.js";
// Coding, models and tasks in pieces.
export type { CodeOptions, Columns } from "./model/code.js";
export { Coder, type Codes } from "./model/coder.js";
export type { CodedSignals } from "./model/files.js";
export type { ModelMeta } from "./model/model.js";
export { codingError, defaultSparsity, Encoder, type ExampleSet, resolveLimits } from "./pursuit/encoder.js";
export {
  approximateBorders,
  type BorderApproximation,
  type BorderOptions,
  type BorderTreatment,
} from "./tasks/approximate/borderApproximation.js";
export {
  approximatorOf,
  mTermErrors,
  type OrthonormalTransform,
  psnrOfErrors,
  samplePatches,
} from "./tasks/approximate/mTerm.js";
export type { Contender, CurveOptions, MTermCurve } from "./tasks/approximate/mTermCurves.js";
export type { RepresentationOptions } from "./tasks/approximate/representation.js";
export type { CompressionTarget } from "./tasks/codec/compress.js";
export type { SampleArray, Samples } from "./tasks/codec/sampleArray.js";
export type { Compressed } from "./tasks/codec/trialEncoder.js";
export { isColour, pictureOf, planesOf } from "./tasks/restore/colour.js";
export type { DenoiseResult } from "./tasks/restore/denoise.js";
export { type DenoiseOptions, denoiseDefaults } from "./tasks/restore/denoiseOptions.js";
export { type Incomplete, type InpaintOptions, inpaintDefaults } from "./tasks/restore/inpaint.js";
export type { PatchTraining, TaskProgress } from "./tasks/restore/patchOptions.js";
export { type BorderMode, type LevelAtoms, levelAtoms } from "./wavelets/borders.js";
export { type Cropping, croppedWavelets, croppingOf, extensionOf } from "./wavelets/cropped.js";
export { type Wavelet, wavelet } from "./wavelets/filters.js";
export { type PlaneConstruction, placedAtoms } from "./wavelets/placedAtoms.js";
