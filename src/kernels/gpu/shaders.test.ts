/** Every shader compiles, without a GPU: Dawn's null backend checks WGSL as every other backend does. */

import { describe, expect, test } from "vitest";
import { create } from "webgpu";
import { shaders } from "./shaders.js";

const gpu = create(["backend=null"]); // referenced to the end: it must outlive what it gives
const adapter = (await gpu.requestAdapter())!;
const device = await adapter.requestDevice();

describe("shaders", () => {
  test.each(Object.entries(shaders))("%s compiles", async (name, code) => {
    const module = device.createShaderModule({ label: name, code });
    const { messages } = await module.getCompilationInfo();
    expect(messages.map(({ lineNum, message }) => `${lineNum}: ${message}`)).toEqual([]);
    const constants = [...code.matchAll(/^override (\w+): bool/gm)].map(([, constant]) => constant);
    for (const value of [0, 1]) {
      const chosen = Object.fromEntries(constants.map((constant) => [constant, value]));
      const compute = { module, entryPoint: "main", constants: chosen };
      await expect(device.createComputePipelineAsync({ layout: "auto", compute })).resolves.toBeDefined();
    }
  });

  test("bind no more than every device allows", () => {
    for (const code of Object.values(shaders)) {
      expect(code.match(/var<storage/g)?.length ?? 0).toBeLessThanOrEqual(8);
      expect(code).toContain("@group(0) @binding(0) var<uniform> params: Params;");
    }
    expect([gpu, adapter]).toHaveLength(2);
  });
});
