/**
 * What Node adds to trainlets: training from files and folders, images, models and figures on disk.
 *
 * @module trainlets/node
 */

export { writeFileAtomic } from "./data/node/files.js";
export { readImage } from "./data/node/images.js";
export type { Input, InputList, ReadSignalsOptions } from "./data/node/inputs.js";
export { inspectInputs, resolvePatch } from "./data/node/inputs.js";
export { type OpenSourceOptions, openSource } from "./data/node/openSource.js";
export { type PictureFile, readPictureFile, writePictureFile } from "./data/node/pictures.js";
export { readSignals } from "./data/node/readSignals.js";
export { type LineChartOptions, lineChart } from "./figures/charts/lineChart.js";
export { CheckpointFolder, type CheckpointFolderOptions } from "./learn/checkpoints/node/checkpointFolder.js";
export { type FileTrainingRun, type FileTrainOptions, train } from "./learn/run/node/trainFiles.js";
export { type LoadModelOptions, loadBase, loadModel, saveModel } from "./model/node/files.js";
