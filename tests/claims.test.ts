/**
 * The claims of the paper and the figures of the pages, held to the result files in bench/results. That docs/claims.md,
 * docs/results.md and README.md are made from them is checked by docs.test.ts.
 */

import { describe, expect, it } from "vitest";
import { measuredPart } from "../bench/measurements.js";
import type { Result } from "../src/experiments/results/result.js";
import { sampleResult } from "../src/experiments/results/sampleResult.case.js";
import { cell, claimsPage, countFromFewer, verdictOf } from "./docs/claimsPage.js";
import { dictionaryDepartures, judgeDictionaries } from "./docs/dictionaryClaims.js";
import { judgedAnew, judgedExperiments, notInStoredRuns, plannedText, rowsAnew } from "./docs/judgedAnew.js";
import { ownClaims, type PaperSentence, paperSentences } from "./docs/paperSentences.js";
import { isRoundingOf, notMeasured, numbersOf, paperFigures, quotedFigures } from "./docs/quotedFigures.js";
import { runNotes } from "./docs/runNotes.js";
import { sinceRuns, sinceRunText } from "./docs/sinceRuns.js";
import { judgeWithSpams, type SpamsClaim, spamsDepartures } from "./docs/spamsClaims.js";
import { acceptsHashes, hashOfResult, knownHashes, presentHashes, writeHashes } from "./docs/storedHashes.js";
import { type StoredResult, storedMeasurements, storedResults, unknownFiles } from "./docs/storedResults.js";
import { exists, listFiles, read } from "./sources.js";

describe("the files of bench/results", () => {
  it("are results of experiments or tables of benchmarks, whole", () => {
    expect(unknownFiles()).toEqual([]);
    expect(storedResults().length + storedMeasurements().length).toBeGreaterThan(2);
  });

  it("say where and with what they were measured", () => {
    for (const { file, measurements } of storedMeasurements()) {
      expect(measurements.date, file).toMatch(/^\d{4}-\d\d-\d\d$/);
      for (const text of [measurements.machine, measurements.command])
        expect(text.length, file).toBeGreaterThan(5);
      expect(measurements.parts.length, file).toBeGreaterThan(0);
    }
    for (const { file, result } of storedResults())
      expect(result.trainlets.commit ?? result.trainlets.sources, file).toBeDefined();
  });

  it("have a hash of all that is not judged anew", () => {
    const [anew, fixed] = ["fig5", "fig4"].map(
      (experiment) => storedResults().find(({ result }) => result.experiment === experiment)!,
    );
    const changed = ({ file, result }: StoredResult, change: Partial<Result>) =>
      hashOfResult({ file, text: JSON.stringify({ ...result, ...change }) })[1];
    const flipped = (one: StoredResult) => ({
      claims: one.result.claims.map((claim) => ({ ...claim, holds: !claim.holds })),
    });
    expect(changed(fixed, flipped(fixed))).not.toBe(changed(fixed, {}));
    expect(changed(anew, flipped(anew))).toBe(changed(anew, {})); // another test holds these to the numbers
    expect(changed(anew, { seconds: 1 })).not.toBe(changed(anew, {}));
  });

  it("are of a state of the program that is in its history", () => {
    for (const { file, result } of storedResults())
      expect(result.trainlets.commit ?? "", file).not.toMatch(/\+$/);
  });

  it("are those that were measured: their hashes are written down", () => {
    if (acceptsHashes) writeHashes();
    expect(
      presentHashes(),
      "a file was changed; if it was measured anew, see tests/docs/storedHashes.ts",
    ).toEqual(knownHashes());
  });

  const names = [...paperSentences.flatMap(({ claims = [] }) => claims), ...ownClaims].map((name) =>
    name.replace(/@\S+/, ""),
  );

  describe.each(judgedExperiments)("%s", (experiment) => {
    const found = storedResults().filter(({ result }) => result.experiment === experiment);

    it("has the claims that follow from its numbers", () => {
      expect(found.length).toBeGreaterThan(0);
      for (const { result } of found)
        expect(result.claims, "run `npm run docs`").toEqual(judgedAnew(result).claims);
    });

    it("has the table that follows from its numbers", () => {
      for (const { result } of found) expect(result.table.rows).toEqual(rowsAnew(result));
    });

    it("judges every claim of the list whose numbers it has", () => {
      const listed = names.filter((name) => name.startsWith(`${experiment} `));
      const made = found
        .filter(({ result }) => !result.quick)
        .flatMap(({ result }) => result.claims.map(({ id }) => `${experiment} ${id}`));
      const missing = notInStoredRuns.filter((name) => name.startsWith(`${experiment} `));
      expect([...new Set(listed)].filter((name) => !made.includes(name)).sort()).toEqual([...missing].sort());
    });
  });

  it("make no claim that the list of sentences lacks", () => {
    const made = storedResults()
      .filter(({ result }) => !result.quick)
      .flatMap(({ result }) => result.claims.map(({ id }) => `${result.experiment} ${id}`));
    expect(made.filter((name) => !names.includes(name))).toEqual([]);
  });

  it("leave no claim without words: those that are not measured yet have them from the settings", () => {
    const made = storedResults().flatMap(({ result }) =>
      result.claims.map(({ id }) => `${result.experiment} ${id}`),
    );
    const wordless = names.filter((name) => !made.includes(name) && plannedText(name) === undefined);
    expect(wordless).toEqual([]);
  });
});

