/** The software GPU for tests: after `enable`, WebGPU in Node offers it as an adapter. */

import { beforeAll, describe, expect, it } from "vitest";
import { create } from "webgpu";
import { requireSoftwareGpu } from "./softwareGpu.js";

const software = requireSoftwareGpu();

describe.skipIf(!software.enable)(`WebGPU in Node${software.note}`, () => {
  beforeAll(() => software.enable!());

  it("offers SwiftShader as a fallback adapter with a device", async () => {
    const gpu = create([]); // referenced to the end: it must outlive its adapter and device
    const adapter = await gpu.requestAdapter({ forceFallbackAdapter: true });
    expect(adapter?.info).toMatchObject({ architecture: "swiftshader", isFallbackAdapter: true });
    const device = await adapter!.requestDevice();
    expect(device.limits.maxComputeInvocationsPerWorkgroup).toBe(256);
    device.destroy();
    expect(gpu).toBeDefined();
  });
});
