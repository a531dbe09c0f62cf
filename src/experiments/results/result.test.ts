import { describe, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { allPage } from "./allPage.js";
import { compactJson, describeRun, readResult, resultToText, totalSeconds } from "./result.js";
import { sampleResult } from "./sampleResult.case.js";

describe("the file of a result", () => {
  test("gives back what was written", () => {
    expect(readResult(resultToText(sampleResult), "result.json")).toEqual(sampleResult);
  });

  test("the time of an experiment has the stages of earlier runs in it", () => {
    expect(totalSeconds({ seconds: 1, stageSeconds: { learning: 20, drawing: 0.5 } })).toBe(20.5);
    expect(totalSeconds({ seconds: 22, stageSeconds: { learning: 20, drawing: 0.5 } })).toBe(22);
  });

  test("keeps lists of numbers on one line, and has null for what is not finite", () => {
    const psnr = Array.from({ length: 60 }, (_, i) => i / 7);
    const text = resultToText({ ...sampleResult, values: { psnr, worst: -Infinity } });
    expect(text.split("\n").some((line) => line.includes(JSON.stringify(psnr)))).toBe(true);
    expect(readResult(text, "a.json").values).toEqual({ psnr, worst: null });
    expect(JSON.parse(compactJson({ a: undefined, b: [{ c: "x".repeat(200) }] }))).toEqual({
      b: [{ c: "x".repeat(200) }],
    });
  });

  const { claims, ...rest } = sampleResult;
  test.each([
    ["", "a.json: not a result of trainlets reproduce"],
    ["[1]", "a.json: not a result of trainlets reproduce"],
    ['{"format": "something else"}', "a.json: not a result of trainlets reproduce"],
    [
      '{"format": "trainlets result", "formatVersion": 2}',
      "a.json: result format 2 is not known to this version; known: 1",
    ],
    [
      resultToText({ ...sampleResult, seconds: -1 }),
      "a.json: damaged: seconds must be a number of at least 0, got -1",
    ],
    [
      resultToText({ ...rest, claims: [{ ...claims[0], holds: 1 as unknown as boolean }] }),
      "a.json: damaged: claims[0].holds must be true or false, got 1",
    ],
    [
      resultToText({ ...sampleResult, table: { header: ["a"], rows: [["b", "c"]] } }),
      "a.json: damaged: table.rows[0] must have 1 cells",
    ],
    [
      resultToText({ ...sampleResult, other: 1 } as typeof sampleResult),
      "a.json: damaged: other is not a field of a result",
    ],
    [
      resultToText({ ...sampleResult, stageSeconds: { learning: "long" as unknown as number } }),
      "a.json: damaged: stageSeconds must be an object of seconds, got an Object",
    ],
  ])("is refused with one plain line: %#", (text, message) => {
    expect(() => readResult(text, "a.json")).toThrow(new InputError(message));
  });

  test("is refused wherever a field is missing", () => {
    for (const field of Object.keys(sampleResult)) {
      const { [field as keyof typeof sampleResult]: _, ...others } = sampleResult;
      expect(() => readResult(resultToText(others as typeof sampleResult), "a.json"), field).toThrow(
        InputError,
      );
    }
  });

  test("is named by its experiment and its data", () => {
    expect(describeRun(sampleResult)).toBe("fig8, lfw-crop64");
    expect(describeRun({ ...sampleResult, label: "", quick: true })).toBe("fig8, quick");
  });
});

describe("the page of all results", () => {
  const page = allPage([{ folder: "fig8-lfw-crop64", result: sampleResult }], {
    failures: new Map([["fig7", "no memory"]]),
    summaries: new Map([["fig8", "faces, with few atoms"]]),
  });

  test("shows each figure once and links to it, as SVG where there is one", () => {
    const shown = [...page.matchAll(/<a href="([^"]+)"><img src="([^"]+)"/g)].map(([, href, src]) => [
      href,
      src,
    ]);
    expect(shown).toEqual([
      ["fig8-lfw-crop64/figure-8-m-term.svg", "fig8-lfw-crop64/figure-8-m-term.svg"],
      ["fig8-lfw-crop64/figure-8-atoms.png", "fig8-lfw-crop64/figure-8-atoms.png"],
    ]);
    expect(page).toContain('<a href="fig8-lfw-crop64/result.json">');
  });

  test("puts the paper beside what was measured, with device and time, and names what failed", () => {
    for (const { text, paper, measured } of sampleResult.claims)
      for (const part of [text, paper, measured]) expect(page).toContain(part);
    for (const part of [
      "1 of 2",
      "does not hold",
      "WebGPU, nvidia-h200",
      "2:31",
      "One sentence.",
      "no memory",
    ])
      expect(page).toContain(part);
  });

  test("lets no name of a file or folder become markup or a script", () => {
    const files = ['figure-"><script>.svg', "figure-x.png"];
    const hostile = allPage([{ folder: "javascript:alert(1)", result: { ...sampleResult, files } }]);
    expect(hostile).not.toContain("<script>");
    expect(hostile).not.toMatch(/href="javascript:/);
  });
});
