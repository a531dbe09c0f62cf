/** The scripts of the shells: bash is run; zsh and fish are, too, where they are installed. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Shell, shells } from "../src/cli/completion/scripts.js";
import { deviceNames } from "../src/kernels/chooseDevice.js";
import { runHere } from "./failures/runHere.js";
import { skippedBecause } from "./missing.js";

let folder: string;
const scripts = new Map<Shell, string>();
const file = (shell: Shell) => join(folder, `trainlets.${shell}`);

/** A note for the titles of tests of a shell that is not installed; empty if it is. */
const lacking = Object.fromEntries(
  shells.map((shell) => {
    const installed = spawnSync(shell, ["-c", "true"]).status === 0;
    return [shell, installed ? "" : skippedBecause(`${shell} is not installed`)];
  }),
);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-completion-"));
  for (const shell of shells) {
    const { code, stdout } = await runHere(`completion ${shell}`);
    expect(code).toBe(0);
    scripts.set(shell, stdout);
    writeFileSync(file(shell), stdout);
  }
  writeFileSync(join(folder, "dict.npz"), "");
});

afterAll(() => rmSync(folder, { recursive: true }));

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const script = `source "$0"; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _trainlets; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script, file("bash")], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter(Boolean);
}

describe.skipIf(lacking.bash)(`bash${lacking.bash}`, () => {
  test("completes commands", () => {
    expect(offered("trainlets", "de").sort()).toEqual(["decode", "decompress", "demo", "denoise", "devices"]);
    expect(offered("trainlets", "--v")).toEqual(["--version"]);
  });

  test("completes the options of a command, and no others", () => {
    expect(offered("trainlets", "train", "photos", "--atom")).toEqual([
      "--atoms",
      "--atom-sparsity",
      "--atom-care",
    ]);
    expect(offered("trainlets", "decompress", "--atom")).toEqual(["--atom-shape"]);
  });

  test("completes names, files, and nothing where a number is meant", () => {
    expect(offered("trainlets", "train", "--device", "")).toEqual([...deviceNames]);
    expect(offered("trainlets", "encode", "x.png", "--pursuit", "o")).toEqual(["omp", "ols"]);
    expect(offered("trainlets", "encode", "x.png", "-d", "di")).toEqual(["dict.npz"]);
    expect(offered("trainlets", "info", "di")).toEqual(["dict.npz"]);
    expect(offered("trainlets", "train", "--atoms", "")).toEqual([]);
    expect(offered("trainlets", "help", "sc")).toEqual(["score"]);
    expect(offered("trainlets", "completion", "")).toEqual([...shells]);
  });
});

describe.each(["zsh", "fish"] as const)("%s", (shell) => {
  test("names every command and option that bash completes", () => {
    const text = scripts.get(shell) ?? "";
    const words = [...(scripts.get("bash") ?? "").matchAll(/(?<= |")(--[\w-]+|[a-z]{4,})(?=[ "])/g)];
    const names = new Set(words.map(([word]) => word.replace(/^--/, "")));
    expect(names.size).toBeGreaterThan(100);
    for (const name of ["atom-sparsity", "group-samples", "sort", "psnr", "mask"])
      expect(names).toContain(name);
    const options = [...names].filter((name) => (scripts.get("bash") ?? "").includes(`--${name}`));
    for (const name of options.filter((one) => one !== "version"))
      expect(text).toContain(shell === "fish" ? `-l ${name} ` : `--${name}[`);
  });

  test.skipIf(lacking[shell])(`accepts the script${lacking[shell]}`, () => {
    const { status, stderr } = spawnSync(shell, ["-n", file(shell)], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
