import fc from "fast-check";
import { expect, it } from "vitest";
import { PagePace, pageDefaults } from "./liveReport.js";

/** Reports every `step` seconds, with pages of these costs; when pages were begun, and what all of them cost. */
async function simulate(every: number | undefined, costs: readonly number[], step: number, seconds: number) {
  let now = 0;
  let spent = 0;
  const begun: number[] = [];
  const pace = new PagePace(every, () => now);
  while (now < seconds) {
    now += step;
    if (!pace.isDue()) continue;
    const cost = costs[begun.length % costs.length];
    begun.push(now);
    await pace.spend(async () => {
      now += cost;
    });
    spent += cost;
  }
  return { begun, spent, seconds: now };
}

it("draws pages at the interval if they cost next to nothing", async () => {
  const { begun } = await simulate(undefined, [0.01], 1, 125);
  expect(begun).toEqual([30, 60.01, 90.02, 120.03].map((at) => expect.closeTo(at, 6)));
});

it("takes at most a hundredth of the time, from the second page on", async () => {
  const cost = fc.double({ min: 0.001, max: 3, noNaN: true });
  await fc.assert(
    fc.asyncProperty(cost, fc.double({ min: 0.05, max: 5, noNaN: true }), async (each, step) => {
      const { begun, spent, seconds } = await simulate(undefined, [each], step, 2000);
      expect(begun[0]).toBeGreaterThanOrEqual(pageDefaults.every);
      expect(begun[0]).toBeLessThanOrEqual(pageDefaults.every + step);
      if (begun.length > 1) expect(spent).toBeLessThanOrEqual(pageDefaults.share * seconds + 1e-6);
    }),
    { numRuns: 50 },
  );
});

it("keeps a given interval, however long drawing takes", async () => {
  const { begun } = await simulate(2, [1], 0.5, 9);
  expect(begun).toEqual([2, 4, 6, 8]);
});
