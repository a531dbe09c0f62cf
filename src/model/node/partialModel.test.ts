import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../core/errors.js";
import { modelFromBytes, modelToBytes } from "../files.js";
import { Model } from "../model.js";
import { loadModel, saveModel } from "./files.js";
import { removePartialModel, requirePartialOutput, savePartialModel } from "./partialModel.js";

const folder = mkdtempSync(join(tmpdir(), "trainlets-partial-"));
const path = (name: string) => join(folder, name);
const model = Model.from([[1, 1, 1, 1], [1, -1, 1, -1]], [2, 2]); // biome-ignore format: a matrix
const seen = { examples: 300, of: 1000 };

beforeAll(async () => {
  await saveModel(path("whole.npz"), model);
  await savePartialModel(path("part.npz"), model, seen);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a partial model", () => {
  it("is the same model, and says how far it came", async () => {
    const part = await loadModel(path("part.npz"));
    expect(part.meta).toEqual({ ...model.meta, partial: seen });
    expect(part.dictionary).toEqual(model.dictionary);
    expect((await loadModel(path("whole.npz"))).meta.partial).toBeUndefined();
    expect(readFileSync(path("whole.npz"), "latin1")).not.toContain("partial");
  });

  it.each([1, "x", null, [], {}, { examples: 1 }, { examples: -1, of: 1 }, { examples: 2, of: 1 }])(
    "is not one with the mark %j",
    (partial) => {
      const meta = { ...model.meta, partial } as unknown as Model["meta"];
      const bytes = modelToBytes(new Model(model.base, model.A, meta, {}, model.dictionary));
      expect(modelFromBytes(bytes, "x.npz").meta.partial).toBeUndefined();
    },
  );
});

describe("requirePartialOutput", () => {
  it.each([
    ["d.npz", "d.partial.npz"],
    ["d.v2.NPZ", "d.v2.partial.NPZ"],
    ["d", "d.partial.npz"],
    ["d.partial.npz", "d.partial.partial.npz"],
  ])("%s → %s", async (output, partial) => {
    expect(await requirePartialOutput(path(output), [])).toBe(path(partial));
  });

  it("has no place beside a device", async () => {
    expect(await requirePartialOutput("/dev/null", [])).toBeUndefined();
  });

  it("accepts a partial model there, and nothing else", async () => {
    const at = path("mine.partial.npz");
    copyFileSync(path("part.npz"), at);
    expect(await requirePartialOutput(path("mine.npz"), [])).toBe(at);
    await expect(requirePartialOutput(path("mine.npz"), [at])).rejects.toThrow(
      new InputError(`the file of an interrupted run must not be an input, got ${at}`),
    );
    for (const other of ["whole.npz", "text"]) {
      writeFileSync(path("text"), "mine\n");
      copyFileSync(path(other), at);
      await expect(requirePartialOutput(path("mine.npz"), [])).rejects.toThrow(
        new InputError(
          `an interrupted run is saved to ${at}, which exists and is not the dictionary of an interrupted run`,
        ),
      );
      expect(readFileSync(at)).toEqual(readFileSync(path(other)));
    }
    rmSync(at);
    symlinkSync("/dev/zero", at);
    await expect(requirePartialOutput(path("mine.npz"), [])).rejects.toThrow("not the dictionary");
    rmSync(at);
  });
});

it("removePartialModel removes a partial model, and nothing else", async () => {
  const at = path("old.partial.npz");
  await removePartialModel(at);
  for (const name of ["whole.npz", "text"]) {
    copyFileSync(path(name), at);
    await removePartialModel(at);
    expect(readFileSync(at)).toEqual(readFileSync(path(name)));
  }
  copyFileSync(path("part.npz"), at);
  await removePartialModel(at);
  expect(existsSync(at)).toBe(false);
  symlinkSync(path("part.npz"), at);
  await removePartialModel(at);
  expect(existsSync(at)).toBe(true);
});
