/**
 * Rate and distortion: `compress` beside JPEG, WebP and AVIF of sharp, on the same grey
 * pictures. Every codec gives its best file of at most so many bytes; the error is the
 * mean over all pictures. Two tables: whole files, and files without what they spend on headers (see
 * `headerOf`), which on small pictures is most of a JPEG and of an AVIF.
 */

import { writeFileSync } from "node:fs";
import sharp, { type Sharp } from "sharp";
import type { Signal } from "../src/core/signal.js";
import { readSignals } from "../src/data/node/readSignals.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { lineChart } from "../src/figures/charts/lineChart.js";
import { chooseKernels } from "../src/kernels/choose.js";
import { loadModel } from "../src/model/node/files.js";
import { Compressor } from "../src/tasks/codec/compress.js";
import { unpackContainer } from "../src/tasks/codec/container.js";
import type { Options } from "./setting.js";
import { table } from "./table.js";

/** A file, and what it decodes to. */
interface Encoded {
  readonly bytes: number;
  readonly header: number;
  readonly mse: number;
}

interface Grey {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** The best file of at most so many bytes, headers counted or not; undefined where none is so small. */
type Codec = (picture: Grey, bytes: number, withHeader: boolean) => Promise<Encoded | undefined>;

const rates = [0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2];

export async function benchCodec(options: Options): Promise<string> {
  if (options.dictionary === undefined) throw new Error("bench: codec needs --dictionary FILE");
  const model = await loadModel(options.dictionary);
  const pictures = (await picturesOf(options, model.shape)).map(toGrey);
  const { kernels } = await chooseKernels();
  const compressor = await Compressor.open(model, kernels);
  const codecs: Record<string, Codec> = {
    trainlets: ours(compressor),
    WebP: peer((image, quality) => image.webp({ quality, effort: 6 }), 1),
    AVIF: peer((image, quality) => image.avif({ quality, effort: 4 }), 3),
    "JPEG (mozjpeg)": peer((image, quality) => image.jpeg({ quality, mozjpeg: true }), 1),
    JPEG: peer((image, quality) => image.jpeg({ quality, optimiseCoding: true }), 1),
  };
  const whole = await curves(codecs, pictures, true);
  const bare = await curves(codecs, pictures, false);
  compressor.free();
  await kernels.dispose();
  if (options.save) writeFileSync(`bench/results/${options.save}.svg`, chartOf(whole));
  const [{ width, height }] = pictures as [Grey];
  const first = `${pictures.length} pictures, the first of ${width}x${height}; PSNR in dB of the mean squared error, at most so many bits a pixel.`;
  return [first, "Whole files:", tableOf(whole), "Without headers:", tableOf(bare)].join("\n\n");
}

async function picturesOf({ images, quick }: Options, patch: readonly number[]): Promise<Signal[]> {
  const count = quick ? 10 : 50;
  if (images.length === 0) return syntheticPictures(99, 4, 128);
  const all = await readSignals(images, { patch });
  const every = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, i) => i % every === 0).slice(0, count);
}

function toGrey({ shape, data }: Signal): Grey {
  const [height, width] = shape as [number, number];
  return {
    width,
    height,
    data: Uint8Array.from(data, (value) => Math.min(255, Math.max(0, Math.round(value)))),
  };
}

function ours(compressor: Compressor): Codec {
  return async ({ width, height, data }, bytes, withHeader) => {
    const array = { shape: [height, width], data, colour: false };
    const spare = withHeader ? 0 : headerOf((await compressor.compress(array, { bytes: 100 })).bytes);
    try {
      const made = await compressor.compress(array, { bytes: bytes + spare });
      return {
        bytes: made.bytes.length,
        header: headerOf(made.bytes),
        mse: 255 ** 2 / 10 ** (made.psnr / 10),
      };
    } catch {
      return undefined; // not so small
    }
  };
}

