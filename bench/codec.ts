/**
 * Rate and distortion: `compress` compared with JPEG, WebP and AVIF of sharp, on the same grey
 * pictures. Every codec makes its best file within a number of bytes; the error is the mean
 * over all pictures. Two tables: whole files, and files without their headers (see
 * `headerBytes`), which on small pictures are most of a JPEG and of an AVIF.
 */

import { writeFileSync } from "node:fs";
import sharp, { type Sharp } from "sharp";
import { InputError } from "../src/core/errors.js";
import type { Signal } from "../src/core/signal.js";
import { readSignals } from "../src/data/node/readSignals.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { lineChart } from "../src/figures/charts/lineChart.js";
import { pictureFrom } from "../src/figures/pictureFrom.js";
import type { Picture } from "../src/figures/png.js";
import { chooseKernels } from "../src/kernels/chooseDevice.js";
import { loadModel } from "../src/model/node/files.js";
import { Compressor } from "../src/tasks/codec/compress.js";
import { unpackContainer } from "../src/tasks/codec/container.js";
import type { Options } from "./setting.js";
import { table } from "./table.js";

/** The size of a file, and the error of what it decodes to. */
interface Encoded {
  readonly bytes: number;
  readonly header: number;
  readonly mse: number;
}

/** The best file of at most this many bytes, with or without headers; undefined if no file is that small. */
type Codec = (picture: Picture, maxBytes: number, withHeader: boolean) => Promise<Encoded | undefined>;

const rates = [0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2];

export async function benchCodec(options: Options): Promise<string> {
  const [path, ...others] = options.dictionary;
  if (path === undefined || others.length > 0)
    throw new InputError("bench: codec needs one --dictionary FILE");
  const model = await loadModel(path);
  const pictures = (await readTestPictures(options, model.shape)).map(pictureFrom);
  const { kernels } = await chooseKernels();
  const compressor = await Compressor.open(model, kernels);
  const codecs: Record<string, Codec> = {
    trainlets: trainletsCodec(compressor),
    WebP: sharpCodec((image, quality) => image.webp({ quality, effort: 6 }), 1),
    AVIF: sharpCodec((image, quality) => image.avif({ quality, effort: 4 }), 3),
    "JPEG (mozjpeg)": sharpCodec((image, quality) => image.jpeg({ quality, mozjpeg: true }), 1),
    JPEG: sharpCodec((image, quality) => image.jpeg({ quality, optimiseCoding: true }), 1),
  };
  const whole = await measureCurves(codecs, pictures, true);
  const bare = await measureCurves(codecs, pictures, false);
  compressor.free();
  await kernels.close();
  if (options.save) writeFileSync(`bench/results/${options.save}.svg`, rateChart(whole));
  const [{ width, height }] = pictures;
  const summary = `${pictures.length} pictures, the first of ${width}x${height}; PSNR in dB of the mean squared error, by bits per pixel at most.`;
  return [summary, "Whole files:", rateTable(whole), "Without headers:", rateTable(bare)].join("\n\n");
}

async function readTestPictures({ images, quick }: Options, patch: readonly number[]): Promise<Signal[]> {
  const count = quick ? 10 : 50;
  if (images.length === 0) return syntheticPictures(99, 4, 128);
  const all = await readSignals(images, { patch });
  const every = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, i) => i % every === 0).slice(0, count);
}

function trainletsCodec(compressor: Compressor): Codec {
  return async ({ width, height, data }, maxBytes, withHeader) => {
    const array = { shape: [height, width], data, colour: false };
    const spare = withHeader ? 0 : headerBytes((await compressor.compress(array, { bytes: 100 })).bytes);
    try {
      const made = await compressor.compress(array, { bytes: maxBytes + spare });
      return {
        bytes: made.bytes.length,
        header: headerBytes(made.bytes),
        mse: 255 ** 2 / 10 ** (made.psnr / 10),
      };
    } catch {
      return undefined; // it cannot be that small
    }
  };
}

/** The best of the files of all qualities that is small enough; files are made once per picture. */
function sharpCodec(encode: (image: Sharp, quality: number) => Sharp, step: number): Codec {
  const known = new Map<Picture, Encoded[]>();
  return async (picture, maxBytes, withHeader) => {
    if (!known.has(picture)) known.set(picture, await allQualities(picture, encode, step));
    const fits = known
      .get(picture)!
      .filter((file) => file.bytes - (withHeader ? 0 : file.header) <= maxBytes);
    return fits.sort((a, b) => a.mse - b.mse)[0];
  };
}

async function allQualities(
  { width, height, data }: Picture,
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
    files.push({ bytes: file.length, header: headerBytes(file), mse: energy / data.length });
  }
  return files;
}

/** Bytes of a file that do not code the picture: markers and tables of a JPEG, boxes of an AVIF, chunks of a WebP. */
function headerBytes(file: Uint8Array): number {
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

/** PSNR of each codec at each rate; NaN if it has no file small enough for some picture. */
async function measureCurves(
  codecs: Readonly<Record<string, Codec>>,
  pictures: readonly Picture[],
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

type Curves = Awaited<ReturnType<typeof measureCurves>>;

function rateTable(found: Curves): string {
  const rows = found.map(({ label, psnr }) => [
    label,
    ...psnr.map((p) => (Number.isNaN(p) ? "—" : p.toFixed(2))),
  ]);
  return table(["codec", ...rates.map(String)], rows);
}

function rateChart(found: Curves): string {
  const series = found.map(({ label, psnr }) => ({
    label,
    points: rates.map((x, i) => ({ x, y: psnr[i] })),
  }));
  return lineChart({
    title: "Rate and distortion, headers included",
    x: { label: "bits per pixel, at most" },
    y: { label: "PSNR (dB)" },
    series: series.filter(({ points }) => points.some(({ y }) => !Number.isNaN(y))),
  });
}
