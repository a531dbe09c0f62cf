/** `reproduce all`, whole, at tiny sizes in this process: folders, results, page, resuming, failures, interrupts. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type AllFlags, reproduceAll } from "../src/cli/reproduce/reproduceAll.js";
import { InterruptedError } from "../src/cli/terminal/interrupt.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { type Result, readResult } from "../src/experiments/results/result.js";
import type { Experiment } from "../src/experiments/shared/experiment.js";
import { jsonPart } from "../src/experiments/shared/parts.js";
import { tinyExperiments } from "../src/experiments/tinyExperiments.case.js";
import { encodePng } from "../src/figures/png.js";
import { writeArray } from "./cliProcess.js";
import { ownClaims, paperSentences } from "./docs/paperSentences.js";

let folder: string;
const path = (...names: string[]) => join(folder, ...names);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-all-"));
  for (const name of ["photos/train", "photos/test", "faces"])
    mkdirSync(path("pictures", name), { recursive: true });
  syntheticPictures(1, 4, 40).forEach(({ data }, i) => {
    const picture = { width: 40, height: 40, channels: 1 as const, data: Uint8Array.from(data) };
    const place = i === 0 ? "lena.png" : i === 1 ? "photos/test/1.png" : `photos/train/${i}.png`;
    writeFileSync(path("pictures", place), encodePng(picture));
  });
  for (const name of ["aligned", "lfw"])
    writeArray(path("pictures/faces", `${name}.npy`), [40, 8, 8], (i) => (i * (name.length + 31)) % 251);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Run it, and return what it prints and how it ends. */
async function run(experiments: readonly Experiment[], flags: Partial<AllFlags> = {}) {
  const printed = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      printed[name] += text;
      return true;
    }),
  );
  try {
    await reproduceAll(experiments, {
      output: path("all"),
      data: path("pictures"),
      device: "cpu",
      threads: 1,
      ...flags,
    });
    return { ...printed, error: undefined };
  } catch (error) {
    return { ...printed, error };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const resultIn = (name: string, output = "all"): Result =>
  readResult(readFileSync(path(output, name, "result.json"), "utf8"), name);

describe("reproduce all", () => {
  const names = tinyExperiments.flatMap(({ name }) =>
    name === "fig8" ? ["fig8-aligned", "fig8-lfw"] : [name],
  );
  let first: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    first = await run(tinyExperiments);
  });

  it("runs every experiment into a folder of its own, faces once per file, and counts the claims", () => {
    expect(first.error).toBeUndefined();
    expect(
      readdirSync(path("all"))
        .filter((name) => !name.startsWith("."))
        .sort(),
    ).toEqual([...names, "index.html"].sort());
    for (const name of names) {
      const result = resultIn(name);
      for (const file of result.files)
        expect(existsSync(path("all", name, file)), `${name}/${file}`).toBe(true);
      expect(existsSync(path("all", name, "parts")), name).toBe(false);
      expect(result.identity.device, name).toBe("cpu");
    }
    expect(first.stdout).toMatch(/\d+ of \d+ claims hold\ndone in \d:\d\d; open .*all\/index\.html\n$/);
  });

  it("takes the pictures of the folder, and synthetic ones where they are missing", () => {
    const label = (name: string) => resultIn(name).label;
    expect(["fig1", "fig5", "fig7", "fig8-lfw", "universal32"].map(label)).toEqual([
      "",
      "lena",
      "synthetic",
      "lfw",
      "photos",
    ]);
    expect(resultIn("universal32").data.map(({ role, name, signals }) => [role, name, signals])).toEqual([
      ["images", "photos/train", 2],
      ["test", "photos/test", 1],
    ]);
  });

  it("has a page that shows figures which exist, and every claim", () => {
    const page = readFileSync(path("all/index.html"), "utf8");
    const shown = [...page.matchAll(/<img src="([^"]+)"/g)].map(([, src]) => decodeURIComponent(src));
    expect(shown.length).toBeGreaterThan(names.length);
    for (const src of shown) expect(existsSync(path("all", src)), src).toBe(true);
    for (const name of names) expect(page).toContain(`href="${name}/index.html"`);
  });

  it("makes the claims that the list of sentences has, and no others", () => {
    const form = (name: string) => {
      const [experiment, id] = name.replace(/@\S+/, "").split(" ");
      return `${experiment} ${id.replace(/\d+/g, "#")}`; // sizes are tiny here
    };
    const made = names.flatMap((name) => {
      const { experiment, claims } = resultIn(name);
      return claims.map(({ id }) => form(`${experiment} ${id}`));
    });
    const listed = [...paperSentences.flatMap(({ claims = [] }) => claims), ...ownClaims].map(form);
    expect(
      [...new Set(made)].filter((name) => !listed.includes(name)),
      "not in paperSentences.ts",
    ).toEqual([]);
    expect(
      [...new Set(listed)].filter((name) => !made.includes(name)),
      "made by no experiment",
    ).toEqual([]);
  });

  it("runs nothing again, and everything of an experiment whose data changed", async () => {
    const before = names.map((name) => resultIn(name).date);
    const again = await run(tinyExperiments);
    expect(names.map((name) => resultIn(name).date)).toEqual(before);
    expect(again.stderr.match(/finished earlier/g)?.length).toBe(names.length);
    expect(again.stdout.split("done in")[0]).toBe(first.stdout.split("done in")[0]);
    writeArray(path("pictures/faces/lfw.npy"), [40, 8, 8], (i) => (i * 77) % 239);
    const other = await run(tinyExperiments, { only: ["fig8"] });
    expect(other.stderr).toContain("running again: the result found is of other data");
    expect(other.stderr.match(/finished earlier/g)?.length).toBe(1);
    expect(readFileSync(path("all/index.html"), "utf8")).toContain("fig5/index.html"); // results of other runs stay on the page
  });
});