describe("notes on what has changed since a run", () => {
  it("are of runs that are stored, and on the page", () => {
    const runs = storedResults().map(({ file, result }) => `${file} at ${result.trainlets.commit}`);
    const page = claimsPage({ results: storedResults(), benchmarks: [] });
    for (const since of sinceRuns) {
      const { file, commit } = since;
      expect(runs, `${file}: remove the note, if the run was made again`).toContain(`${file} at ${commit}`);
      expect(page).toContain(`- ${cell(sinceRunText(since))}`);
    }
    expect(page).toContain(`- Since this run, ${sinceRuns[0].note}`);
  });

  it("stand for departures that are stored", () => {
    for (const { file, insteadOf } of sinceRuns) {
      if (insteadOf === undefined) continue;
      const stored = storedResults().find((one) => one.file === file);
      expect(stored?.result.departures).toContain(insteadOf);
      expect(claimsPage({ results: storedResults(), benchmarks: [] })).not.toContain(insteadOf);
    }
  });

  it("about the machine are beside the departures, too", () => {
    const page = claimsPage({ results: storedResults(), benchmarks: [] });
    for (const [file, note] of Object.entries(runNotes)) {
      expect(storedResults().map((one) => one.file)).toContain(file);
      expect(page).toContain(`- ${cell(note)}`);
    }
  });
});

describe("the list of sentences", () => {
  it("gives each sentence claims, a test or a reason, and only one of them", () => {
    const kinds = paperSentences.map(
      ({ claims, tested, unmeasured }) => [claims, tested, unmeasured].filter(Boolean).length,
    );
    expect(paperSentences.length).toBeGreaterThan(40);
    expect(kinds.every((count) => count === 1)).toBe(true);
  });

  it("names tests that exist", () => {
    for (const { tested } of paperSentences) {
      if (!tested) continue;
      expect(exists(tested.path), tested.path).toBe(true);
      expect(read(tested.path), tested.title).toContain(tested.title);
    }
  });
});

