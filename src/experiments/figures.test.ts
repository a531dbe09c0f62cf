/** The experiments that only draw, at their quick size: the claims hold, and the page shows files that exist. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../core/errors.js";
import type { Kernels } from "../kernels/contract.js";
import { createCpuKernels } from "../kernels/cpu/index.js";
import { findExperiment } from "./catalogue.js";
import { fig11 } from "./fig04-and-11-analytic/settings.js";
import type { Outcome } from "./shared/experiment.js";
import { orderClaims } from "./shared/mTermComparison.js";

let kernels: Kernels;
beforeAll(async () => {
  kernels = await createCpuKernels();
});
afterAll(() => kernels.close());

async function quick(name: string, options: object = {}): Promise<Outcome> {
  const run = await findExperiment(name).prepare({ quick: true, ...options });
  return run({}, { kernels });
}

const text = ({ files }: Outcome, name: string): string =>
  new TextDecoder().decode(files.find((file) => file.name === name)!.bytes);

/** Claims that do not hold, and those that hold on photographs but not on the synthetic pictures. */
const failing: Record<string, string[]> = {
  fig2: ["periodic-over-zero", "periodic-over-mirrored"],
  fig11: ["cropped-wavelets-over-cropped-contourlets-32"],
};

describe.each(["fig1", "fig2", "fig3", "fig4", "fig11"])("%s", (name) => {
  test("agrees with the paper, is the same in a second run, and has a page with its figures", async () => {
    const outcome = await quick(name);
    expect(outcome.claims.length).toBeGreaterThan(0);
    const failed = outcome.claims.filter(({ holds }) => !holds).map(({ id }) => id);
    expect(failed).toEqual(failing[name] ?? []);
    expect(new Set(outcome.claims.map(({ id }) => id)).size).toBe(outcome.claims.length);
    expect(JSON.parse(JSON.stringify(outcome.settings))).toEqual(outcome.settings);
    expect(Object.keys(outcome.stageSeconds).length).toBeGreaterThan(0);
    expect(outcome.rows.every((row) => row.length === outcome.header.length)).toBe(true);
    expect(outcome.files.some(({ name: file }) => file.endsWith(".svg"))).toBe(true);
    const page = text(outcome, "index.html");
    for (const { text: claim } of outcome.claims) expect(page).toContain(claim.slice(0, 20));
    for (const departure of outcome.departures) expect(page).toContain(departure.slice(0, 20));
    for (const [, src] of page.matchAll(/<img src="([^"]+)"/g))
      expect(outcome.files.map((file) => file.name)).toContain(src);
    if (name === "fig1" || name === "fig2") expect((await quick(name)).rows).toEqual(outcome.rows);
  });
});

test("fig2 measures the errors of the prototypes, up to the random draw", async () => {
  const run = await findExperiment("fig2").prepare({});
  const { values } = await run({}, { kernels });
  const { "periodic wavelets": periodic, "cropped wavelets": cropped } = values as Record<
    string,
    { border: number; jump: number }
  >;
  const near = (value: number, expected: number) => expect(Math.abs(value / expected - 1)).toBeLessThan(0.2);
  near(periodic.border, 4.0e-3);
  near(cropped.border, 3.8e-4);
  near(periodic.jump, 1.5e-3);
  near(cropped.jump, 1.3e-3);
});

test("a claim about two curves holds if one is above the other at every M", () => {
  const chart = fig11.charts[0];
  const curve = (label: string, value: number) => ({ label, psnr: new Array<number>(61).fill(value) });
  const curves = [curve("wavelets", 20), curve("contourlets", 20.1), curve("cropped contourlets", 21)];
  const holds = (cropped: number) =>
    orderClaims(chart.orders, [...curves, curve("cropped wavelets", cropped)], chart.terms).map(
      (claim) => claim.holds,
    );
  expect(holds(21.1)).toEqual([true, true, true, true]);
  expect(holds(21)).toEqual([true, true, true, false]);
  expect(holds(20)).toEqual([true, false, true, false]);
});

test("options that an experiment does not have are rejected", async () => {
  await expect(quick("fig3", { seed: 1 })).rejects.toThrow(new InputError("seed is not an option of fig3"));
  await expect(quick("fig2", { batch: 3 })).rejects.toThrow(new InputError("batch is not an option of fig2"));
});
