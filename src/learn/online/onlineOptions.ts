/** The options of a learner for batches as they come: those of `train` that do not speak of a whole set. */

import { requireArgument, signalData } from "../../core/arguments/argumentTypes.js";
import { InputError, inputError, onBehalfOf } from "../../core/errors.js";
import { requireShape, type Shape } from "../../core/shape.js";
import type { Signal } from "../../core/signal.js";
import { isSource, signalsFrom } from "../../data/sampling/signalSource.js";
import { testableSignals } from "../run/plan/testSet.js";
import type { RecordedPlan } from "../run/runMeta.js";
import { requireTrainOptions, resolveTraining, type TrainOptions } from "../run/trainOptions.js";

/** Options of `train` for a set that is known beforehand. */
const wholeSetOptions = [
  ...(["epochs", "average", "holdout", "patience", "minutes", "reportEvery"] as const),
  ...(["groupSamples", "onUnreadable", "onReading", "signal"] as const),
] as const;

export interface OnlineOptions extends Omit<TrainOptions, "patch" | (typeof wholeSetOptions)[number]> {
  /** The shape of an example. */
  readonly patch: Shape;
}

/** Check the options and fill in the defaults; the signals to test on, with NaN where samples are missing. */
export function resolveOnline(options: OnlineOptions): {
  readonly plan: RecordedPlan;
  readonly test: readonly Signal[] | undefined;
} {
  requireTrainOptions(options, "openLearner");
  return onBehalfOf("openLearner", () => {
    for (const name of wholeSetOptions) {
      if ((options as TrainOptions)[name] === undefined) continue;
      throw new InputError(`${name} is an option of train only`, {
        where: "openLearner",
        argument: name,
      });
    }
    requireShape("openLearner", "patch", options.patch);
    const resolved = resolveTraining(options);
    const { kind, learner } = resolved;
    if (kind.takes === "whole set") {
      const rule = "must be one that takes mini-batches, not the whole set";
      throw inputError("openLearner", "learner", rule, learner);
    }
    const saved = options.resume?.header.settings.firstSteps;
    const firstSteps = options.firstSteps ?? (saved === "paper" ? "paper" : "short");
    const given = { batch: resolved.batch, firstSteps, init: resolved.init };
    const plan: RecordedPlan = { ...resolved, epochs: 1, firstSteps, given, holds: "signals" };
    return { plan, test: testSignals(options, resolved.nodata) };
  });
}

function testSignals(
  { test, patch }: OnlineOptions,
  nodata: readonly number[],
): readonly Signal[] | undefined {
  if (test === undefined) return undefined;
  requireArgument("openLearner", "test", test, signalData);
  const signals = signalsFrom("openLearner", test, patch, nodata);
  if (isSource(signals)) throw inputError("openLearner", "test", "must be signals in memory", test);
  return testableSignals(signals, patch);
}
