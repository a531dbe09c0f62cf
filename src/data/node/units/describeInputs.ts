/** What was read, in one line for people: "256 signals of 843 samples from X in set.npz", "120 pictures, 0.1 to 12 megapixels". */

import { basename } from "node:path";
import { counted, grouped } from "../../../core/formatText.js";
import { formatShape, type Shape, sameShape, sizeOf } from "../../../core/shape.js";
import { visibleLine } from "../../../core/visibleText.js";
import type { ArrayInput, Input } from "../inputKinds.js";
import { shownPath } from "../system/fileNames.js";

/** Signals of one shape, as units of a source have them; a signal has a count of 1. */
export interface CountedSignals {
  /** The file they come from, with a place in it where it holds several. */
  readonly name: string;
  readonly shape: Shape;
  readonly count?: number;
  /** The first row, if it is a piece of a signal whose other rows are in other units. */
  readonly from?: number;
  readonly part?: "signals" | "rows";
}

/** A line about inputs and the signals they turned out to hold. */
export function describeInputs(inputs: readonly Input[], signals: readonly CountedSignals[]): string {
  const images = new Set(inputs.filter(({ kind }) => kind === "image").map(({ path }) => shownPath(path)));
  const ofImages = ({ name }: CountedSignals) => images.has(name) || images.has(withoutPlace(name));
  const pictures = joinPieces(signals.filter(ofImages));
  const others = joinPieces(signals.filter((signal) => !ofImages(signal)));
  const arrays = inputs.filter((input) => input.kind !== "image");
  const parts = [
    ...(pictures.length > 0 ? [describePictures(pictures, images.size)] : []),
    ...(others.length > 0 ? [describeArrays(arrays, others)] : []),
  ];
  return visibleLine(parts.join("; ")); // names of files may be anything
}

/** `stack.tif[3]` → `stack.tif`. */
function withoutPlace(name: string): string {
  return name.replace(/\[[\d:]+\]$/, "");
}

type Counted = Required<Pick<CountedSignals, "name" | "shape" | "count">>;

/** Signals with their pieces put together again. */
function joinPieces(signals: readonly CountedSignals[]): Counted[] {
  const whole: Counted[] = [];
  let last: { readonly name: string; readonly end: number } | undefined;
  for (const { name, shape, count = 1, from = 0, part } of signals) {
    const before = whole.at(-1);
    const end = from + shape[0];
    if (part === "rows" && before && last?.name === name && from < last.end && from > 0) {
      whole[whole.length - 1] = { ...before, shape: [end, ...shape.slice(1)] };
    } else whole.push({ name, shape, count });
    last = part === "rows" ? { name, end } : undefined;
  }
  return whole;
}

function totalOf(signals: readonly Counted[]): number {
  return signals.reduce((sum, { count }) => sum + count, 0);
}

/** The shape that all have; undefined if they differ. */
function commonShape(signals: readonly Counted[]): Shape | undefined {
  const [{ shape }] = signals;
  return signals.every((signal) => sameShape(signal.shape, shape)) ? shape : undefined;
}

function describePictures(signals: readonly Counted[], files: number): string {
  const total = totalOf(signals);
  const shape = commonShape(signals)?.slice(0, isColour(signals[0]) ? 2 : undefined);
  const what = describePictureCount(total, signals);
  const file = files === 1 ? ` from ${shortName(withoutPlace(signals[0].name))}` : "";
  if (shape) return `${what} of ${formatShape(shape)}${file}`;
  const pixels = signals.map((signal) => sizeOf(signal.shape.slice(0, 2)) / 1e6);
  const [least, most] = [Math.min(...pixels), Math.max(...pixels)].map(megapixels);
  return `${what}, ${least === most ? "" : `${least} to `}${most} megapixels${least === most ? " each" : ""}${file}`;
}

function describePictureCount(total: number, signals: readonly Counted[]): string {
  if (signals.every(isColour)) return counted(total, "colour picture");
  if (signals.every(({ shape }) => shape.length === 3))
    return counted(total, "stack of pages", "stacks of pages");
  return counted(total, "picture");
}

/** Whether a signal of a picture has an axis of red, green and blue; pages come first. */
function isColour({ shape }: Counted): boolean {
  return shape.length === 3 && shape[2] === 3;
}

function megapixels(value: number): string {
  return value >= 9.95
    ? value.toFixed(0)
    : value >= 0.0995
      ? value.toFixed(1)
      : String(Number(value.toPrecision(1)));
}

function describeArrays(inputs: readonly ArrayInput[], signals: readonly Counted[]): string {
  const noun = inputs.every(({ kind }) => kind === "wav") ? "channel" : "signal";
  const what = counted(totalOf(signals), noun);
  const shape = commonShape(signals);
  const from = inputs.length === 1 ? placeOf(inputs[0]) : counted(inputs.length, "file");
  const leftOut = inputs.length === 1 && inputs[0].leftOut ? ` (${inputs[0].leftOut})` : "";
  if (shape) return `${what} of ${describeShape(shape)} from ${from}${leftOut}`;
  const sizes = signals.map((signal) => sizeOf(signal.shape));
  return `${what} of ${grouped(Math.min(...sizes))} to ${grouped(Math.max(...sizes))} samples from ${from}${leftOut}`;
}

function describeShape(shape: Shape): string {
  return shape.length === 1 ? counted(shape[0], "sample") : formatShape(shape);
}

/** `X in set.npz`, `the columns of set.csv`. */
function placeOf({ path, within, columns }: ArrayInput): string {
  const file = within ? shortName(shownPath(within.file)) : shortName(shownPath(path));
  const member = within && path.startsWith(within.file) ? path.slice(within.file.length + 1, -1) : undefined;
  return `${columns ? "the columns of " : ""}${member === undefined ? file : `${shownPath(member)} in ${file}`}`;
}

function shortName(path: string): string {
  return basename(path);
}

/**
 * A line if an array looks as if its signals were in columns: all axes but the last have the sizes of the patch, and all
 * but the first do not. Each column is then a whole signal, as in SPAMS and Matlab.
 */
export function hintAtColumns(inputs: readonly Input[], patch: Shape): string | undefined {
  const turned = inputs.find(
    (input) => input.kind !== "image" && !input.columns && looksTurned(input, patch),
  );
  if (turned === undefined || turned.kind === "image") return undefined;
  const { path, shape } = turned;
  const count = shape[shape.length - 1];
  return visibleLine(
    `${shownPath(path)} is ${formatShape(shape)}: read as ${counted(shape[0], "signal")} of ${describeShape(shape.slice(1))}; ` +
      `if each column is a signal, --signals columns reads ${counted(count, "signal")} of ${describeShape(patch)}`,
  );
}

function looksTurned({ kind, shape }: ArrayInput, patch: Shape): boolean {
  if (kind === "wav" || shape.length !== patch.length + 1) return false;
  return sameShape(shape.slice(0, -1), patch) && !sameShape(shape.slice(1), patch);
}
