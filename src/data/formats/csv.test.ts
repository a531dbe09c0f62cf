import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineReader, readTableLine, type TextLine, tableForm } from "./csv.js";

/** The lines of a text that arrives in pieces of a few bytes. */
function linesOf(text: string, pieceBytes = 7): TextLine[] {
  const bytes = new TextEncoder().encode(text);
  const reader = new LineReader("x.csv");
  const lines: TextLine[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    lines.push(...reader.take(bytes.subarray(at, at + pieceBytes)));
  return [...lines, ...reader.end()];
}

/** The rows of a table. */
function read(text: string): number[][] {
  const lines = linesOf(text);
  const form = tableForm(lines, "x.csv");
  return lines.slice(form.header ? 1 : 0).map((line) => {
    const row = new Float64Array(form.columns);
    readTableLine(line, form, "x.csv", row, 0);
    return [...row];
  });
}

describe("a table", () => {
  it("gives the nearest double of every number that a program writes", () => {
    const value = fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.float({ noNaN: true }));
    const style = fc.constantFrom(
      String,
      (v: number) => v.toExponential(),
      (v: number) => v.toPrecision(12),
    );
    const property = fc.property(
      fc.array(fc.tuple(value, style), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(",", ";", "\t", " ", ", "),
      (cells, separator) => {
        const words = cells.map(([v, write]) => write(v));
        const line = words.join(separator);
        expect(read(`${line}\r\n\n# a comment\n${line}`)).toEqual([words.map(Number), words.map(Number)]);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it.each([
    ["a header", "a,b\n1,2\n3,4"],
    ["a quoted header", '"a, b","c"\n"1","2"\n3,4\n'],
    ["tabs, and units in the header", "time (s)\tvolts\r\n1\t2\r\n3\t4\r\n"],
    ["names of rows, as pandas writes them", ",0,1\n0,1,2\n1,3,4"],
    ["numbers of columns, as pandas writes them", "0,1\n1.0,2.0\n3.0,4.0"],
    ["names of rows, as R writes them", '"","V1","V2"\n"1",1,2\n"2",3,4'],
    ["a header without a name for the names of rows", "V1 V2\nfirst 1 2\nsecond 3 4"],
    ["a mark of UTF-8, and comments", "\ufeff# made by hand\n1 2\n\n  3   4  \n"],
    ["separators at the ends of lines", "1;2;\n3;4;\n"],
  ])("is read with %s", (_, text) => {
    expect(read(text)).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it("of integers alone may begin with those of its columns", () => {
    expect(read("0,1\n1,2")).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it("may have decimal commas after semicolons and tabs, if no number has a point", () => {
    expect(read("a;b\n1,5;-2\n3;,25")).toEqual([
      [1.5, -2],
      [3, 0.25],
    ]);
    expect(read("1,5e3\t2,25")).toEqual([[1500, 2.25]]);
    expect(() => read("1,5;2.5")).toThrow('x.csv: line 1, column 1: "1,5" is not a number');
    expect(() => read("1,5;2\n1.234,5;2")).toThrow('x.csv: line 2, column 1: "1.234,5" is not a number');
  });

  it("has NaN for gaps", () => {
    const [row] = read("1,,NA,nan, null,n/a,-inf");
    expect(row).toEqual([1, Number.NaN, Number.NaN, Number.NaN, Number.NaN, Number.NaN, -Infinity]);
  });

  it.each([
    ['line 3, column 2: "x" is not a number', "a,b\n1,2\n3,x"],
    ['line 1, column 3: "0x10" is not a number', "1,2,0x10,4,5\n1,2,3,4,5"],
    ["line 4 has 3 columns, the lines before it 2", "# c\n1,2\n\n1,2,3"],
    ["line 2 has 1 columns, the lines before it 2", "1,2\n1"],
    ["holds no numbers", "\n# nothing\n"],
    ["holds no numbers", "a,b,c\n"],
    ["must be UTF-8 text, got UTF-16", ""],
    ["not a text file", "1,2\n\0,2"],
  ])("refuses: %s", (message, text) => {
    if (text !== "") return expect(() => read(text)).toThrow(`x.csv: ${message}`);
    const reader = new LineReader("x.csv");
    expect(() => [...reader.take(Uint8Array.of(0xff, 0xfe, 49, 0, 10, 0))]).toThrow(`x.csv: ${message}`);
  });
});
