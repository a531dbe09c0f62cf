/**
 * The conformance suite: what any implementation of the kernel contract must do.
 *
 * Every operation is compared with explicit f64 matrices within derived bounds,
 * on sizes drawn at random: one to three axes, odd sizes, no columns at all, zero
 * columns, duplicated atoms, scales from 1e-12 to 1e12. `draws` is how many cases
 * of each; a slow device may take fewer. What depends on blocks and remainders
 * runs once more at sizes beyond any block, on small integers where f32 is exact.
 *
 * The cases: memory.case.ts, products.case.ts, pursuit.case.ts, update.case.ts, explicit.case.ts.
 * How they are kept honest: bench.case.ts (inputs, outputs), oracle.case.ts (bounds).
 */

import { afterAll, beforeAll, describe, test } from "vitest";
import { Rng } from "../../core/rng.js";
import type { Kernels } from "../contract.js";
import { Bench } from "./bench.case.js";
import { explicitCases } from "./explicit.case.js";
import { memoryCases } from "./memory.case.js";
import { productCases } from "./products.case.js";
import { pursuitCases } from "./pursuit.case.js";
import { updateCases } from "./update.case.js";

const scales = [1, 1e-12, 1e12];
const cases = [...memoryCases, ...productCases, ...pursuitCases, ...updateCases, ...explicitCases];

export function conformance(name: string, create: () => Promise<Kernels>, draws = 12): void {
  describe(`${name} kernels conform`, () => {
    let bench: Bench | undefined;
    beforeAll(async () => {
      bench = new Bench(await create());
    });
    afterAll(async () => {
      await bench?.kernels.close();
    });
    for (const { title, once, check } of cases) {
      test(title, async () => {
        for (let draw = 0; draw < (once ? 1 : draws); draw++) {
          const [rng, scale] = [Rng.from(draw).split(title), scales[draw % scales.length]];
          await bench!.run(() => check(bench!, rng, scale));
        }
      });
    }
  });
}
