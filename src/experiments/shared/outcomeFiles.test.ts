import { expect, test } from "vitest";
import { claimSection, csvFile, svgFigure, svgSection, textFile, withPage } from "./outcomeFiles.js";

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

test("a page is the last file, and links to all others", () => {
  const figure = svgFigure("a b.svg", '<svg width="10" height="10"></svg>', "Figure 1: a.");
  const files = withPage([figure, textFile("b.csv", "")], { title: "T", sections: [svgSection(figure)] });
  expect(files.map(({ name }) => name)).toEqual(["a b.svg", "b.csv", "index.html"]);
  const page = new TextDecoder().decode(files[2].bytes);
  const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
  expect(links).toEqual(["a%20b.svg", "a%20b.svg", "b.csv"]); // the figure itself is a link
});

test("the heading of claims counts those that hold, if there are any", () => {
  const claim = { id: "a", source: "§I", text: "a", paper: "b", measured: "c", holds: true };
  const heading = (...holds: boolean[]) =>
    claimSection(holds.map((one) => ({ ...claim, holds: one }))).heading;
  expect(heading(true, false)).toBe("Does it match the paper? 1 of 2 claims hold");
  expect(heading(true)).toBe("Does it match the paper? 1 of 1 claim holds");
  expect(heading()).toBe("Does it match the paper?");
});
