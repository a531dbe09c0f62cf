/** A run resumes with its own data alone: whatever changed between, the file that differs is named. */

import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeNpy } from "../src/data/formats/npy.js";
import { writeNpz } from "../src/data/formats/npz.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { rejects, works } from "./cliHere.js";
import { wave, writeArray, writePng } from "./cliProcess.js";
import { tarOf } from "./fuzz/tarOf.js";

const folder = mkdtempSync(join(tmpdir(), "trainlets-same-"));
const path = (...parts: string[]) => join(folder, ...parts);
const options =
  "--examples 200 --epochs 1 --batch 50 --holdout 20 --base odct:1 --device reference --checkpoint-steps 1";

/** A line that starts or resumes the run of a folder. */
const line = (data: string, run: string, more = "--patch 8x8") =>
  `train ${data} ${more} ${options} --checkpoint ${run} --resume -o ${run}.npz`;

const pictures = syntheticPictures(3, 4, 40);

beforeAll(() => {
  mkdirSync(path("photos"));
  pictures.forEach(({ data }, p) => {
    writePng(path("photos", `${p}.png`), 40, (i) => Math.min(255, Math.max(0, data[i])));
  });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Flip one bit of a file. */
function flip(name: string, at: (length: number) => number): void {
  const bytes = readFileSync(path(name));
  bytes[at(bytes.length)] ^= 1;
  writeFileSync(path(name), bytes);
}

const refused = (end: string) =>
  new RegExp(`^train: --resume: the (test )?data must be .* as in the checkpoint, got .*\\): ${end}$`);

describe("a run is refused that resumes", () => {
  it("with one bit of a picture flipped: in its pixels, its header, or its end", async () => {
    cpSync(path("photos"), path("rot"), { recursive: true });
    await works(folder, line("rot", "run-rot"));
    for (const [at, end] of [
      [(length: number) => length >> 1, "rot/2\\.png differs"],
      [() => 3, "rot/2\\.png was skipped"],
      [(length: number) => length - 1, "rot/2\\.png differs"],
    ] as const) {
      flip("rot/2.png", at);
      expect(await rejects(folder, line("rot", "run-rot"))).toMatch(refused(end));
      flip("rot/2.png", at);
    }
    await works(folder, line("rot", "run-rot"));
  });

  it("with another array of the same name, size and shape", async () => {
    writeArray(path("data.npy"), [3, 30, 30], wave);
    await works(folder, line("data.npy", "run-npy"));
    writeArray(path("data.npy"), [3, 30, 30], (i) => wave(i + 1));
    expect(await rejects(folder, line("data.npy", "run-npy"))).toMatch(refused("data\\.npy differs"));
  });

  it.each(["npz", "tar"])("with another member of an archive: %s", async (kind) => {
    const scan = (shift: number) =>
      makeNpy(
        [30, 30],
        Float32Array.from({ length: 900 }, (_, i) => wave(i + shift)),
      );
    const photo = (p: number) => new Uint8Array(readFileSync(path(`photos/${p}.png`)));
    const archive = (second: number) =>
      kind === "tar"
        ? tarOf({ "a.png": photo(0), "b.png": photo(second) })
        : writeNpz([
            ["a", scan(0)],
            ["b", scan(second)],
          ]);
    writeFileSync(path(`data.${kind}`), archive(1));
    await works(folder, line(`data.${kind}`, `run-${kind}`));
    writeFileSync(path(`data.${kind}`), archive(2));
    const name = kind === "tar" ? "b\\.png" : "b";
    expect(await rejects(folder, line(`data.${kind}`, `run-${kind}`))).toMatch(
      refused(`data\\.${kind}\\[${name}\\] (differs|is new, or changed)`),
    );
  });

  it("with other test data", async () => {
    copyFileSync(path("photos/3.png"), path("test.png"));
    const more = "--patch 8x8 --test test.png";
    await works(folder, line("photos", "run-test", more));
    copyFileSync(path("photos/2.png"), path("test.png"));
    expect(await rejects(folder, line("photos", "run-test", more))).toMatch(refused("test\\.png differs"));
  });

  it("with a file more, a file fewer, or files that changed places", async () => {
    cpSync(path("photos"), path("set"), { recursive: true });
    await works(folder, line("set", "run-set"));
    copyFileSync(path("set/0.png"), path("set/more.png"));
    expect(await rejects(folder, line("set", "run-set"))).toMatch(
      refused("set/more\\.png is new, or changed"),
    );
    rmSync(path("set/more.png"));
    renameSync(path("set/1.png"), path("set/x.png"));
    expect(await rejects(folder, line("set", "run-set"))).toMatch(refused("set/x\\.png differs"));
    renameSync(path("set/x.png"), path("set/1.png"));
    const swapped = "set/1.png set/0.png set/2.png set/3.png";
    expect(await rejects(folder, line(swapped, "run-set"))).toMatch(refused("the same in another order"));
  });
});

describe("a run resumes", () => {
  it("with its data in another folder, and other times of the files", async () => {
    await works(folder, line("photos", "run-moved"));
    const before = readFileSync(path("run-moved.npz"));
    cpSync(path("photos"), path("elsewhere/copy"), { recursive: true });
    const { stderr } = await works(folder, line("elsewhere/copy", "run-moved"));
    expect(stderr).toContain("resuming from run-moved/checkpoint-");
    expect(readFileSync(path("run-moved.npz"))).toEqual(before);
  });
});
