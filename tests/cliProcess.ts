/** The built command line as a child process, and small data for it to work on. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { makeNpy, writeNpy } from "../src/data/formats/npy.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { encodePng } from "../src/figures/png.js";

export const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

export interface Outcome {
  /** The exit code; null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What to run: a line, or its words. */
type CommandLine = string | readonly string[];

/** Run a line of `trainlets` in a folder, to its end. */
export function trainlets(cwd: string, line: CommandLine): Promise<Outcome> {
  return outcomeOf(startTrainlets(cwd, line));
}

/** Checks of the outcome of lines that `run` runs in a folder. */
export function checksOf(run: typeof trainlets) {
  return {
    /** Run a line that must succeed; what it prints. */
    async works(cwd: string, line: string): Promise<Pick<Outcome, "stdout" | "stderr">> {
      const { code, stdout, stderr } = await run(cwd, line);
      expect(code, `${line}\n${stderr}`).toBe(0);
      return { stdout, stderr };
    },
    /** Run a line that must be rejected as a mistake of the user; its last line on standard error. */
    async rejects(cwd: string, line: string): Promise<string> {
      const { code, stdout, stderr } = await run(cwd, line);
      expect({ code, stdout }, `${line}\n${stderr}`).toEqual({ code: 2, stdout: "" });
      return stderr.trimEnd().split("\n").at(-1) ?? "";
    },
  };
}

export const { works, rejects } = checksOf(trainlets);

export function startTrainlets(cwd: string, line: CommandLine): ChildProcess {
  if (!existsSync(program)) throw new Error(`${program} is missing: run npm run build`);
  const args = typeof line === "string" ? words(line) : line;
  return spawn(process.execPath, [program, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
}

export function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code) => resolve({ code, ...printed }));
  });
}

/** The words of a line; those in single quotes keep their spaces, or may be empty. */
export function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
}

export function writePng(path: string, size: number, grey: (i: number) => number): void {
  const data = Uint8Array.from({ length: size * size }, (_, i) => grey(i));
  writeFileSync(path, encodePng({ width: size, height: size, channels: 1, data }));
}

export function writeArray(path: string, shape: readonly number[], value: (i: number) => number): void {
  const length = shape.reduce((product, size) => product * size, 1);
  writeFileSync(
    path,
    writeNpy(
      makeNpy(
        shape,
        Float32Array.from({ length }, (_, i) => value(i)),
      ),
    ),
  );
}

/** `photos/0.png` and `photos/1.png`, of 40 × 40 pixels. */
export function writePhotos(folder: string, name = "photos"): void {
  mkdirSync(join(folder, name));
  syntheticPictures(7, 2, 40).forEach(({ data }, p) => {
    writePng(join(folder, name, `${p}.png`), 40, (i) => Math.min(255, Math.max(0, data[i])));
  });
}

/** A signal of any length. */
export function wave(i: number): number {
  return 100 * Math.sin(i / 5) + 20 * Math.sin((i * i) / 3000);
}