describe("the page of claims", () => {
  const sentence = (...claims: string[]): PaperSentence => ({
    section: "§V-C",
    says: "So.",
    paper: "8 dB",
    claims,
  });
  const stored = (changes: Partial<Result> = {}, file = "a.json") => ({
    file,
    text: "",
    result: { ...sampleResult, ...changes },
  });

  const of = (...results: StoredResult[]) => ({ results, benchmarks: [] });

  it("has the verdict of each sentence from all its claims", () => {
    const both = sentence("fig8 osdl-over-wavelets", "fig8 osdl-over-pca");
    expect(verdictOf(of(stored()), sentence("fig8 osdl-over-pca"))).toBe("holds");
    expect(verdictOf(of(stored()), sentence("fig8 osdl-over-wavelets"))).toBe("does not hold");
    expect(verdictOf(of(stored()), both)).toBe("holds in part");
    expect(verdictOf(of(), both)).toBe("not measured yet");
    expect(verdictOf(of(stored()), sentence("fig8@utkface osdl-over-pca"))).toBe("not measured yet");
    expect(verdictOf(of(stored()), sentence("fig8@lfw osdl-over-pca"))).toBe("holds");
    const half = sentence("fig8 osdl-over-pca", "fig5 12x12-k7-niht");
    expect(verdictOf(of(stored()), half)).toBe("not measured yet");
  });

  const fullTitle =
    "spams 2; 200000 patches, tested on 30000 others; 4 epochs in mini-batches of 512; both start so.";
  const row = (osdl: string, spams: string) => ["12×12", "36", osdl, "6.5", spams, "5.7", "13.8", "in words"];
  const spamsFile = (title: string, ...rows: string[][]) => ({
    file: "odl.json",
    text: "",
    measurements: {
      ...storedMeasurements()[0].measurements,
      parts: [{ name: "odl", tables: [{ title, header: [], rows }], lines: [] }],
    },
  });

  it("judges by the ODL of SPAMS, too, where a sentence is about ODL", () => {
    const about: PaperSentence = {
      ...sentence("fig8 osdl-over-pca"),
      withSpams: (["meets", "below", "sooner and below"] as const).map((rule) => ({
        ...{ rule, side: 12, atomSparsity: 36 },
      })),
    };
    const judge = (osdl: string, spams: string) => ({
      results: [stored()],
      benchmarks: [spamsFile(fullTitle, row(osdl, spams), ["20×20", "36", "1", "1", "9", "9", "9", ""])],
    });
    expect(verdictOf(judge("5.771", "5.809"), about)).toBe("holds");
    expect(verdictOf(judge("5.809", "5.771"), about)).toBe("holds in part");
    const page = claimsPage(judge("5.809", "5.771"), [about]);
    expect(page).toContain(
      "5.809 and 5.771: 0.7 % above (5.7 by the coder of SPAMS) | holds | [bench odl](../bench/results/odl.json)",
    );
    expect(page).toContain(
      "6.5 s and 13.8 s; 5.809 and 5.771: 0.7 % above (5.7 by the coder of SPAMS) | undecided",
    );
    expect(judgeWithSpams(about.withSpams![0], judge("5.9", "5.8").benchmarks)[0].holds).toBe(false);
  });

  it("judges by the errors of SPAMS as they are, not by rounded differences", () => {
    const [meets, below] = (["meets", "below"] as const).map((rule) => (osdl: string, spams: string) => {
      const claim: SpamsClaim = { rule, side: 12, atomSparsity: 36 };
      return judgeWithSpams(claim, [spamsFile(fullTitle, row(osdl, spams))])[0];
    });
    expect(below("5.7709", "5.7710")).toMatchObject({ holds: true });
    expect(below("5.7709", "5.7710").measured).toContain("5.7709 and 5.7710: 0.0 % below");
    expect(below("5.7710", "5.7710")).toMatchObject({ holds: false });
    expect(meets("5.0500", "5")).toMatchObject({ holds: true });
    expect(meets("5.0501", "5")).toMatchObject({ holds: false });
  });

  it("counts no small version of the table of SPAMS", () => {
    const claim: SpamsClaim = { rule: "meets", side: 12, atomSparsity: 36 };
    const quick = fullTitle.replace("200000 patches, tested on 30000", "10000 patches, tested on 3000");
    expect(judgeWithSpams(claim, [spamsFile(quick, row("5", "6"))])).toEqual([]);
    expect(judgeWithSpams(claim, [spamsFile(fullTitle, row("5", "6"))]).length).toBe(1);
  });

  it("says with what coder SPAMS learns, and what its own test error is", () => {
    const [{ items }] = spamsDepartures([spamsFile(fullTitle, row("5.771", "5.809"))]);
    expect(items[1]).toContain("5.7 at 12×12");
    expect(items[1]).toContain("in the paper: 12x12, k = 36: 1.2 % above.");
  });

  it("finds every row of the table of SPAMS that a sentence names", () => {
    for (const claim of paperSentences.flatMap(({ withSpams = [] }) => withSpams))
      expect(judgeWithSpams(claim, storedMeasurements()).length, JSON.stringify(claim)).toBe(1);
  });

  const atomsFile = (fewest: string, farthest = "17") => {
    const kinds = ["local with few", "local with many", "spread with few", "spread with many"];
    const tables = [
      {
        title: "universal32, how it was learned:",
        header: [],
        rows: [["osdl", "1,000", "20,000,000", "512", "60 atoms", "omp"]],
      },
      {
        title: "universal32, kinds of atoms:",
        header: ["atoms", ...kinds],
        rows: [
          ["learned", "50.0 %", "25.0 %", "20.0 %", fewest],
          ["of the base", "90.0 %", "10.0 %", "0.0 %", "0.0 %"],
        ],
      },
      { title: "universal32, patterns that recur:", header: [], rows: [["3", "4", "8", farthest]] },
    ];
    const { measurements } = storedMeasurements()[0];
    const parts = [{ name: "atoms", tables, lines: [] }];
    return { file: "atoms.json", text: "", measurements: { ...measurements, parts } };
  };
  const many = sentence("universal32 kinds-of-atoms");
  const recurring = sentence("universal32 recurring-patterns");

  it("judges by a dictionary from fewer patches where no run does, and says so", () => {
    const evidence = { results: [], benchmarks: [atomsFile("5.0 %")] };
    expect(verdictOf(evidence, many)).toBe("holds");
    expect(verdictOf({ ...evidence, benchmarks: [atomsFile("4.9 %")] }, many)).toBe("does not hold");
    expect(verdictOf(evidence, recurring)).toBe("holds");
    expect(verdictOf({ ...evidence, benchmarks: [atomsFile("5 %", "0")] }, recurring)).toBe("does not hold");
    expect(verdictOf(evidence, sentence("universal64 kinds-of-atoms"))).toBe("not measured yet");
    const page = claimsPage(evidence, [many, recurring]);
    expect(page).toContain(
      "(of the base atoms 90 %, 10 %, 0 %, 0 %); learned from 1,000 patches, not 20,000,000 | holds | [bench atoms](../bench/results/atoms.json)",
    );
    expect(page).toContain("3 families of 4 to 8 atoms, up to 17 samples apart; learned from 1,000 patches");
    expect(page).toContain("- `universal32`: learned from 1,000 patches by");
    expect(countFromFewer(evidence, [many, sentence("fig8 osdl-over-pca")])).toBe(1);
  });

  it("judges by the run itself once there is one", () => {
    const [claim] = judgeDictionaries("universal32 kinds-of-atoms", [atomsFile("5.0 %")]);
    const own = { ...sampleResult.claims[0], ...claim, id: "kinds-of-atoms", measured: "by the run" };
    const run = stored({ experiment: "universal32", claims: [own] });
    const evidence = { results: [run], benchmarks: [atomsFile("5.0 %")] };
    expect(claimsPage(evidence, [many])).toContain("by the run | holds | [universal32");
    expect(claimsPage(evidence, [many])).not.toContain("learned from 1,000 patches, not");
    expect(countFromFewer(evidence, [many])).toBe(0);
    expect(countFromFewer({ ...evidence, results: [stored({ ...run.result, quick: true })] }, [many])).toBe(
      1,
    );
  });

  it("reads every stored dictionary", () => {
    const known = paperSentences
      .flatMap(({ claims = [] }) => claims)
      .filter((name) => /atoms|patterns$/.test(name));
    const judged = known.flatMap((name) => judgeDictionaries(name, storedMeasurements()));
    const stored = dictionaryDepartures(storedMeasurements()).flatMap(({ items }) => items.slice(0, -1));
    expect(judged.length).toBe(2 * stored.length);
    for (const { measured } of judged) expect(measured).not.toMatch(/NaN|undefined/);
  });

  it("keeps apart what the measurements do not decide", () => {
    const claims = (...outcomes: ("holds" | "fails" | "undecided")[]) =>
      outcomes.map((outcome, i) => ({
        ...{ ...sampleResult.claims[0], id: `c${i}`, holds: outcome === "holds" },
        ...(outcome === "undecided" ? { undecided: true } : {}),
      }));
    const verdict = (...outcomes: Parameters<typeof claims>) => {
      const all = outcomes.map((_, i) => `fig8 c${i}`);
      return verdictOf(of(stored({ claims: claims(...outcomes) })), sentence(...all));
    };
    expect(verdict("undecided", "undecided")).toBe("undecided");
    expect(verdict("holds", "undecided")).toBe("holds in part");
    expect(verdict("fails", "undecided")).toBe("does not hold");
    const page = claimsPage(of(stored({ claims: claims("undecided") })), [sentence("fig8 c0")]);
    expect(page).toContain("| undecided | [fig8");
    expect(page).not.toContain("**undecided**");
  });

  it("marks a sentence that is judged at a threshold of ours", () => {
    const about = sentence("fig8 osdl-over-pca");
    expect(claimsPage(of(stored()), [about])).not.toContain("(threshold ours)");
    expect(claimsPage(of(stored()), [{ ...about, ownThreshold: true }])).toContain(
      "| 8 dB (threshold ours) |",
    );
  });

  it("says in words what is not measured yet", () => {
    const page = claimsPage(of(stored()), [sentence("universal32 osdl-over-odl")]);
    expect(page).toContain("trainlets (OSDL) is above ODL at M = 10, 20, 40, 60 | | not measured yet");
  });

  it("counts no small version as a measurement", () => {
    expect(claimsPage(of(stored({ quick: true })), [sentence("fig8 osdl-over-pca")])).toContain(
      "not measured yet",
    );
  });

  it("changes with every number of a result file", () => {
    const sentences = [sentence("fig8 osdl-over-pca")];
    const page = claimsPage(of(stored()), sentences);
    const text = JSON.stringify(sampleResult);
    const changed = text.replace("24.72]", "24.73]");
    expect(changed).not.toBe(text);
    expect(claimsPage(of({ ...stored(), text: changed }), sentences)).not.toBe(page);
    const claims = sampleResult.claims.map((claim) => ({ ...claim, measured: "4.13 dB" }));
    expect(claimsPage(of(stored({ claims })), sentences)).toContain("4.13 dB");
  });
});

