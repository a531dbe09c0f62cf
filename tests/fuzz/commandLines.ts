/**
 * Command lines with damaged options. Each starts from a line that works; words are replaced by values that break
 * code which trusts them, removed, repeated or exchanged, and options of the command are added. Options that are
 * added to a command are tried too: they are read from the command itself.
 */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import type { Command, Option } from "commander";
import type { Rng } from "../../src/core/random/rng.js";
import { words, writeArray, writePng } from "../cliProcess.js";
import { runHere } from "../failures/runHere.js";

export interface FuzzedCommand {
  readonly name: string;
  /** Lines that work, without the name of the command. */
  readonly lines: readonly string[];
  readonly load: () => Promise<Command>;
  /** Words that every line ends with. */
  readonly always?: string;
}

const commands = "../../src/cli/commands";
const training =
  "--patch 4 --base odct:1 --examples 60 --epochs 1 --batch 30 --holdout 10 --atom-sparsity 3 --sparsity 2";
const reference = "--device reference";

/** `demo` and `devices` have no options to speak of, and `studio` ends only with a signal. */
export const fuzzedCommands: readonly FuzzedCommand[] = [
  {
    name: "train",
    lines: [
      `photos ${training} -o out/x.npz`,
      `array.npy ${training} -o out/x.npz --learner odl --atoms 20 --nodata -9999,nan`,
      `photos/0.png photos/1.png ${training} -o out/x.npz --checkpoint out/run --checkpoint-steps 2 --resume`,
      `"photos/*.png" ${training} -o out/x.npz --test photos/1.png --patience 2 --minutes 1 --report out/page`,
    ],
    always: `${reference} --dry-run`, // a line that happens to be right may ask for hours of training
    load: async () => (await import(`${commands}/train.js`)).trainCommand(),
  },
  {
    name: "encode",
    lines: [
      "photos/0.png -d dict.npz -o out/c.npz",
      "array.npy -d dict.npz -o out/c.npz --stride 2 --sparsity 2 --nodata 0",
    ],
    always: reference,
    load: async () => (await import(`${commands}/encode.js`)).encodeCommand(),
  },
  {
    name: "decode",
    lines: ["codes.npz -d dict.npz -o out/a.npy", "codes.npz -d dict.npz -o out/a.png"],
    always: reference,
    load: async () => (await import(`${commands}/decode.js`)).decodeCommand(),
  },
  {
    name: "score",
    lines: ["photos -d dict.npz", "array.npy -d dict.npz -d dict.npz --sparsity 2 --count 20 --nodata 0"],
    always: reference,
    load: async () => (await import(`${commands}/score.js`)).scoreCommand(),
  },
  {
    name: "info",
    lines: ["dict.npz codes.npz", "small.tlt array.npy photos photos/0.png --json"],
    load: async () => (await import(`${commands}/info.js`)).infoCommand(),
  },
  {
    name: "convert",
    lines: ["dict.npz -o out/d.npy", "dict.npz -o out/d.mat --force", "dict.npz -o out/d.npz --type f16"],
    load: async () => (await import(`${commands}/convert.js`)).convertCommand(),
  },
  {
    name: "prune",
    lines: ["dict.npz -o out/p.npz --atoms 50%", "dict.npz -o out/p.npz --on photos --count 20"],
    always: reference,
    load: async () => (await import(`${commands}/prune.js`)).pruneCommand(),
  },
  {
    name: "approximate",
    lines: [
      "photos -d dict.npz --terms 1,2,4 -o out/c.svg",
      "photos --base odct:1,identity --patch 4x4 --terms 1,2",
    ],
    always: reference,
    load: async () => (await import(`${commands}/approximate.js`)).approximateCommand(),
  },
  {
    name: "compress",
    lines: [
      "photos/0.png -d dict.npz -o out/x.tlt --psnr 20",
      "photos/0.png -d dict.npz -o out/x.tlt --bytes 60",
    ],
    always: reference,
    load: async () => (await import(`${commands}/compress.js`)).compressCommand(),
  },
  {
    name: "decompress",
    lines: ["small.tlt -d dict.npz -o out/x.png", "small.tlt -d dict.npz -o out/x.npy"],
    load: async () => (await import(`${commands}/decompress.js`)).decompressCommand(),
  },
  {
    name: "denoise",
    lines: [
      "photos/0.png -o out/x.png --sigma 10 -d dict.npz --stride 2",
      "photos/0.png -o out/x.png --sigma 10 --patch 4 --examples 60 --epochs 1 --base odct:1",
    ],
    always: reference,
    load: async () => (await import(`${commands}/denoise.js`)).denoiseCommand(),
  },
  {
    name: "inpaint",
    lines: [
      "photos/0.png --mask mask.png -o out/x.png -d dict.npz",
      "array.npy --nodata 0 -o out/x.npy --patch 4 --examples 60 --epochs 1 --base odct:1",
    ],
    always: reference,
    load: async () => (await import(`${commands}/inpaint.js`)).inpaintCommand(),
  },
  {
    name: "atoms",
    lines: ["dict.npz -o out/a.png --count 9 --columns 3", "dict.npz -o out/a.png --sort entropy"],
    load: async () => (await import(`${commands}/atoms.js`)).atomsCommand(),
  },
  {
    name: "reproduce",
    lines: ["fig3 -o out/fig3 --seed 2", "fig1 -o out/fig1"],
    always: reference,
    load: async () => (await import(`${commands}/reproduce.js`)).reproduceCommand(),
  },
];

