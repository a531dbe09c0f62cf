import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { experiments } from "../../experiments/catalogue.js";
import { findDataSets, finders, labelOf, requireDataFolder } from "./dataFolder.js";
import { nameWithin } from "./experimentData.js";

let folder: string;
const path = (name: string) => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-data-"));
  for (const name of ["photos/train", "photos/test", "denoise", "faces", "empty"])
    mkdirSync(path(name), { recursive: true });
  for (const name of ["lena.png", "faces/b set.npy", "faces/a.npy", "faces/readme.txt"])
    writeFileSync(path(name), "");
  symlinkSync(path("photos"), path("linked"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("has a place for every experiment that uses pictures, and for no other", () => {
  const used = experiments.filter(({ images }) => images !== "none").map(({ name }) => name);
  expect(Object.keys(finders).sort()).toEqual(used.sort());
});

test("finds the pictures of each experiment", async () => {
  const label = async (name: string) => (await findDataSets(name, folder)).map((set) => set.label);
  expect(await label("fig1")).toEqual([""]);
  expect(await label("fig5")).toEqual(["lena"]);
  expect(await label("fig7")).toEqual(["denoise"]);
  expect(await label("fig8")).toEqual(["a", "b-set"]);
  expect(await findDataSets("universal32", folder)).toEqual([
    { label: "photos", images: [path("photos/train")], test: [path("photos/test")] },
  ]);
  expect(await findDataSets("fig4", folder)).toEqual([{ label: "photos", images: [path("photos/test")] }]);
});

test("uses synthetic pictures where others are missing", async () => {
  for (const place of [undefined, path("empty")])
    for (const name of Object.keys(finders))
      expect(await findDataSets(name, place)).toEqual([{ label: "synthetic" }]);
});

test("refuses what is not such a folder", async () => {
  await expect(requireDataFolder(path("lena.png"))).rejects.toThrow(
    /--data must be a folder, got .*lena\.png$/,
  );
  await expect(requireDataFolder(path("nowhere"))).rejects.toThrow(InputError);
  await expect(requireDataFolder(path("empty"))).rejects.toThrow(/--data must have lena\.png, photos\/train/);
  await requireDataFolder(folder);
});

test("names data without the folders of one machine", () => {
  expect(nameWithin("/home/me/photos/train/")).toBe("photos/train");
  expect(nameWithin("lena.png")).toBe("lena.png");
  expect(nameWithin("../lena.png")).toBe("lena.png");
  expect(labelOf("faces/LFW crop_64.npy")).toBe("LFW-crop-64");
  expect(labelOf("...")).toBe("data");
});
