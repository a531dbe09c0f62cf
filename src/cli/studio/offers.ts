/**
 * What the page may ask for: pictures, arrays and dictionaries that were named on the command line. They have numbers,
 * so that no path ever comes from the page.
 *
 * Dictionaries (.npz), arrays (.npy) and pictures that browsers decode travel as they are; all else that `train` reads is
 * converted to `.npy` by the same readers when it is asked for. A file is sent only if it is still where it was when it was
 * listed, links followed: a link that was put in its place meanwhile leads nowhere.
 */

import { InputError, ReadFailure } from "../../core/errors.js";
import { byteSize, grouped } from "../../core/formatText.js";
import { type Shape, sameShape } from "../../core/shape.js";
import { makeNpy, npyParts } from "../../data/formats/npy.js";
import { readError, readFileBytes, readFileStart, statFile } from "../../data/node/files.js";
import { type ImageFormat, imageFormatOf } from "../../data/node/imageFormat.js";
import { type Input, inspectInputs, memberIn } from "../../data/node/inputs.js";
import { readSignals } from "../../data/node/readSignals.js";
import { SkippedFiles } from "../../data/node/skippedFiles.js";
import { shownPath } from "../../data/node/system/fileNames.js";
import { placeOf } from "../../data/node/system/folderFiles.js";
import { formatOf, modelFormat, modelToBytes } from "../../model/files.js";
import { loadModel } from "../../model/node/files.js";
import { uniqueLabels } from "../terminal/uniqueLabels.js";
import { isDictionary, listNamed, type NamedFile, type NamedPath } from "./namedFiles.js";
import { type Content, MovedError, type Offer, type Offers } from "./offer.js";

/** The most that are listed: more is of no use in a page, which holds all of them in memory. */
const mostOffers = 50;

/** The most bytes of one thing, as in the page. */
const mostBytes = 512 * 2 ** 20;

const browserTypes: Readonly<Partial<Record<ImageFormat, string>>> = {
  PNG: "image/png",
  JPEG: "image/jpeg",
  WebP: "image/webp",
  GIF: "image/gif",
  AVIF: "image/avif",
  BMP: "image/bmp",
};

/** List what was named; each file that is left out is passed to `onNote` in one line. */
export async function findOffers(
  paths: readonly NamedPath[],
  onNote: (line: string) => void,
): Promise<Offers> {
  const notes: string[] = [];
  const note = (line: string) => {
    notes.push(line);
    onNote(line);
  };
  const skipped = new SkippedFiles(note);
  const files = await listNamed(paths, (problem) => skipped.add(problem));
  const found: Offer[] = [];
  let seen = 0;
  for (const file of files) {
    if (found.length >= mostOffers) break;
    seen++;
    const offers = await offersOf(file, (line) => skipped.add(new InputError(line))).catch(
      (error: unknown) => {
        skipped.add(readError(error, shownPath(file.path)));
        return [];
      },
    );
    found.push(...offers);
  }
  skipped.end();
  const more = Math.max(0, found.length - mostOffers) + files.length - seen;
  if (more > 0) note(`${grouped(more)} more are not shown: the studio lists ${mostOffers} at most`);
  const offers = found.slice(0, mostOffers);
  const names = uniqueLabels(offers.map(({ name }) => name));
  return { offers: offers.map((offer, i) => ({ ...offer, name: names[i] })), notes };
}

async function offersOf({ path, found }: NamedFile, onSkip: (line: string) => void): Promise<Offer[]> {
  const file = memberIn(path)?.archive ?? path;
  const place = await placeOf(file);
  const { size } = await statFile(file);
  const checked = (offer: Offer): Offer => ({ ...offer, open: () => inPlace(file, place, offer) });
  if (file === path && isDictionary(path) && (await holdsModel(path, size)))
    return [checked(dictionaryOffer(path, size))];
  if (found && isDictionary(path)) return []; // arrays of archives are read only if named, as by train
  const inputs = await inspectInputs([path], { onSkip: (line) => onSkip(line.replace(/, skipped$/, "")) });
  const offers = await Promise.all(inputs.slice(0, mostOffers + 1).map((input) => inputOffer(input, size)));
  return offers.map(checked);
}

/** Open what is offered, if its file is still in its place. */
async function inPlace(file: string, place: string, { open }: Offer): Promise<Content> {
  const now = await placeOf(file).catch((error: unknown) => {
    throw readError(error, shownPath(file));
  });
  if (now !== place) throw new MovedError(`${shownPath(file)}: not the file that was named any more`);
  return open();
}

async function holdsModel(path: string, size: number): Promise<boolean> {
  if (!path.toLowerCase().endsWith(".npz")) return true;
  return size <= mostBytes && formatOf(await readFileBytes(path), shownPath(path)) === modelFormat;
}

function dictionaryOffer(path: string, bytes: number): Offer {
  const type = "application/octet-stream";
  const open = async () =>
    path.toLowerCase().endsWith(".npz")
      ? { type, file: path }
      : { type, parts: [modelToBytes(await loadModel(path), shownPath(path))] };
  return { name: shownPath(path), kind: "dictionary", bytes, open };
}

async function inputOffer(input: Input, size: number): Promise<Offer> {
  const { path, kind, within } = input;
  const name = shownPath(path);
  if (kind === "npy" && !within) {
    const open = async () => ({ type: "application/octet-stream", file: path });
    return { name, kind: "array", bytes: requireSize(name, size), open };
  }
  const type = kind === "image" && !within ? await pictureType(path, name) : undefined;
  if (type) return { name, kind: "picture", bytes: size, open: async () => ({ type, file: path }) };
  if (input.kind !== "image") requireSize(name, 4 * input.shape.reduce((product, n) => product * n, 1));
  return { name, kind: "array", bytes: within?.length ?? size, open: () => convert(input, name) };
}

function requireSize(name: string, bytes: number): number {
  if (bytes <= mostBytes) return bytes;
  throw new InputError(`${name}: ${byteSize(bytes)} of samples; a page takes at most ${byteSize(mostBytes)}`);
}

/** The type of a picture that browsers decode; undefined for others. */
async function pictureType(path: string, name: string): Promise<string | undefined> {
  const format = imageFormatOf(await readFileStart(path, 1000));
  if (format === undefined) throw new InputError(`${name}: not a picture, an array or a dictionary`);
  return browserTypes[format];
}

/** The samples as `.npy`: one signal as it is, channels and pages along a first axis. */
async function convert(input: Input, name: string): Promise<Content> {
  const shapes: Record<string, Shape> = { image: [1, 1], wav: [1] };
  const patch = shapes[input.kind] ?? (input as { readonly shape: Shape }).shape;
  const signals = await readSignals([input], { patch, onSkip: (line) => fail(line) });
  const [{ shape }] = signals;
  if (!signals.every((signal) => sameShape(signal.shape, shape)))
    throw new InputError(`${name}: its pages have different sizes`);
  const samples = signals.reduce((sum, { data }) => sum + data.length, 0);
  requireSize(name, 4 * samples);
  const all = new Float32Array(samples);
  signals.forEach(({ data }, i) => all.set(data, i * data.length));
  const array = makeNpy(signals.length > 1 ? [signals.length, ...shape] : shape, all);
  return { type: "application/octet-stream", parts: npyParts(array) };
}

function fail(line: string): never {
  throw new ReadFailure(line);
}
