/**
 * The machine and the program behind a result: processor, Node, version, commit. The commit is that of the git
 * checkout the program runs in; elsewhere the one it was built from (build.json, made by `npm run build`).
 */

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { arch, cpus, platform } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ResultMachine, ResultProgram } from "../../experiments/results/result.js";
import { version } from "../../model/version.js";

/** The folder of package.json, above `src` or `dist`. */
const root = fileURLToPath(new URL("../../..", import.meta.url));
const buildFile = fileURLToPath(new URL("../../build.json", import.meta.url));

export function machineFacts(): ResultMachine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() || "unknown",
    cores: processors.length,
    system: `${platform()} ${arch()}`,
    node: process.versions.node,
  };
}

let known: Promise<ResultProgram> | undefined;

/** Looked up once per process. */
export function programFacts(): Promise<ResultProgram> {
  known ??= lookUp();
  return known;
}

async function lookUp(): Promise<ResultProgram> {
  const built = readBuild();
  const commit = (await checkoutCommit()) ?? built.commit;
  return {
    version,
    ...(commit === undefined ? {} : { commit }),
    ...(built.sources === undefined ? {} : { sources: built.sources }),
  };
}

function readBuild(): { readonly commit?: string; readonly sources?: string } {
  try {
    const { commit, sources } = JSON.parse(readFileSync(buildFile, "utf8"));
    return {
      ...(typeof commit === "string" ? { commit } : {}),
      ...(typeof sources === "string" ? { sources } : {}),
    };
  } catch {
    return {}; // run from its sources
  }
}

/** The commit of the checkout, with `+` if its sources were changed since; undefined without git. */
async function checkoutCommit(): Promise<string | undefined> {
  if (!existsSync(join(root, ".git"))) return undefined;
  const git = async (...words: string[]) =>
    (await promisify(execFile)("git", words, { cwd: root, timeout: 10_000 })).stdout.trim();
  try {
    const commit = await git("rev-parse", "--short=10", "HEAD");
    const changed = await git("status", "--porcelain", "--", "src", "package.json");
    return changed === "" ? commit : `${commit}+`;
  } catch {
    return undefined;
  }
}
