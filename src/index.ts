/**
 * trainlets: dictionary learning in high dimensions. This entry runs anywhere:
 * in Node, in a browser, in a worker. `trainlets/node` adds files and images,
 * `trainlets/parts` the pieces for loops, bases and learners of your own.
 *
 * @module trainlets
 */

// Data in, pictures out.
export { InputError } from "./core/errors.js";
export { DenseMatrix } from "./core/matrix.js";
export type { Shape } from "./core/shape.js";
export { makeSignal, type Signal } from "./core/signal.js";
export { makeNpy, type NpyArray, readNpy, writeNpy } from "./data/formats/npy.js";
export { syntheticPictures } from "./data/syntheticPictures.js";
export { baseForms, createBase } from "./dictionaries/base.js";
export { atomGallery } from "./figures/atoms/atomGallery.js";
export { orderAtoms } from "./figures/atoms/atomOrder.js";
export { encodePng, type Picture } from "./figures/png.js";
export { chooseKernels, type DeviceName, listDevices } from "./kernels/chooseDevice.js";
// Learning: signals in, a model out.
export { DivergedError } from "./learn/learners/learner.js";
export { type LearnerName, learnerNames } from "./learn/learners/registry.js";
export { openLearner } from "./learn/online/onlineLearner.js";
export { type TrainingRun, train } from "./learn/run/train.js";
export type { TrainReport } from "./learn/run/trainingLoop.js";
export { type TrainOptions, trainDefaults } from "./learn/run/trainOptions.js";
export { modelFromArray } from "./model/arrays.js";
export { code } from "./model/code.js";
export { codesFromBytes, codesToBytes, modelFromBytes, modelToBytes } from "./model/files.js";
export { Model } from "./model/model.js";
export { version } from "./model/version.js";
export type { CodingRule } from "./pursuit/encoder.js";
// What one does with a dictionary.
export { mTermCurves } from "./tasks/approximate/mTermCurves.js";
export { psnr, representationError } from "./tasks/approximate/representation.js";
export { Compressor } from "./tasks/codec/compress.js";
export { decompress } from "./tasks/codec/decompress.js";
export { decodeSignals, encodeSignals } from "./tasks/encode/encodeSignals.js";
export { denoise } from "./tasks/restore/denoise.js";
export { estimateNoise } from "./tasks/restore/estimateNoise.js";
export { inpaint, missingIn } from "./tasks/restore/inpaint.js";
export { waveletNames } from "./wavelets/filters.js";
