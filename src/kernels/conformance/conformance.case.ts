/**
 * The conformance suite: what every implementation of the kernel contract must do.
 *
 * Every operation is compared with explicit f64 matrices within derived bounds, on
 * random sizes: one to three axes, odd sizes, no columns at all, zero columns,
 * duplicated atoms, scales from 1e-12 to 1e12. Each case runs `draws` times; a slow
 * device may run fewer. What depends on blocks and remainders runs once more at sizes
 * beyond any block, on small integers, which f32 adds exactly.
 *
 * The cases: memory, misuse, dictionary, pursuit, ols, ompFromAtoms, ompNear, update, codeLists, explicit, examples, each in its `.case.ts`.
 * What they use: caseHandles.case.ts (inputs, outputs), oracle.case.ts (exact results, bounds).
 */

import { afterAll, afterEach, describe, test } from "vitest";
import { Rng } from "../../core/random/rng.js";
import type { Kernels } from "../contract.js";
import { Bench } from "./caseHandles.case.js";
import { codeListCases } from "./codeLists.case.js";
import { dictionaryCases } from "./dictionary.case.js";
import { exampleCases } from "./examples.case.js";
import { explicitCases } from "./explicit.case.js";
import { memoryCases } from "./memory.case.js";
import { misuseCases } from "./misuse.case.js";
import { olsCases } from "./ols.case.js";
import { ompFromAtomsCases } from "./ompFromAtoms.case.js";
import { ompNearCases } from "./ompNear.case.js";
import { pursuitCases } from "./pursuit.case.js";
import { updateCases } from "./update.case.js";

const scales = [1, 1e-12, 1e12];
const cases = [
  ...[memoryCases, dictionaryCases, pursuitCases, olsCases, ompFromAtomsCases, ompNearCases],
  ...[updateCases, codeListCases, explicitCases, exampleCases],
].flat();

export interface ConformanceOptions {
  readonly draws?: number;
  /** Whether handles are misused too, which is the same for kernels that differ in their settings alone. */
  readonly misuse?: boolean;
  /** Whether cases run at large sizes, which take long: beyond any block, long pursuits, large Gram matrices; or these alone. */
  readonly large?: boolean | "alone";
  /** Only the cases of this operation. */
  readonly only?: keyof Kernels & string;
}

export function conformance(
  name: string,
  create: () => Promise<Kernels>,
  { draws = 12, misuse = true, large = true, only }: ConformanceOptions = {},
): void {
  describe(`${name} kernels conform`, () => {
    let kernels: Kernels | undefined;
    afterEach(({ task }) => {
      if (task.result?.state !== "fail") return;
      void kernels?.close(); // a test that timed out is still using them
      kernels = undefined;
    });
    afterAll(() => kernels?.close());
    for (const { title, once, large: isLarge, check } of misuse ? [...misuseCases, ...cases] : cases) {
      if (only && !title.startsWith(`${only} `)) continue;
      if (isLarge ? !large : large === "alone") continue;
      test(title, async () => {
        kernels ??= await create();
        const bench = new Bench(kernels);
        for (let draw = 0; draw < (once ? 1 : draws); draw++) {
          const rng = Rng.from(draw).split(title);
          await bench.run(() => check(bench, rng, scales[draw % scales.length]));
        }
      });
    }
  });
}
