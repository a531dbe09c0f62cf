import { expect, test } from "vitest";
import { csvFile } from "./outcomeFiles.js";

const csvText = (header: string[], rows: (string | number)[][]) =>
  new TextDecoder().decode(csvFile("table.csv", header, rows).bytes);

test("a table of comma-separated values has one line per row, ended by a line feed", () => {
  expect(csvText(["M", "PSNR"], [])).toBe("M,PSNR\n");
  const rows = [
    [1, "20.50"],
    [2, "22.00"],
  ];
  expect(csvText(["M", "PSNR"], rows)).toBe("M,PSNR\n1,20.50\n2,22.00\n");
});

test("a cell with a comma, a quotation mark or a line feed is quoted", () => {
  expect(csvText(["a, b", 'say "c"', "d\ne"], [])).toBe('"a, b","say ""c""","d\ne"\n');
});
