/**
 * Tables of numbers as text (`.csv`, `.tsv`, `.txt`): what separates their columns, whether they have a header, and
 * their numbers, line by line.
 *
 * Columns are separated by tabs, semicolons, commas, or spaces: the first of these that the first lines contain. After
 * tabs and semicolons, numbers may have decimal commas, if none of the first lines has a decimal point. A first line that
 * is mostly names, or counts the columns from 0, is a header; if its first name is empty or missing, the first column has
 * the names of rows and is left out, as pandas and R write it. Empty lines and lines that begin with `#` are left out. An
 * empty field, `NA`, `NaN`, `null` and `none` are gaps, NaN. Anything else that is not a number is an error with its line
 * and column.
 */

import { InputError, show } from "../../core/errors.js";

/** How a table is written. */
export interface TableForm {
  readonly separator: "\t" | ";" | "," | " ";
  readonly decimalComma: boolean;
  readonly header: boolean;
  /** Whether the first column has names of rows. */
  readonly named: boolean;
  /** Whether every line ends with a separator. */
  readonly trailing: boolean;
  /** Columns of numbers. */
  readonly columns: number;
}

/** A line of text, without its end; lines are counted from 1. */
export interface TextLine {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** The longest line, in bytes. */
const maxLineBytes = 2 ** 28;

const [newline, carriageReturn, space, tab, quote, hash] = [10, 13, 32, 9, 34, 35];

/** Cuts pieces of a text into lines, and passes on those that are not empty and do not begin with `#`. */
export class LineReader {
  readonly #name: string;
  #parts: Uint8Array[] = [];
  #held = 0;
  #number = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** The lines that end in this piece; the bytes of the piece must not change later. */
  *take(piece: Uint8Array): Generator<TextLine> {
    let from = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      const line = this.#line(piece.subarray(from, end));
      from = end + 1;
      if (line) yield line;
    }
    this.#parts.push(piece.subarray(from));
    this.#held += piece.length - from;
    if (this.#held > maxLineBytes)
      throw new InputError(`${this.#name}: line ${this.#number + 1} is longer than ${maxLineBytes} bytes`);
  }

