/**
 * The pages, held to the code: tables are those that the definitions make, and commands and programs are run
 * and print what the page says. `npm run docs` writes what is out of date.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { experiments } from "../src/experiments/catalogue.js";
import { resultToText } from "../src/experiments/results/result.js";
import { familyDefaults } from "../src/figures/atoms/atomFamilies.js";
import { galleryDefaults } from "../src/figures/atoms/atomGallery.js";
import { atomCareDefaults } from "../src/learn/atoms/atomCare.js";
import { checkpointDefaults } from "../src/learn/checkpoints/node/checkpointFolder.js";
import { trainDefaults } from "../src/learn/run/trainOptions.js";
import { denoiseDefaults } from "../src/tasks/restore/denoiseOptions.js";
import { inpaintDefaults } from "../src/tasks/restore/inpaint.js";
import { patchDefaults } from "../src/tasks/restore/patchLearning.js";
import { claimsPage } from "./docs/claimsPage.js";
import { commandList, commandReference, loadCommands } from "./docs/commandTables.js";
import {
  alike,
  commandsOf,
  type Example,
  examplesOf,
  runExample,
  runPythonBlocks,
  shortened,
  typeErrors,
} from "./docs/examples.js";
import { writeFixture } from "./docs/fixture.js";
import { judgedAnew, judgedExperiments } from "./docs/judgedAnew.js";
import { fieldTable, membersOf, nameTables, optionTable } from "./docs/libraryTables.js";
import { messageTables } from "./docs/messages.js";
import { regionsOf, remake } from "./docs/regions.js";
import { benchTables, resultTables, spamsTable, summaryTable } from "./docs/resultTables.js";
import { baseTable, learnerTable, sizeTable } from "./docs/sizeTables.js";
import { resultsFolder, storedMeasurements, storedResults } from "./docs/storedResults.js";
import { codeSpansOf, tableRowsOf } from "./markdown.js";
import { requirePython } from "./python/python.js";
import { listFiles, read, readSources } from "./sources.js";

/** Set by `npm run docs`: pages are written instead of judged. */
const writes = process.env.TRAINLETS_DOCS === "write";
const remedy = "run `npm run docs` and look at what it changed";

const pages = [
  "README.md",
  ...listFiles("docs").filter((path) => path.endsWith(".md") && !path.includes("decisions/")),
];
const folder = mkdtempSync(join(tmpdir(), "trainlets-docs-"));
const commands = await loadCommands();
const python = requirePython(["numpy", "scipy.sparse"]);
afterAll(() => rmSync(folder, { recursive: true }));

function write(page: string, text: string): void {
  writeFileSync(fileURLToPath(new URL(`../${page}`, import.meta.url)), text);
}

describe("tables that are made from the code", () => {
  const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    TrainOptions: { ...trainDefaults, init: undefined }, // by learner: its text has them
    AtomCareOptions: atomCareDefaults,
    DenoiseOptions: denoiseDefaults,
    InpaintOptions: inpaintDefaults,
    PatchTraining: { ...trainDefaults, ...denoiseDefaults, ...patchDefaults },
    CheckpointFolderOptions: checkpointDefaults,
    GalleryOptions: galleryDefaults,
    FamilyOptions: familyDefaults,
  };
  const made: Readonly<Record<string, (name: string) => string>> = {
    commands: () => commandList(ordered()),
    command: (name) => commandReference(commandOf(name)),
    options: (name) => optionTable(name, defaults[name]),
    fields: (name) => fieldTable(name),
    names: () => nameTables(),
    sizes: () => sizeTable(),
    bases: () => baseTable(),
    learners: () => learnerTable(),
    messages: () => messages,
    claims: () => claimsPage({ results: storedResults(), benchmarks: storedMeasurements() }),
    summary: () => summaryTable(),
    result: (name) => resultTables(name),
    bench: (name) => benchTables(...(name.split(" ") as [string, string?])),
    spams: (name) => spamsTable(name),
  };
  let messages = "";
  beforeAll(async () => {
    if (writes) writeJudgedClaims();
    messages = await messageTables(join(folder, "messages"));
  });

  /** Claims that follow from stored numbers; tests/claims.test.ts holds the files to them. */
  function writeJudgedClaims() {
    for (const { file, result } of storedResults())
      if (judgedExperiments.includes(result.experiment))
        write(`${resultsFolder}/${file}`, resultToText(judgedAnew(result)));
  }

  function commandOf(name: string) {
    const command = commands.get(name);
    if (!command) throw new Error(`there is no command ${name}`);
    return command;
  }

  /** In the order of the page. */
  function ordered() {
    const names = regionsOf(read("docs/reference/command-line.md")).filter((name) =>
      name.startsWith("command "),
    );
    return names.map((name) => commandOf(name.slice("command ".length)));
  }

  it.each(pages.filter((page) => regionsOf(read(page)).length > 0))("%s", (page) => {
    const before = read(page);
    const after = remake(before, (name) => {
      const [kind, ...words] = name.split(" ");
      return made[kind](words.join(" "));
    });
    if (writes) write(page, after);
    else expect(after === before, `${page} is out of date: ${remedy}`).toBe(true);
  });

  it("has a section for every command", () => {
    expect(
      ordered()
        .map((command) => command.name())
        .sort(),
    ).toEqual([...commands.keys()].sort());
  });
});

