import { expect, test } from "vitest";
import { csvText } from "./csv.js";

test("a table has one line per row, ended by a line feed", () => {
  expect(csvText(["M", "PSNR"], [])).toBe("M,PSNR\n");
  expect(
    csvText(
      ["M", "PSNR"],
      [
        [1, "20.50"],
        [2, "22.00"],
      ],
    ),
  ).toBe("M,PSNR\n1,20.50\n2,22.00\n");
});

test("a cell with a comma, a quotation mark or a line feed is quoted", () => {
  expect(csvText(["a, b", 'say "c"', "d\ne"], [])).toBe('"a, b","say ""c""","d\ne"\n');
});