/** Values that are no number, or none that is allowed. */
const odd = [
  ..."-1|-0|0.5|-3.5|NaN|nan|inf|-Infinity|1e309|-1e309|1e-320|0x10|1e|--1|+|,|,,|1,,2|1,nan|%|10%|-5%|101%|k|.k|1kk".split(
    "|",
  ),
  ..."true|null|__proto__|constructor|toString|hasOwnProperty|__proto__:1|../x|.|..|photos".split("|"),
  ..."x|4x|x4|4x4x|4xx4|0x0|4x-4|4x4x4x4x4x4x4x4|1x1|é|Ω|१|４|\u0000|a\u0000b|\u001b[31m|a\nb| |\t".split(
    "|",
  ),
  ..."{a,b}|{{a,b},{c,d}}|{|}|*|**|?|**/**/*|photos/*|cropped|cropped:|cropped:sym9|wavelet:db2:x|odct:|odct:0|odct:-1|odct:NaN".split(
    "|",
  ),
  ..."dict.npz|photos/0.png|mask.png|codes.npz|small.tlt|array.npy|missing.png|-|--|---|-o|-d|--json".split(
    "|",
  ),
  "",
  "a".repeat(5000),
  "9".repeat(400),
  `${"{a,b}".repeat(22)}`,
];

/** Numbers that are too large to compute with, or nearly. */
const large =
  "16777217|2147483648|4294967296|9007199254740991|9007199254740993|1e15|1e300|3.4028235e38|200k|10M".split(
    "|",
  );

/** Numbers that work. */
const small = "0|1|2|3|4|5|8|12".split("|");

/** Options that a large number makes slow, and rightly so. */
const slow =
  /^--(examples|epochs|passes|iterations|minutes|functions|patches|count|columns|rows|scale|terms|batch)$/;

/** A damaged line of a command, as words. */
export function damagedLine(
  { name, lines, always = "" }: FuzzedCommand,
  options: readonly Option[],
  rng: Rng,
): string[] {
  const pick = <T>(list: readonly T[]): T => list[rng.below(list.length)];
  let line = words(pick(lines).replaceAll('"', ""));
  for (let times = 1 + rng.below(3); times > 0; times--) line = damageWords(line, options, rng, pick);
  return [name, ...line, ...words(always)];
}