/** Files of all qualities, made once a picture; the best that is small enough. */
function peer(encode: (image: Sharp, quality: number) => Sharp, step: number): Codec {
  const known = new Map<Grey, Encoded[]>();
  return async (picture, bytes, withHeader) => {
    if (!known.has(picture)) known.set(picture, await allQualities(picture, encode, step));
    const fits = known.get(picture)!.filter((file) => file.bytes - (withHeader ? 0 : file.header) <= bytes);
    return fits.sort((a, b) => a.mse - b.mse)[0];
  };
}

async function allQualities(
  { width, height, data }: Grey,
  encode: (image: Sharp, quality: number) => Sharp,
  step: number,
): Promise<Encoded[]> {
  const files: Encoded[] = [];
  for (let quality = 1; quality <= 97; quality += step) {
    const image = sharp(data, { raw: { width, height, channels: 1 } }).toColourspace("b-w");
    const file = await encode(image, quality).toBuffer();
    const { data: back, info } = await sharp(file)
      .toColourspace("b-w")
      .raw()
      .toBuffer({ resolveWithObject: true });
    let energy = 0;
    for (let i = 0; i < data.length; i++) energy += (back[i * info.channels] - data[i]) ** 2;
    files.push({ bytes: file.length, header: headerOf(file), mse: energy / data.length });
  }
  return files;
}

/** Bytes of a file that are no coded picture: markers and tables of a JPEG, boxes of an AVIF, chunks of a WebP. */
function headerOf(file: Uint8Array): number {
  const text = (from: number, to: number) => String.fromCharCode(...file.subarray(from, to));
  if (text(0, 3) === "TLT") return file.length - unpackContainer(file, "file").payload.length;
  if (text(8, 12) === "WEBP") return 30; // RIFF 12, chunk 8, frame 10
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file[0] === 0xff) {
    let scans = 0; // entropy-coded bytes of all scans
    for (let at = 2; at < file.length - 2; ) {
      const marker = file[at + 1];
      at += 2 + view.getUint16(at + 2);
      if (marker !== 0xda) continue;
      const from = at;
      while (!(file[at] === 0xff && file[at + 1] !== 0)) at++;
      scans += at - from;
    }
    return file.length - scans;
  }
  let media = 0;
  for (let at = 0; at + 8 <= file.length; at += Math.max(8, view.getUint32(at)))
    if (text(at + 4, at + 8) === "mdat") media += view.getUint32(at) - 8;
  return file.length - media;
}

/** PSNR of each codec at each rate; NaN where it has no file so small for some picture. */
async function curves(
  codecs: Readonly<Record<string, Codec>>,
  pictures: readonly Grey[],
  withHeader: boolean,
) {
  const found: { label: string; psnr: number[] }[] = [];
  for (const [label, codec] of Object.entries(codecs)) {
    const psnr: number[] = [];
    for (const rate of rates) {
      let sum = 0;
      for (const picture of pictures)
        sum +=
          (await codec(picture, Math.floor((rate * picture.data.length) / 8), withHeader))?.mse ?? Number.NaN;
      psnr.push(10 * Math.log10((255 ** 2 * pictures.length) / sum));
    }
    found.push({ label, psnr });
  }
  return found;
}

type Curves = Awaited<ReturnType<typeof curves>>;

function tableOf(found: Curves): string {
  const rows = found.map(({ label, psnr }) => [
    label,
    ...psnr.map((p) => (Number.isNaN(p) ? "—" : p.toFixed(2))),
  ]);
  return table(["codec", ...rates.map(String)], rows);
}

function chartOf(found: Curves): string {
  const series = found.map(({ label, psnr }) => ({
    label,
    points: rates.map((x, i) => ({ x, y: psnr[i] })),
  }));
  return lineChart({
    title: "Rate and distortion, headers included",
    x: { label: "bits a pixel, at most" },
    y: { label: "PSNR (dB)" },
    series: series.filter(({ points }) => points.some(({ y }) => !Number.isNaN(y))),
  });
}
