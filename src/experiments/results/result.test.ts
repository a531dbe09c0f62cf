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
  const figures = [
    { name: "figure-8-atoms.png", caption: "Figure 8a: atoms" },
    { name: "figure-8-m-term.svg", caption: "Figure 8b: curves" },
  ];
  const folder = "fig8-lfw-crop64";
  const page = allPage([{ folder, result: { ...sampleResult, figures } }], {
    failures: new Map([["fig7", "no memory"]]),
    summaries: new Map([["fig8", "faces, with few atoms: figure 8"]]),
  });

  test("shows the figures in their order, with captions, and links to them", () => {
    const shown = page.matchAll(/<a href="([^"]+)"><img src="([^"]+)"[^>]*><\/a><figcaption>([^<]*)/g);
    expect([...shown].map(([, ...parts]) => parts)).toEqual(
      figures.map(({ name, caption }) => [`${folder}/${name}`, `${folder}/${name}`, caption]),
    );
    expect(page).toContain('<a href="fig8-lfw-crop64/result.json">');
    expect(page).toContain('<a href="fig8-lfw-crop64/index.html">');
  });

  test("names an experiment by its figure and its data, and links its line to its part", () => {
    const title = "Figure 8: faces, with few atoms (lfw-crop64)";
    expect(page).toContain(`<a href="#${folder}">${title}</a>`);
    expect(page).toContain(`<h2 id="${folder}">${title}</h2>`);
  });

  test("sums up at the top: claims, time, device, data, program and day, each once", () => {
    const again = { ...sampleResult, experiment: "fig7", date: "2026-11-18T01:02:03.000Z" };
    const both = allPage([sampleResult, again].map((result, i) => ({ folder: `f${i}`, result })));
    const top = both.slice(0, both.indexOf("<h2>Experiments"));
    for (const part of [
      "<dt>claims that hold</dt><dd>2 of 4</dd>",
      "<dt>time</dt><dd>5:03</dd>",
      "<dt>device</dt><dd>gpu: WebGPU, nvidia-h200</dd>",
      "<dt>machine</dt><dd>A processor, 16 cores, Node 20.20.2</dd>",
      "<dt>data</dt><dd>faces/lfw-crop64.npy (11000)</dd>",
      "<dt>program</dt><dd>trainlets 0.1.0 at 1a2b3c4d5e</dd>",
      "<dt>date</dt><dd>2026-11-16 to 2026-11-18</dd>",
    ])
      expect(top).toContain(part);
    expect(both).not.toContain(">commit</th>");
  });

  test("has a column for what differs between experiments", () => {
    const quick = { ...sampleResult, quick: true, device: { name: "cpu", description: "2 threads" } };
    const mixed = allPage([sampleResult, quick].map((result, i) => ({ folder: `f${i}`, result })));
    for (const part of [">device</th>", "<td>cpu: 2 threads</td>", ">size</th>", "<td>quick</td>"])
      expect(mixed).toContain(part);
  });

  test("lists what does not hold before the experiments, if there is anything", () => {
    const [failed] = sampleResult.claims;
    const list = page.slice(page.indexOf("Claims that do not hold"), page.indexOf(`<h2 id="${folder}"`));
    expect(list).toContain(failed.text);
    expect(list).not.toContain(sampleResult.claims[1].text);
    const fine = { ...sampleResult, claims: sampleResult.claims.slice(1) };
    expect(allPage([{ folder, result: fine }])).not.toContain("Claims that do not hold");
  });

  test("is made of results without figures as well, as older versions wrote them", () => {
    expect(readResult(resultToText(sampleResult), "a.json").figures).toBeUndefined();
    expect(allPage([{ folder, result: sampleResult }])).not.toContain("<img");
    expect(() =>
      readResult(resultToText({ ...sampleResult, figures: ["a.png"] as never }), "a.json"),
    ).toThrow("a.json: damaged: figures must be a list of objects");
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
    const caption = "<script>";
    const names = ['figure-"><script>.svg', "javascript:x.png"].map((name) => ({ name, caption }));
    const result = { ...sampleResult, figures: names, label: caption };
    const hostile = allPage([{ folder: "javascript:alert(1)", result }]);
    expect(hostile).not.toContain("<script>");
    expect(hostile).not.toMatch(/href="javascript:/);
  });
});