function damageWords(
  line: readonly string[],
  options: readonly Option[],
  rng: Rng,
  pick: <T>(list: readonly T[]) => T,
): string[] {
  const at = rng.below(line.length);
  const value = (flag: string | undefined) =>
    pick([odd, odd, small, slow.test(flag ?? "") ? odd : large][rng.below(4)]);
  switch (rng.below(6)) {
    case 0:
      return line.filter((_, i) => i !== at);
    case 1:
      return line.toSpliced(rng.below(line.length + 1), 0, line[at]);
    case 2: {
      const { long, required, optional } = pick(options);
      return [...line, long ?? "", ...(required || optional ? [value(long)] : [])];
    }
    default:
      return line.with(at, value(line[at - 1]));
  }
}

/** A folder with what the lines of `fuzzedCommands` read; the current folder afterwards. */
export class FuzzFolder {
  readonly #parent = mkdtempSync(join(tmpdir(), "trainlets-lines-")); // a line may read ".."
  readonly #back = process.cwd();
  #files: ReadonlyMap<string, Buffer> = new Map();

  async fill(): Promise<void> {
    mkdirSync(join(this.#parent, "here"));
    process.chdir(join(this.#parent, "here"));
    mkdirSync("photos");
    for (const [name, seed] of [
      ["photos/0", 7],
      ["photos/1", 5],
      ["mask", 3],
    ] as const)
      writePng(`${name}.png`, 16, (i) => (i * i * seed) % 251);
    writeArray("array.npy", [12, 12], (i) => (i * 7) % 11);
    for (const line of [
      `train photos ${training} -o dict.npz ${reference}`,
      `encode photos/0.png -d dict.npz -o codes.npz ${reference}`,
      `compress photos/0.png -d dict.npz -o small.tlt --psnr 20 ${reference}`,
    ]) {
      const { code, stderr } = await runHere(line);
      if (code !== 0) throw new Error(`${line}\n${stderr}`);
    }
    this.#files = filesBelow("");
    this.tidy();
  }

  /** Files that a line changed or removed though it may not, and unfinished files that it left. */
  damage(line: readonly string[]): string[] {
    const now = filesBelow("");
    const outputs = line.filter((_, i) => /^(-o|--output)$/.test(line[i - 1])).map((path) => normalize(path));
    const mayChange = (path: string) =>
      outputs.includes(path) && line.filter((word) => normalize(word) === path).length === 1;
    const changed = [...this.#files].filter(
      ([path, bytes]) => !now.get(path)?.equals(bytes) && !mayChange(path),
    );
    const unfinished = [...now.keys()].filter((path) => /\.tmp|trainlets-lock/.test(path));
    return [...changed.map(([path]) => path), ...unfinished];
  }

  /** Make the folder what it was. */
  tidy(): void {
    const now = filesBelow("");
    for (const path of now.keys()) if (!this.#files.has(path)) rmSync(path);
    for (const [path, bytes] of this.#files) if (!now.get(path)?.equals(bytes)) writeFileSync(path, bytes);
    rmSync("out", { recursive: true, force: true });
    mkdirSync("out");
  }

  remove(): void {
    process.chdir(this.#back);
    rmSync(this.#parent, { recursive: true });
  }
}

function filesBelow(folder: string): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const entry of readdirSync(folder || ".", { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) for (const [name, bytes] of filesBelow(path)) found.set(name, bytes);
    else found.set(path, readFileSync(path));
  }
  return found;
}

/** What is wrong with the outcome of a line; undefined if nothing is. */
export async function faultOf(line: readonly string[]): Promise<string | undefined> {
  const { code, stderr } = await runHere(line);
  if (code === 0) return undefined;
  if (code !== 2) return `exit code ${code}: ${stderr}`;
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  if (!/^\w+: ./.test(last)) return `no clear line: ${stderr}`;
  if (
    /\b(TypeError|RangeError|Cannot read|is not a function|\[object|undefined)\b/.test(
      last.replaceAll(/"[^"]*"/g, ""),
    )
  )
    return `not a plain sentence: ${last}`;
  return /^ +at /m.test(stderr) ? `a stack trace: ${stderr}` : undefined;
}