  /** The last line, if the text does not end with a line end. */
  *end(): Generator<TextLine> {
    if (this.#held === 0) return;
    const line = this.#line(new Uint8Array(0));
    if (line) yield line;
  }

  #line(last: Uint8Array): TextLine | undefined {
    let bytes = last;
    if (this.#held > 0) {
      bytes = new Uint8Array(this.#held + last.length);
      let at = 0;
      for (const part of [...this.#parts, last]) {
        bytes.set(part, at);
        at += part.length;
      }
      this.#parts = [];
      this.#held = 0;
    }
    this.#number++;
    if (this.#number === 1) bytes = withoutMark(bytes, this.#name);
    while (isSpace(bytes[bytes.length - 1]) && bytes[bytes.length - 1] !== tab) bytes = bytes.subarray(0, -1);
    const first = bytes.find((byte) => !isSpace(byte));
    return first === undefined || first === hash ? undefined : { number: this.#number, bytes };
  }
}

/** The first line without the mark of UTF-8. */
function withoutMark(bytes: Uint8Array, name: string): Uint8Array {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.subarray(3);
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    throw new InputError(`${name}: must be UTF-8 text, got UTF-16`);
  return bytes;
}

function isSpace(byte: number | undefined): boolean {
  return byte === space || byte === carriageReturn || byte === tab;
}

/** How a table is written, from its first lines; `name` is for messages. */
export function tableForm(lines: readonly TextLine[], name: string): TableForm {
  if (lines.length === 0) throw new InputError(`${name}: holds no numbers`);
  const texts = lines.map(({ bytes }) => new TextDecoder().decode(bytes));
  if (texts.some((text) => text.includes("\0"))) throw new InputError(`${name}: not a text file`);
  const unquoted = texts.map((text) => text.replaceAll(/"[^"]*"/g, "0"));
  const separator =
    (["\t", ";", ","] as const).find((letter) => unquoted.some((text) => text.includes(letter))) ?? " ";
  const rows = lines.map(({ bytes }) => fieldsOf(bytes, separator));
  const decimalComma = hasDecimalCommas(rows, separator);
  const [first, ...rest] = rows;
  const header = isHeader(first, decimalComma) || countsColumns(first, rest);
  if (header && rest.length === 0) throw new InputError(`${name}: holds no numbers`);
  const numbers = header ? rest : rows;
  const trailing = separator !== " " && rows.every((fields) => fields.length > 1 && fields.at(-1) === "");
  const width = numbers[0].length;
  const named = header && width > 1 && (first[0] === "" || first.length === width - 1);
  return {
    separator,
    decimalComma,
    header,
    named,
    trailing,
    columns: width - (named ? 1 : 0) - (trailing ? 1 : 0),
  };
}

function fieldsOf(line: Uint8Array, separator: TableForm["separator"]): string[] {
  const fields: string[] = [];
  splitLine(line, separator.charCodeAt(0), (from, to) => {
    fields.push(new TextDecoder().decode(line.subarray(from, to)));
  });
  return fields;
}

/** Whether commas are decimal: some numbers have one, and none has a point. */
function hasDecimalCommas(rows: readonly string[][], separator: TableForm["separator"]): boolean {
  if (separator !== "\t" && separator !== ";") return false;
  const fields = rows.flat();
  return (
    fields.some((field) => /^[+-]?\d*,\d+(?:[eE][+-]?\d+)?$/.test(field)) &&
    !fields.some((field) => /^[+-]?\d*\.\d*(?:[eE][+-]?\d+)?$/.test(field))
  );
}

/** Whether a line counts columns from 0, as pandas names those without names, above numbers that are not all integers. */
function countsColumns(fields: readonly string[], rest: readonly string[][]): boolean {
  return (
    fields.length > 1 &&
    fields.every((field, i) => field === String(i)) &&
    rest.some((others) => others.some((field) => !/^[+-]?\d*$/.test(field)))
  );
}

/** At least half of its names have letters and are not numbers; or it begins with an empty name and counts columns, as pandas does. */
function isHeader(fields: readonly string[], decimalComma: boolean): boolean {
  const filled = fields.filter((field) => field !== "");
  if (fields[0] === "" && filled.length > 0 && filled.every((field, i) => field === String(i))) return true;
  const texts = filled.filter((field) => /\p{L}/u.test(field) && numberOf(field, decimalComma) === undefined);
  return texts.length > 0 && 2 * texts.length >= filled.length;
}

/** Call `take` with the place of each field of a line, without spaces and quotes around it. */
function splitLine(line: Uint8Array, separator: number, take: (from: number, to: number) => void): void {
  const end = line.length;
  for (let at = 0; at <= end; ) {
    let from = at;
    while (from < end && line[from] !== separator && isSpace(line[from])) from++;
    if (separator === space) while (from < end && isSpace(line[from])) from++;
    if (line[from] === quote) {
      const closing = line.indexOf(quote, from + 1);
      const to = closing < 0 ? end : closing;
      take(from + 1, to);
      at = nextSeparator(line, to, separator) + 1;
      continue;
    }
    const next = nextSeparator(line, from, separator);
    let to = next;
    while (to > from && isSpace(line[to - 1])) to--;
    if (separator !== space || to > from) take(from, to);
    at = next + 1;
  }
}

function nextSeparator(line: Uint8Array, from: number, separator: number): number {
  let at = from;
  if (separator === space) while (at < line.length && !isSpace(line[at])) at++;
  else while (at < line.length && line[at] !== separator) at++;
  return at;
}

/** The numbers of a line of the table into `into`, from `at` on. */
export function readTableLine(
  { number, bytes }: TextLine,
  { separator, decimalComma, named, trailing, columns }: TableForm,
  name: string,
  into: Float64Array,
  at: number,
): void {
  const first = named ? 1 : 0;
  let column = 0;
  splitLine(bytes, separator.charCodeAt(0), (from, to) => {
    const place = column++ - first;
    if (place < 0 || place >= columns) return;
    const value = parseNumber(bytes, from, to, decimalComma);
    if (value === undefined) {
      const text = new TextDecoder().decode(bytes.subarray(from, to));
      throw new InputError(`${name}: line ${number}, column ${column}: ${show(text)} is not a number`);
    }
    into[at + place] = value;
  });
  const expected = columns + first + (trailing ? 1 : 0);
  if (column !== expected && column !== expected - (trailing ? 1 : 0))
    throw new InputError(`${name}: line ${number} has ${column} columns, the lines before it ${expected}`);
}

const powers = Array.from({ length: 23 }, (_, i) => 10 ** i);

/**
 * The number in some bytes; undefined if they are not one. A number of at most 15 digits is an integer below 2⁵³ times or
 * divided by a power of ten up to 10²², both exact, so that one rounding gives the nearest double; others are left to the
 * parser of the language.
 */
function parseNumber(bytes: Uint8Array, from: number, to: number, decimalComma: boolean): number | undefined {
  const point = decimalComma ? 44 : 46;
  let at = from;
  const negative = bytes[at] === 45;
  if (negative || bytes[at] === 43) at++;
  let digits = 0;
  let value = 0;
  let decimals = -1;
  for (; at < to; at++) {
    const byte = bytes[at];
    if (byte >= 48 && byte <= 57) {
      value = 10 * value + byte - 48;
      digits++;
      if (decimals >= 0) decimals++;
    } else if (byte === point && decimals < 0) decimals = 0;
    else break;
  }
  if (at < to || digits === 0 || digits > 15)
    return numberOf(new TextDecoder().decode(bytes.subarray(from, to)), decimalComma);
  const size = decimals > 0 ? value / powers[decimals] : value;
  return negative ? -size : size;
}

const gapWords = ["", "nan", "na", "n/a", "null", "none"];

/** The number that a text is, NaN for a gap; undefined if it is not one. */
function numberOf(text: string, decimalComma: boolean): number | undefined {
  const word = text.toLowerCase();
  if (gapWords.includes(word)) return Number.NaN;
  const infinite = /^([+-]?)inf(?:inity)?$/.exec(word);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  const plain = decimalComma ? text.replace(",", ".") : text;
  if (decimalComma && text.includes(".")) return undefined;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain) ? Number(plain) : undefined;
}
