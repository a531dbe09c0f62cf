/** The page for Matlab and Octave: its programs run in Octave, and find the dictionary and the codes that are in the files. */

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DenseMatrix } from "../src/core/matrix.js";
import { matMatrix, readMat } from "../src/data/formats/matlab/matFile.js";
import { codesFromBytes, modelFromBytes } from "../src/model/files.js";
import { outcomeOf, program, trainlets } from "./cliProcess.js";
import { commandsOf, examplesOf } from "./docs/examples.js";
import { writeFixture } from "./docs/fixture.js";
import { skippedBecause } from "./missing.js";

const octave = ["octave-cli", "octave"].find((name) => spawnSync(name, ["--version"]).status === 0);
const note = octave ? "" : skippedBecause("no octave-cli or octave on the PATH");
const page = readFileSync(fileURLToPath(new URL("../docs/how-to/matlab.md", import.meta.url)), "utf8");
const place = join(mkdtempSync(join(tmpdir(), "trainlets-octave-")), "page");
afterAll(() => rmSync(join(place, ".."), { recursive: true }));

const read = (name: string) => readFileSync(join(place, name));

describe.skipIf(!octave)(`the page for Matlab and Octave${note}`, () => {
  beforeAll(async () => {
    writeFixture(place);
    for (const { text } of examplesOf(page))
      for (const words of commandsOf(text)) expect((await trainlets(place, words)).code).toBe(0);
    const programs = [...page.matchAll(/^```octave\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
    const isFunction = /^function .*?(\w+)\(/;
    for (const text of programs) {
      const name = isFunction.exec(text)?.[1];
      if (name) writeFileSync(join(place, `${name}.m`), text);
    }
    const steps = [
      ...programs.filter((text) => !isFunction.test(text)),
      "X = full(X); here = [support - 1; x']; save('-v7', 'found.mat', 'D', 'X', 'Y', 'here');",
    ];
    writeFileSync(join(place, "example.m"), steps.join("\n"));
    writeFileSync(join(place, "trainlets"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(join(place, "trainlets"), 0o755);
    const env = { ...process.env, PATH: `${place}${delimiter}${process.env.PATH}` };
    const args = ["--no-init-file", "--no-history", "--quiet", "example.m"];
    const child = spawn(octave!, args, { cwd: place, env, stdio: ["ignore", "pipe", "pipe"] });
    const { code, stderr } = await outcomeOf(child);
    expect(code, stderr).toBe(0);
  });

  test("Octave has the same atoms, codes and windows", async () => {
    const model = modelFromBytes(read("dictionary.npz"), "dictionary.npz");
    const { codes } = codesFromBytes(read("codes.npz"), "codes.npz");
    const D = await model.atoms();
    expectClose(found("D"), D, 1e-6);
    expectClose(found("X"), codes.X.toDense(), 0);
    expectClose(found("Y"), await model.decode(codes), 1e-3);
  });

  test("a pursuit in Octave takes the atoms that encode takes", () => {
    const { codes } = codesFromBytes(read("picture-codes.npz"), "picture-codes.npz");
    const here = found("here");
    expect([here.rows, here.cols, codes.X.counts[0]]).toEqual([2, 4, 4]);
    const X = codes.X.toDense();
    for (let i = 0; i < 4; i++) expect(X.at(here.at(0, i), 0)).toBeCloseTo(here.at(1, i), 3);
  });
});

/** A matrix that Octave wrote. */
function found(name: string): DenseMatrix {
  const variable = readMat(read("found.mat"), "found.mat").get(name);
  const matrix = variable && matMatrix(variable);
  if (!matrix) throw new Error(`found.mat has no matrix ${name}`);
  return matrix;
}

function expectClose(written: DenseMatrix, expected: DenseMatrix, tolerance: number): void {
  expect([written.rows, written.cols]).toEqual([expected.rows, expected.cols]);
  expect(rmsDifference(written.data, expected.data)).toBeLessThanOrEqual(tolerance);
}

function rmsDifference(a: Float32Array, b: Float32Array): number {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0) / a.length);
}