describe("commands and programs", () => {
  const runnable = pages.filter((page) => examplesOf(read(page)).length > 0);

  it.each(runnable)(
    "%s",
    async (page) => {
      const place = join(folder, page.replaceAll("/", "-"));
      writeFixture(place);
      let text = read(page);
      const examples = examplesOf(text);
      for (const example of examples.filter(({ language }) => language !== "python")) {
        const printed = await runExample(example, place);
        if (example.prints === undefined || alike(printed, example.prints)) continue;
        if (!writes) expect(printed, `${page}, line ${example.line}: ${remedy}`).toBe(example.prints);
        text = replaceOutput(text, example, printed);
      }
      const scripts = examples.filter(({ language }) => language === "python");
      if (scripts.length > 0 && python.path) await runPythonBlocks(scripts, python.path, place);
      if (writes) write(page, text);
    },
    120_000,
  );

  function replaceOutput(page: string, { text, prints = "" }: Example, printed: string): string {
    const at = page.indexOf(`\`\`\`text\n${prints}\`\`\``, page.indexOf(text));
    return page.slice(0, at) + page.slice(at).replace(prints, () => shortened(printed, prints));
  }

  it("fit the types of the library", async () => {
    const place = join(folder, "types");
    writeFixture(place);
    const programs = runnable.flatMap((page) =>
      examplesOf(read(page))
        .filter(({ language }) => language === "ts")
        .map(({ line, text }): [string, string] => [`${page.replace(/\W/g, "-")}-line-${line}.ts`, text]),
    );
    expect(programs.length).toBeGreaterThan(0);
    expect(await typeErrors(new Map(programs), place)).toBe("");
  });
});

it("the list of experiments has all of them", () => {
  const rows = tableRowsOf(read("docs/how-to/reproduce-the-paper.md")).map(([name]) =>
    name.replaceAll("`", ""),
  );
  expect(experiments.map(({ name }) => name).filter((name) => !rows.includes(name))).toEqual([]);
});

it("messages that no command provokes are in the sources", () => {
  const sources = readSources("src").map(({ text }) => text.replace(/["`] \+\s+["`]/g, ""));
  const [, hand = ""] = read("docs/reference/messages.md").split("<!-- end -->");
  const parts = tableRowsOf(hand)
    .flatMap(([message]) => codeSpansOf(message))
    .flatMap((message) => message.replace(/^train: /, "").split("…"))
    .map((part) => part.trim())
    .filter((part) => part.length >= 12);
  expect(parts.length).toBeGreaterThan(5);
  expect(parts.filter((part) => !sources.some((text) => text.includes(part)))).toEqual([]);
});

it("the notation names every option of the library and the command line", () => {
  const named = new Set(
    codeSpansOf(read("docs/notation.md")).flatMap((span) => span.match(/-{0,2}[A-Za-z][\w-]*/g) ?? []),
  );
  const options = ["TrainOptions", "DenoiseOptions", "InpaintOptions"].flatMap((name) =>
    membersOf(name).map((member) => member.name),
  );
  const flags = [...commands.values()].flatMap((command) => command.options.map(({ long }) => long ?? ""));
  const names = [...new Set([...options, ...flags])];
  expect(names.filter((name) => !named.has(name))).toEqual([]);
});

describe("the reader of examples", () => {
  const page =
    '```sh\ntrainlets a "b c" \\\n  -d e  # why\n```\n\n```text\n1.00 s\n…\nend\n```\n\n<!-- not run: slow -->\n```ts\nx\n```\n';

  it("finds blocks, what they print, and leaves out those that are not run", () => {
    const [example, ...others] = examplesOf(page);
    expect(others).toEqual([]);
    expect(example).toMatchObject({ language: "sh", line: 1, prints: "1.00 s\n…\nend\n" });
    expect(commandsOf(example.text)).toEqual([["a", "b c", "-d", "e"]]);
  });

  it("compares words exactly, numbers to 2 %, and times and sizes not at all", () => {
    expect(alike("RMSE 7.72, in 0:09\n", "RMSE 7.70, in 0:01\n")).toBe(true);
    expect(alike("RMSE 8.72\n", "RMSE 7.70\n")).toBe(false);
    expect(alike("RMSE 7.70\n", "PSNR 7.70\n")).toBe(false);
    expect(alike("a\nb\nc\nd\n", "a\n…\nd\n")).toBe(true);
    expect(alike("a\nb\nc\nd\n", "a\n…\ne\n")).toBe(false);
    expect(alike("memory: 12.3 MiB\n", "memory: 1.2 GiB\n")).toBe(true);
  });

  it("shortens what was printed as the page did", () => {
    expect(shortened("a\nb\nc\nd\n", "x\n…\ny\n")).toBe("a\n…\nd\n");
  });
});