describe("figures that pages quote", () => {
  const decisions = listFiles("docs/decisions").filter((path) => Number(/(\d{4})-/.exec(path)?.[1]) >= 23);
  const pages = [
    "README.md",
    "CHANGELOG.md",
    ...listFiles("docs").filter((path) => path.endsWith(".md") && !path.startsWith("docs/decisions/")),
    ...decisions,
  ];

  it.each(pages)("%s: are in the result files that its section links to", (page) => {
    const mayBeDated = page === "CHANGELOG.md" || page.startsWith("docs/decisions/");
    const known = new Map<string, number[]>();
    const numbersIn = (path: string) => {
      const numbers = known.get(path) ?? numbersOf(JSON.parse(read(path)));
      known.set(path, numbers);
      return numbers;
    };
    const unknown = quotedFigures(read(page), page)
      .filter(({ text }) => !notMeasured.some(([path, figure]) => path === page && figure === text))
      .filter(({ dated }) => !(mayBeDated && dated))
      .filter(({ text }) => !paperFigures.includes(text))
      .filter(({ text, sources }) => !isRoundingOf(text, sources.flatMap(numbersIn)))
      .map(({ line, text }) => `line ${line}: ${text}`);
    expect(unknown, "see CONTRIBUTING.md, Figures").toEqual([]);
  });

  it("are all found on the pages that explain what is not one", () => {
    const quoted = pages.flatMap((page) =>
      quotedFigures(read(page), page).map(({ text }) => `${page}: ${text}`),
    );
    expect(
      notMeasured.map(([page, text]) => `${page}: ${text}`).filter((one) => !quoted.includes(one)),
    ).toEqual([]);
  });

  const find = (text: string) => quotedFigures(text, "docs/page.md").map((figure) => figure.text);

  it("are numbers with units, in any form", () => {
    expect(find("It takes 2.5 minutes, or 2:31, on one.")).toEqual(["2.5 minutes", "2:31"]);
    expect(find("reaches 25.18, 27.09 and\n28.43 dB in 12 s")).toContain("25.18, 27.09 and 28.43 dB");
    expect(find("3.2× as fast, 40 times faster")).toEqual(["3.2×", "40 times faster"]);
    expect(find("| a | 12.5 |")).toEqual(["12.5"]);
    expect(find("8×8 patches of 64 pixels, k = 2, 1,024 atoms, §V-B, 100 %")).toEqual([]);
    expect(find("<!-- made: x -->\n\n31 dB\n\n<!-- end -->\n```text\n31 dB\n```\n`31 dB`")).toEqual([]);
  });

  it("belong to the files that their section links to", () => {
    const page = "# A\n\n1 dB [x](../bench/results/a.json)\n\n# B\n\n2 dB, at 1a2b3c4";
    const [a, b] = quotedFigures(page, "docs/page.md");
    expect(a).toMatchObject({ line: 3, sources: ["bench/results/a.json"], dated: false });
    expect(b).toMatchObject({ line: 7, sources: [], dated: true });
  });

  it("are roundings of numbers in them", () => {
    const numbers = numbersOf({ a: [27.437, 151.2], b: "568218 patches/s, 3.34×", c: { d: "1,024" } });
    for (const figure of ["27.4 dB", "27.44 dB", "151 s", "2.5 minutes", "2:31", "568,218 patches/s", "3.3×"])
      expect(isRoundingOf(figure, numbers), figure).toBe(true);
    for (const figure of ["27.43 dB", "28 dB", "2:32", "27.4, 28.1 dB", "3.4×"])
      expect(isRoundingOf(figure, numbers), figure).toBe(false);
  });
});

it("the tables of a benchmark are kept with their titles and the lines between them", () => {
  const text = "Peers: a 1.\n\n| job | s |\n| --- | --: |\n| OMP | 1.5 |\n\nA whole step: 7 ms.\n";
  expect(measuredPart("peers", text)).toEqual({
    name: "peers",
    tables: [{ title: "Peers: a 1.", header: ["job", "s"], rows: [["OMP", "1.5"]] }],
    lines: ["Peers: a 1.", "A whole step: 7 ms."],
  });
});
