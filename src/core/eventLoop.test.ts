import { afterEach, describe, expect, test, vi } from "vitest";
import { Breath } from "./eventLoop.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("Breath", () => {
  /** Keep this thread busy, as a long computation does. */
  function work(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  }

  test("lets timers run every so often, and only then", async () => {
    const breath = new Breath();
    let ran = false;
    setTimeout(() => {
      ran = true;
    }, 1);
    work(10);
    await breath.take();
    expect(ran).toBe(false);
    for (let turn = 0; turn < 3; turn++) {
      work(110);
      await breath.take();
    }
    expect(ran).toBe(true);
  });

  test("does not wait for a timer itself: those of a hidden page come late", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate"] }); // and nobody advances them
    const breath = new Breath();
    work(110);
    await breath.take();
  });
});
