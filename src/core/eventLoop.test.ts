import { afterEach, describe, expect, test, vi } from "vitest";
import { EventLoopPause } from "./eventLoop.js";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("EventLoopPause", () => {
  /** A clock that the test moves, so that a slow machine changes nothing. */
  function clock() {
    const time = { now: 0 };
    vi.spyOn(performance, "now").mockImplementation(() => time.now);
    return time;
  }

  test("lets timers run once 100 ms of work have passed, and not before", async () => {
    const time = clock();
    const pause = new EventLoopPause();
    let ran = false;
    setTimeout(() => {
      ran = true;
    }, 1);
    time.now += 99;
    await pause.ifDue();
    expect(ran).toBe(false);
    while (!ran) {
      time.now += 100;
      await pause.ifDue();
    }
  });

  test("does not wait for a timer itself, because timers of a hidden page come late", async () => {
    const time = clock();
    vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate"] }); // and nobody advances them
    const pause = new EventLoopPause();
    time.now += 100;
    await pause.ifDue();
  });
});
