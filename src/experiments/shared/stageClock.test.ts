import { expect, test } from "vitest";
import { StageClock } from "./stageClock.js";

test("a stage that is timed again adds up", async () => {
  const clock = new StageClock();
  clock.add("learning", 2);
  clock.add("learning", 3);
  expect(await clock.time("drawing", () => "drawn")).toBe("drawn");
  expect(clock.seconds()).toEqual({ learning: 5, drawing: expect.any(Number) });
});

test("a resumed run took at least as long as its stages, those before the interruption included", () => {
  const clock = new StageClock();
  expect(clock.elapsed).toBeLessThan(100);
  clock.add("learning, before the interruption", 100);
  clock.add("drawing", 20);
  expect(clock.elapsed).toBe(120);
});
