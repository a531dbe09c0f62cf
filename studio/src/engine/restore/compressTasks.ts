/** A picture compressed with a dictionary, and by the encoders of the browser at the same size. */

import { Compressor, decompress, type Model } from "trainlets";
import type { Kernels } from "trainlets/parts";
import type { GreyPicture } from "../look/lookTasks";
import { modelOf } from "../models";
import { nextTurn, onKernels } from "../onKernels";
import { type Task, transferring } from "../protocol";
import { browserEncodings, type Encoded } from "./browserEncodings";

export interface CompressInput {
  readonly picture: GreyPicture;
  readonly model: number;
  /** The most bytes. */
  readonly bytes: number;
}

export interface CompressResult {
  /** The .tlt file. */
  readonly file: Uint8Array<ArrayBuffer>;
  readonly psnr: number;
  readonly atoms: number;
  readonly blocks: number;
  /** What the file decompresses to. */
  readonly data: Uint8Array<ArrayBuffer>;
  /** By the browser, in at most as many bytes. */
  readonly others: readonly Encoded[];
}

export interface CompressProgress {
  /** From 0 to 1. */
  readonly whole: number;
  /** The bytes of the last file that was tried. */
  readonly bytes: number;
}

/** Grey bytes of a picture: what is compressed. */
export function bytesOf({ data, range: [low, high] }: GreyPicture): Uint8Array<ArrayBuffer> {
  const scale = 255 / (high - low);
  const clamped = new Uint8ClampedArray(data.length);
  for (let i = 0; i < data.length; i++) clamped[i] = (data[i] - low) * scale;
  return new Uint8Array(clamped.buffer);
}

let opened: { readonly model: Model; readonly kernels: Kernels; readonly compressor: Compressor } | undefined;

/** A dictionary is prepared once for all sizes; the page runs one task at a time. */
async function compressorFor(model: Model, kernels: Kernels): Promise<Compressor> {
  if (opened?.model === model && opened.kernels === kernels) return opened.compressor;
  opened?.compressor.free();
  opened = undefined;
  const compressor = await Compressor.open(model, kernels);
  opened = { model, kernels, compressor };
  return compressor;
}

/** The part of the work that ours takes. */
const ownShare = 0.8;

const compressPicture: Task<CompressInput, CompressResult, CompressProgress> = async (
  { picture, model: id, bytes },
  { signal, report },
) => {
  const model = modelOf(id);
  const { width, height } = picture;
  const samples = bytesOf(picture);
  const array = { shape: [height, width], data: samples, colour: false };
  const onTrial = (_: number, size: number, done: number) => {
    signal.throwIfAborted();
    report({ whole: ownShare * done, bytes: size });
  };
  const {
    bytes: file,
    psnr,
    atoms,
    blocks,
  } = await onKernels(async (kernels) => {
    const compressor = await compressorFor(model, kernels);
    await nextTurn(signal);
    return compressor.compress(array, { bytes }, onTrial);
  });
  await nextTurn(signal);
  const data = Uint8Array.from(decompress(file, model, "the file").data);
  report({ whole: ownShare, bytes: file.length });
  const others = await browserEncodings({ width, height, data: samples }, file.length, signal);
  const result = { file: Uint8Array.from(file), psnr, atoms, blocks, data, others };
  const buffers = others.flatMap((other) => (other.data ? [other.data.buffer] : []));
  return transferring(result, [result.file.buffer, data.buffer, ...buffers]);
};

export const compressTasks = { compressPicture };
