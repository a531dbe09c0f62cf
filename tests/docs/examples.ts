/**
 * Commands and programs that pages show, run in a folder of their own, one after the other.
 *
 * A fenced block is run by its language: `sh` (lines that begin with `trainlets` or `npx trainlets`), `ts` (a
 * whole module) and `python` (all blocks of a page together, at the end). A `text` block right after one of
 * the first two is what it prints on standard output; a line `…` there stands for lines left out. A block after
 * `<!-- not run: REASON -->` is not run.
 */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { trainlets } from "../cliHere.js";
import { type Outcome, outcomeOf } from "../cliProcess.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A block that is run. */
export interface Example {
  readonly language: "sh" | "ts" | "python";
  readonly text: string;
  /** The line of the page it starts at. */
  readonly line: number;
  /** What it prints, where the page says so. */
  readonly prints: string | undefined;
}

const fence =
  /^(?:<!-- not run(?: yet)?: (.+) -->\n)?```(\w+)\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm;
const languages: readonly string[] = ["sh", "ts", "python"];

export function examplesOf(page: string): Example[] {
  return [...page.matchAll(fence)]
    .filter(([, reason, language]) => reason === undefined && languages.includes(language))
    .map(({ 2: language, 3: text, 4: prints, index }) => ({
      language: language as Example["language"],
      text,
      line: page.slice(0, index).split("\n").length,
      prints: language === "python" ? undefined : prints,
    }));
}

/** Run a `sh` or `ts` block; what it prints on standard output. A failure is an error with all it said. */
export async function runExample({ language, text, line }: Example, folder: string): Promise<string> {
  const outcomes: Outcome[] = [];
  if (language === "sh") for (const args of commandsOf(text)) outcomes.push(await trainlets(folder, args));
  else outcomes.push(await runModule(text, folder));
  for (const { code, stdout, stderr } of outcomes) {
    if (code !== 0)
      throw new Error(`the example at line ${line} ended with exit code ${code}\n${stdout}${stderr}`);
  }
  return outcomes.map(({ stdout }) => stdout).join("");
}

async function runModule(text: string, folder: string): Promise<Outcome> {
  const path = join(folder, "example.mjs");
  writeFileSync(path, text);
  return outcomeOf(spawn(process.execPath, [path], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] }));
}

/** Run the Python blocks of a page as one program. */
export async function runPythonBlocks(
  examples: readonly Example[],
  python: string,
  folder: string,
): Promise<void> {
  const path = join(folder, "example.py");
  writeFileSync(path, examples.map(({ text }) => text).join("\n"));
  const { code, stderr } = await outcomeOf(
    spawn(python, [path], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] }),
  );
  if (code !== 0) throw new Error(stderr);
}

/** Arguments of each command of a block; comments go, and a `\` at the end of a line continues it. */
export function commandsOf(block: string): string[][] {
  const lines = block.replace(/\\\n\s*/g, "").split("\n");
  const commands = lines.map((line) => line.replace(/(^|\s)#.*$/, "").trim()).filter((line) => line !== "");
  return commands.map((line) => {
    const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
      ([, double, single, plain]) => double ?? single ?? plain,
    );
    const args = words[0] === "npx" ? words.slice(1) : words;
    if (args[0] !== "trainlets") throw new Error(`not a trainlets command: ${line}`);
    return args.slice(1);
  });
}

/** Whether a program printed what a page says: the same words, and numbers to 2 %. */
export function alike(printed: string, expected: string): boolean {
  const [seen, said] = [printed, expected].map((text) => plain(text).split("\n"));
  const gap = said.indexOf("…");
  if (gap < 0) return seen.length === said.length && said.every((line, i) => sameLine(seen[i], line));
  const [head, tail] = [said.slice(0, gap), said.slice(gap + 1)];
  return (
    seen.length >= head.length + tail.length &&
    head.every((line, i) => sameLine(seen[i], line)) &&
    tail.every((line, i) => sameLine(seen[seen.length - tail.length + i], line))
  );
}

/** What a program printed, shortened as the page shortened what it printed before. */
export function shortened(printed: string, before: string): string {
  const lines = printed.trimEnd().split("\n");
  const said = before.trimEnd().split("\n");
  const gap = said.indexOf("…");
  if (gap < 0) return `${lines.join("\n")}\n`;
  const tail = said.length - gap - 1;
  return `${[...lines.slice(0, gap), "…", ...lines.slice(lines.length - tail)].join("\n")}\n`;
}

const number = /\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?/g;

function sameLine(seen: string, said: string): boolean {
  if (seen.replace(number, "#") !== said.replace(number, "#")) return false;
  const [a, b] = [seen, said].map((line) =>
    (line.match(number) ?? []).map((text) => Number(text.replaceAll(",", ""))),
  );
  return a.every((value, i) => Math.abs(value - b[i]) <= 0.02 * Math.abs(b[i]));
}

/** Without what differs between machines and moments: times, memory and disk, devices. */
function plain(text: string): string {
  return text
    .trimEnd()
    .replace(/\b\d+:\d\d(?::\d\d)?\b/g, "TIME")
    .replace(/\b[\d.,]+ (?:KiB|MiB|GiB|TiB)\b/g, "SIZE")
    .replace(/"(seconds|time|bytes|used|process|gpu)":(?:"[^"]*"|[\d.e+-]+)/g, '"$1":0')
    .replace(/^computing on .*$/gm, "DEVICE")
    .replace(/\b(about |in )?[\d.,]+ (seconds|minutes|ms|s)\b/g, "TIME")
    .replace(/ {2,}/g, " ");
}

/** The TypeScript compiler over all programs of the pages: they must fit the types of the library. */
export async function typeErrors(programs: ReadonlyMap<string, string>, folder: string): Promise<string> {
  const files = [...programs.keys()];
  for (const [name, text] of programs) writeFileSync(join(folder, name), `${text}\nexport {};\n`);
  const compilerOptions = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [tsc, "-p", folder], { stdio: ["ignore", "pipe", "pipe"] });
  return (await outcomeOf(child)).stdout;
}
