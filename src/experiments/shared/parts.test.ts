import { expect, test } from "vitest";
import { InputError } from "../../core/errors.js";
import { SparseColumns } from "../../core/matrix.js";
import { createBase } from "../../dictionaries/base.js";
import { Model } from "../../model/model.js";
import { memoryParts } from "./memoryParts.case.js";
import { jsonPart, modelPart } from "./parts.js";

function model(): Model {
  const meta = { learner: "osdl", options: {}, seed: 1, examplesSeen: 7, removeMean: true, coding: {} };
  return new Model(createBase("identity", [2, 2]), SparseColumns.identity(4, 1), meta);
}

test("a part is computed once, and keeps its seconds", async () => {
  const parts = memoryParts();
  let computed = 0;
  const compute = async () => ({ psnr: [30.25, 31], turns: ++computed });
  const first = await jsonPart({ parts }, "8x8-osdl", compute);
  expect(await jsonPart({ parts }, "8x8-osdl", compute)).toEqual(first);
  expect(first.value).toEqual({ psnr: [30.25, 31], turns: 1 });
  expect([...parts.stored.keys()]).toEqual(["8x8-osdl.json"]);
  expect((await jsonPart({}, "8x8-osdl", compute)).value.turns).toBe(2); // no store
});

test("a model part gives back the model and its record, and needs both files", async () => {
  const parts = memoryParts();
  let computed = 0;
  const compute = async () => ({ model: model(), record: { turns: ++computed } });
  await modelPart({ parts }, "osdl", compute);
  const again = await modelPart({ parts }, "osdl", compute);
  expect(again.value.record).toEqual({ turns: 1 });
  expect(again.value.model.meta.examplesSeen).toBe(7);
  parts.stored.delete("osdl.npz");
  expect((await modelPart({ parts }, "osdl", compute)).value.record.turns).toBe(2);
});

test("a part of an aborted run is not stored", async () => {
  const parts = memoryParts();
  const tools = { parts, signal: AbortSignal.abort() };
  expect((await jsonPart(tools, "a", async () => 1)).value).toBe(1);
  await modelPart(tools, "b", async () => ({ model: model(), record: 1 }));
  expect(parts.stored.size).toBe(0);
});

test("a part that cannot be read is named", async () => {
  const parts = memoryParts();
  parts.stored.set("a.json", new Uint8Array([1, 2]));
  await expect(jsonPart({ parts }, "a", async () => 1)).rejects.toThrow(
    new InputError("a.json: not a finished part of this run; remove it to compute it again"),
  );
});
