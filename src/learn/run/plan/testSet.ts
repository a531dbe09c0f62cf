/**
 * What a run is tested on. Options that say when to test, or what follows from tests, are refused where there is
 * nothing to test on: they would have no effect.
 */

import { InputError, type OptionNaming, onBehalfOf } from "../../../core/errors.js";
import { formatShape, type Shape } from "../../../core/shape.js";
import type { Signal } from "../../../core/signal.js";
import { type GapFree, gapFreeSignals } from "../../../data/sampling/gapFreeWindows.js";
import { WindowNumbers } from "../../../data/sampling/patchSampler.js";

/** An option that needs test examples. */
export type TestOption = Exclude<keyof TestOptions, "holdout">;

/** The options that have to do with tests, as `train` has them, and the command line: test data may have any form. */
export interface TestOptions {
  readonly holdout?: number | undefined;
  readonly test?: unknown;
  readonly patience?: number | undefined;
  readonly testEvery?: number | undefined;
  readonly keep?: string | undefined;
}

/** The first option among those given that needs test examples. The last dictionary is kept without any test. */
export function testOptionOf({ test, patience, testEvery, keep }: TestOptions): TestOption | undefined {
  if (test !== undefined) return "test";
  if (patience !== undefined) return "patience";
  if (testEvery !== undefined) return "testEvery";
  return keep === "best" ? "keep" : undefined;
}

function describeOption(option: TestOption, nameOf: OptionNaming): string {
  return option === "keep" ? `${nameOf("keep")} best` : nameOf(option);
}

/** Refuse to hold out nothing beside an option that needs test examples. */
export function requireHoldout(options: TestOptions): void {
  const option = testOptionOf(options);
  if (options.holdout !== 0 || option === undefined) return;
  const rule = (nameOf: OptionNaming) => `must be at least 1 with ${describeOption(option, nameOf)}`;
  throw new InputError((nameOf) => `${nameOf("holdout")} ${rule(nameOf)}, got 0`, {
    where: "train",
    argument: "holdout",
    rule: rule((name) => name),
    value: 0,
  });
}

/** Refuse an option that needs test examples where the data are too few to hold any out. */
export function requireTests(option: TestOption | undefined, tests: number): void {
  if (option === undefined || tests > 0) return;
  throw new InputError(
    (nameOf) =>
      `${describeOption(option, nameOf)} needs a test set, but the data are too few to hold any out: give test data by ${nameOf("test")}`,
    { where: "train", argument: option },
  );
}

/** Signals to test on, with zeros for gaps; refused if they have no window without one. */
export function testableSignals(given: readonly Signal[], patch: Shape): GapFree["signals"] {
  const { signals, total } = onBehalfOf("train", () => {
    const { signals } = gapFreeSignals(given, patch);
    return { signals, total: new WindowNumbers(signals, patch).total };
  });
  if (total > 0) return signals;
  const rule = `must have a window of ${formatShape(patch)} without missing samples`;
  throw new InputError((nameOf) => `${nameOf("test")} ${rule}, got none`, {
    where: "train",
    argument: "test",
    rule,
  });
}
