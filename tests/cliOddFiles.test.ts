/**
 * Files that are not what they seem, for every command: pipes, devices, sockets, links to nowhere,
 * names that are not UTF-8, too many files to have open, pictures that are programs. Whatever a
 * folder holds, a command ends, names what it leaves out, and uses the rest.
 */

import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rejects, trainlets, works } from "./cliHere.js";
import { type Outcome, outcomeOf, program, wave, writeArray, writePhotos } from "./cliProcess.js";
import { skippedBecause } from "./missing.js";

const folder = mkdtempSync(join(tmpdir(), "trainlets-odd-"));
const path = (...parts: string[]) => join(folder, ...parts);
const quick = "--patch 8 --examples 200 --epochs 1 --batch 100 --holdout 20 --device reference";
const noPipes = spawnSync("mkfifo", ["--version"]).status !== 0;
const missing = noPipes ? skippedBecause("no mkfifo") : "";

beforeAll(async () => {
  writePhotos(folder);
  await works(folder, `train photos ${quick} --base odct:1 -o dict.npz`);
  for (const ending of ["npy", "npz", "png", "tar", "tlt"]) {
    symlinkSync("/dev/zero", path(`device.${ending}`));
    if (!noPipes) spawnSync("mkfifo", [path(`pipe.${ending}`)]);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(noPipes)(
  `a file that is not regular is refused in one line, wherever it is read${missing}`,
  () => {
    const lines = [
      `train ODD.png ${quick} -o x.npz`,
      `train ODD.npy ${quick} -o x.npz`,
      `train ODD.npz ${quick} -o x.npz`,
      `train ODD.tar ${quick} -o x.npz`,
      `train photos ${quick} --test ODD.png -o x.npz`,
      `train photos ${quick} --start ODD.npz -o x.npz`,
      `train photos ${quick} --base ODD.npy -o x.npz`,
      "encode photos -d ODD.npz -o x.npz",
      "encode photos -d ODD.npy -o x.npz",
      "decode ODD.npz -d dict.npz -o x.npy",
      "compress ODD.png -d dict.npz -o x.tlt",
      "compress ODD.npy -d dict.npz -o x.tlt",
      "decompress ODD.tlt -d dict.npz -o x.png",
      "denoise ODD.png --sigma 5 -o x.png",
      "denoise ODD.npy --sigma 5 --patch 8x8 -o x.npy",
      "inpaint photos/0.png --mask ODD.png -o x.png",
      "inpaint photos/0.png --mask ODD.npy -o x.png",
      "atoms ODD.npz -o x.png",
      "approximate photos -d ODD.npz",
      "approximate photos --patch 8 --base ODD.npy",
    ];

    it.each(lines)("%s", async (line) => {
      const refusals = ["device", "pipe"].map((odd) => rejects(folder, line.replace("ODD", odd)));
      expect(await Promise.all(refusals)).toEqual([
        expect.stringMatching(/: device\.\w+: cannot be read \(it is a character device\)$/),
        expect.stringMatching(/: pipe\.\w+: cannot be read \(it is a named pipe\)$/),
      ]);
    });

    it.each(["metrics.jsonl", "atoms.png"])("report run, with %s of the run", async (name) => {
      for (const odd of ["device.npy", "pipe.npy"]) {
        const run = `run-${name}-${odd}`;
        await works(folder, `train photos ${quick} --base odct:1 --report ${run} --force -o x.npz`);
        rmSync(path(run, name));
        symlinkSync(path(odd), path(run, name));
        const { code, stderr } = await trainlets(folder, `report ${run}`);
        expect(code, stderr).toBe(name === "atoms.png" ? 0 : 2); // the page is made without a picture
        expect(stderr).toMatch(/^report: .*\n$/);
      }
    });

    it.each(["--checkpoint", "--report"])("train %s DIR, with the lock of the folder", async (flag) => {
      for (const [odd, kind] of [
        ["device.npy", "a character device"],
        ["pipe.npy", "a named pipe"],
      ]) {
        const run = `locked-${odd}${flag}`;
        mkdirSync(path(run));
        symlinkSync(path(odd), path(run, ".trainlets-lock"));
        const refusal = await rejects(folder, `train photos ${quick} ${flag} ${run} --force -o x.npz`);
        expect(refusal).toContain(`.trainlets-lock: cannot be read (it is ${kind})`);
      }
    });

    it("but a picture may come through a pipe that is open", async () => {
      const script = `cat photos/0.png | "$0" "$1" encode /dev/stdin -d dict.npz -o piped.npz --device reference`;
      const child = spawn("sh", ["-c", script, process.execPath, program], { cwd: folder });
      expect((await outcomeOf(child)).code).toBe(0);
      await works(folder, "encode photos/0.png -d dict.npz -o plain.npz --device reference");
      expect(readFileSync(path("piped.npz"))).toEqual(readFileSync(path("plain.npz")));
    });

    it("and codes may go into a named pipe that is read", async () => {
      const script = `mkfifo out.npz && (cat out.npz > read.npz & timeout 20 "$0" "$1" encode photos/0.png -d dict.npz -o out.npz --device reference && wait)`;
      const child = spawn("sh", ["-c", script, process.execPath, program], { cwd: folder });
      expect((await outcomeOf(child)).code).toBe(0);
      await works(folder, "encode photos/0.png -d dict.npz -o unpiped.npz --device reference");
      expect(readFileSync(path("read.npz"))).toEqual(readFileSync(path("unpiped.npz")));
    });
  },
);

describe("a folder with odd files", () => {
  it.skipIf(noPipes)(`is used without them, and each is named${missing}`, async () => {
    mkdirSync(path("mixed"));
    copyFileSync(path("photos/0.png"), path("mixed/a.png"));
    writeFileSync(path("mixed/broken.npy"), "not an array");
    writeFileSync(path("mixed/notes.txt"), "left out without a word");
    writeFileSync(
      path("mixed/program.png"),
      '<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"/>',
    );
    symlinkSync("elsewhere.png", path("mixed/gone.png"));
    symlinkSync("/dev/zero", path("mixed/zero.png"));
    spawnSync("mkfifo", [path("mixed/pipe.png")]);
    const server = createServer().listen(path("mixed/socket.png"));
    await new Promise((resolve) => server.once("listening", resolve));
    const skipped = [
      "mixed/gone.png: cannot be read (a link to nowhere), skipped",
      "mixed/pipe.png: cannot be read (it is a named pipe), skipped",
      "mixed/socket.png: cannot be read (it is a socket), skipped",
      "mixed/zero.png: cannot be read (it is a character device), skipped",
      "mixed/broken.npy: not a .npy file, skipped",
      "mixed/program.png: cannot be read as an image (SVG is read only from files named .svg), skipped",
    ];
    const lines = {
      train: `train mixed ${quick} --base odct:1 -o mixed.npz`,
      encode: "encode mixed -d dict.npz -o mixed-codes.npz --device reference",
      approximate: "approximate mixed/* -d dict.npz --count 20 --device reference",
    };
    for (const [command, line] of Object.entries(lines)) {
      const { stderr } = await works(folder, line);
      expect(stderr.split("\n").filter((text) => text.endsWith("skipped"))).toEqual(
        skipped.map((text) => `${command}: ${text}`),
      );
    }
    await works(folder, `train photos/0.png ${quick} --base odct:1 -o one.npz`);
    expect(readFileSync(path("mixed.npz"))).toEqual(readFileSync(path("one.npz")));
    await new Promise((resolve) => server.close(resolve));
  });

  it("is refused if nothing is left", async () => {
    mkdirSync(path("nothing"));
    symlinkSync("elsewhere.png", path("nothing/gone.png"));
    expect(await rejects(folder, `train nothing ${quick} -o x.npz`)).toBe(
      "train: no images, arrays or sounds in folder nothing",
    );
  });

  it("names the first of very many, and counts the others", async () => {
    mkdirSync(path("links"));
    copyFileSync(path("photos/0.png"), path("links/a.png"));
    for (let i = 0; i < 1000; i++) symlinkSync("gone", path(`links/${i}.png`));
    const { stderr } = await works(folder, `train links ${quick} --base odct:1 --force -o x.npz`);
    const lines = stderr.split("\n").filter((text) => text.includes("skipped"));
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe("train: 980 more skipped without being named");
  });

  it.skipIf(process.platform !== "linux")("is read with names that are not UTF-8", async () => {
    mkdirSync(path("latin"));
    writeFileSync(Buffer.from(path("latin/caf\xe9.png"), "latin1"), readFileSync(path("photos/0.png")));
    writeFileSync(Buffer.from(path("latin/na\xefve.png"), "latin1"), "not an image");
    for (const data of ["latin", "'latin/*.png'"]) {
      const { stderr, stdout } = await works(
        folder,
        `encode ${data} -d dict.npz -o latin.npz --device reference`,
      );
      expect(stdout).toMatch(/^latin\.npz: 25 codes of 8x8 windows/);
      expect(stderr).toBe(
        "encode: latin/na\\xefve.png: cannot be read as an image (unsupported image format), skipped\n1 picture of 40x40\n",
      );
    }
  });
});

describe("more files than may be open", () => {
  /** Runs a line with at most 128 open files. */
  function limited(line: string): Promise<Outcome> {
    const script = 'ulimit -n 128; exec "$0" "$@"';
    const args = ["-c", script, process.execPath, program, ...line.split(" ")];
    return outcomeOf(spawn("sh", args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] }));
  }

  it("are read: arrays in a folder", async () => {
    mkdirSync(path("many"));
    for (let i = 0; i < 700; i++) writeArray(path(`many/${i}.npy`), [8, 8], (k) => wave(k + 64 * i));
    const line = `train many --patch 8x8 --examples 650 --epochs 1 --batch 100 --base odct:1 --device reference --force -o many.npz`;
    for (const more of ["", " --group-samples 2000 --epochs 2"]) {
      const { code, stderr } = await limited(line + more);
      expect(code, stderr).toBe(0);
      expect(stderr).not.toContain("skipped");
    }
  });
});

describe("dictionaries of one name", () => {
  it("have labels of their own", async () => {
    for (const name of ["a", "b"]) {
      mkdirSync(path(name));
      copyFileSync(path("dict.npz"), path(name, "m.npz"));
    }
    const line = "approximate photos --count 20 -d a/m.npz -d b/m.npz -d dict.npz -d dict.npz --base odct:1";
    const { stdout } = await works(folder, `${line} --json --device reference`);
    expect(Object.keys(JSON.parse(stdout).psnr)).toEqual(["a/m", "b/m", "dict", "dict (2)", "odct:1"]);
  });
});
