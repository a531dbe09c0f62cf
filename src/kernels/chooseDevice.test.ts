import { afterEach, describe, expect, test, vi } from "vitest";
import { InputError } from "../core/errors.js";
import { chooseKernels, deviceNames, listDevices } from "./chooseDevice.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("chooseKernels", () => {
  test.each(deviceNames.filter((name) => name !== "auto" && name !== ("gpu" as string)))(
    "gives %s if asked for it",
    async (name) => {
      const { kernels, reason, rejected } = await chooseKernels(name);
      expect([kernels.name, reason, rejected]).toEqual([name, "asked for", []]);
      expect(kernels.description).not.toBe("");
      await kernels.close();
    },
  );

  test("takes the fastest that works, and says why better ones were not available", async () => {
    const { kernels, reason, rejected } = await chooseKernels();
    expect(reason).toBe("the fastest that works here");
    const order = [...rejected.map(({ name }) => name), kernels.name];
    expect(order).toEqual(deviceNames.slice(1, 1 + order.length)); // better ones first
    for (const { reason } of rejected) expect(reason).not.toBe("");
    await kernels.close();
  });

  test("falls back to the reference, and says why, only if it may choose", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    const { kernels, rejected } = await chooseKernels("auto");
    expect(kernels.name).not.toBe("cpu");
    if (kernels.name === "reference")
      expect(rejected).toContainEqual({ name: "cpu", reason: "this runtime has no WebAssembly" });
    await kernels.close();
    await expect(chooseKernels("cpu")).rejects.toThrow(
      new InputError(
        "chooseKernels: device cpu is not available here (cpu: this runtime has no WebAssembly)",
      ),
    );
  });

  test("uses the given number of threads", async () => {
    const { kernels } = await chooseKernels("cpu", { threads: 1 });
    expect(kernels.description).toMatch(/\b1 thread\b|one thread/);
    await kernels.close();
  });

  test("rejects unknown names and lists the known ones", async () => {
    await expect(chooseKernels("cuda" as never)).rejects.toThrow(
      new InputError(`chooseKernels: unknown device "cuda"; known: ${deviceNames.join(", ")}`),
    );
  });
});

test("listDevices lists all devices, best first", async () => {
  const devices = await listDevices();
  expect(devices.map(({ name }) => name)).toEqual(deviceNames.slice(1));
  expect(devices.at(-1)).toEqual({
    name: "reference",
    available: true,
    detail: "plain loops in double precision, one thread",
  });
});