describe("an experiment of reproduce all", () => {
  const [fig1, fig2, fig3] = tinyExperiments;

  it("that fails is named, and does not end the others", async () => {
    const broken: Experiment = {
      ...fig2,
      prepare: async () => async () => Promise.reject(new RangeError("Array buffer allocation failed")),
    };
    const { error, stdout, stderr } = await run([fig1, broken, fig3], { output: path("failed") });
    expect(error).toEqual(
      new Error(
        "1 of 3 experiments failed: fig2 (not enough memory: try fewer atoms, a smaller patch or less data (Array buffer allocation failed))",
      ),
    );
    expect(stderr).toContain("fig2 failed: not enough memory");
    expect(stdout).toContain("5 of 5 claims hold");
    expect(readFileSync(path("failed/index.html"), "utf8")).toContain("not enough memory");
    expect((await run([fig1, fig2, fig3], { output: path("failed") })).error).toBeUndefined();
  });

  it("that is interrupted keeps its finished parts, and the same command continues", async () => {
    let computed = 0;
    const slow = (stop: boolean): Experiment => ({
      ...fig2,
      prepare: async (options) => async (data, tools) => {
        const { value } = await jsonPart(tools, "first", async () => ++computed);
        if (stop) process.emit("SIGTERM", "SIGTERM");
        tools.onStage?.(`after part ${value}`);
        return (await fig2.prepare(options))(data, tools);
      },
    });
    const flags = { output: path("stopped") };
    const { error } = await run([fig1, slow(true), fig3], flags);
    expect(error).toBeInstanceOf(InterruptedError);
    expect((error as InterruptedError).exitCode()).toBe(128 + 15);
    expect(String(error)).toContain("1 of 3 experiments are finished");
    expect(existsSync(path("stopped/fig2/result.json"))).toBe(false);
    const resumed = await run([fig1, slow(false), fig3], flags);
    expect(resumed.error).toBeUndefined();
    expect(resumed.stderr).toContain("resuming: 1 finished part found");
    expect(resumed.stderr).toContain("after part 1");
    expect(computed).toBe(1);
    const other: Experiment = { ...slow(false), settings: () => ({ samples: 65 }) };
    const changed = await run([other], flags);
    expect(changed.stderr).toContain("running again: the result found is of other settings");
    expect(computed).toBe(2);
  });

  it("writes into no folder with files of others", async () => {
    mkdirSync(path("mine/fig1"), { recursive: true });
    writeFileSync(path("mine/fig1/diary.txt"), "mine");
    const { error } = await run([fig1], { output: path("mine") });
    expect(String(error)).toContain("fig1");
    expect(readdirSync(path("mine/fig1"))).toEqual(["diary.txt"]);
    expect(String((await run([fig1], { output: path("pictures/out") })).error)).toContain(
      "must not be in the folder of the data",
    );
  });
});
