/**
 * Text from elsewhere on the terminal and on pages: names of files, and what models and
 * checkpoints of others say. Nothing of it may reach a terminal as a control character.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { createBase } from "../src/dictionaries/base.js";
import { createReferenceKernels } from "../src/kernels/reference/index.js";
import { CheckpointFolder } from "../src/learn/checkpoints/node/checkpointFolder.js";
import { train } from "../src/learn/run/train.js";
import { saveModel } from "../src/model/node/files.js";
import { trainlets, writePhotos, writePng } from "./cliProcess.js";
import { isTest, readSources, withoutComments } from "./sources.js";

const escapes = "\x1b]0;PWN\x07\x1b[2J";
const hostile = [`x${escapes}`, "two\nlines", "gnp\u202e", "\x9b31m", "tab\tand\rreturn\x7f"];
const isWindows = process.platform === "win32"; // where no file can have such a name

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-hostile-"));
  writePhotos(folder);
  mkdirSync(join(folder, "names"));
  writePng(join(folder, "names", "good.png"), 32, (i) => (i * i) % 251);
  if (!isWindows) {
    for (const name of hostile) writeFileSync(join(folder, "names", `${name}.png`), "not a picture");
    writePng(join(folder, `picture${escapes}\n.png`), 32, (i) => (i * i) % 251);
  }
  const base = { ...createBase("odct:1", [6, 6]), name: `odct${escapes}\nsecond line` };
  const options = { patch: [6, 6], base, examples: 200, epochs: 1, holdout: 0, batch: 50 } as const;
  const checkpoints = await CheckpointFolder.open(join(folder, "run"));
  const kernels = createReferenceKernels();
  const model = await train(syntheticPictures(1, 1, 40), { ...options, checkpoints, kernels }).model();
  await checkpoints.close();
  await saveModel(join(folder, "foreign.npz"), model);
});
afterAll(() => rmSync(folder, { recursive: true }));

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
const obeyed = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;

/** Run a line; what it prints must be safe, whether it succeeds or not. */
async function printed(line: string | readonly string[]): Promise<string> {
  const { stdout, stderr } = await trainlets(folder, line);
  const text = stdout + stderr;
  expect(text).not.toMatch(obeyed);
  expect(text, "no line is made by a name").not.toMatch(/^(lines|second line|\.png)/m);
  return text;
}

const small = "--examples 200 --epochs 1 --holdout 20 --device reference";

describe.skipIf(isWindows)("names of files", () => {
  it.each([
    `train names --patch 6 ${small} -o a.npz --report report`,
    "encode names -d foreign.npz -o codes.npz --device reference",
    "approximate names -d foreign.npz --count 20 --device reference",
    "denoise names/two -o b.png",
  ])("%s", async (line) => {
    const text = await printed(line);
    if (!line.startsWith("denoise")) {
      expect(text).toContain("names/x\\x1b]0;PWN\\x07\\x1b[2J.png");
      expect(text).toContain("names/two\\nlines.png");
      expect(text).toContain("names/\\x9b31m.png");
    }
  });

  it("as inputs, outputs and dictionaries", async () => {
    const picture = readdirSync(folder).find((name) => name.startsWith("picture"))!;
    expect(await printed(["denoise", picture, "--sigma", "20", "-o", `out${escapes}.png`])).toContain(
      "out\\x1b",
    );
    expect(await printed(["atoms", "foreign.npz", "-o", `atoms${escapes}.png`])).toContain("atoms\\x1b");
    await printed(["atoms", `nosuch${escapes}.npz`, "-o", "a.png"]);
    await printed(["train", `nosuch${escapes}`, "-o", "a.npz"]);
    await printed(["report", `nosuch${escapes}`]);
    await printed([`nosuch${escapes}`]);
    await printed(["train", `--nosuch${escapes}`]);
    await printed(["approximate", "photos", "--base", `odct${escapes}`]);
  });
});

describe("what files of others say", () => {
  it("a model to start from", async () => {
    const line = `train photos --patch 6 --start foreign.npz ${small} -o b.npz --report page`;
    expect(await printed(line)).toContain("odct\\x1b]0;PWN\\x07\\x1b[2J\\nsecond line");
    const page = readFileSync(join(folder, "page", "report.html"), "utf8");
    expect(page).toContain("odct\\x1b]0;PWN");
    expect(page).not.toMatch(obeyed);
  });

  it("the settings of a checkpoint", async () => {
    const line = `train photos --patch 6 ${small} --checkpoint run --resume -o c.npz`;
    expect(await printed(line)).toContain("odct\\x1b]0;PWN\\x07\\x1b[2J\\nsecond line");
  });
});

it("only terminal/output.ts writes to standard output and standard error", () => {
  const streams =
    /\bprocess\.std(out|err)\b|\bconsole\.|(\bstd(out|err)\b[^;]*|\* as \w+) from "node:process"/;
  const writers = readSources("src").filter(
    ({ path, text }) => !isTest(path) && streams.test(withoutComments(text)),
  );
  const others = [
    "src/cli/serve/main.ts", // its output is messages for a program
    "src/data/node/hdf5/hdf5Files.ts", // it keeps a library from writing
  ];
  expect(writers.map(({ path }) => path).sort()).toEqual([...others, "src/cli/terminal/output.ts"].sort());
});
