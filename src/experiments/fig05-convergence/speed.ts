/**
 * When a learner reached an error. It is tested after every epoch, and its error between two tests is not known: an error is reached
 * somewhere between the last test above it and the first that is not. A learner is taken to be faster only if its end
 * of this interval is before the beginning of the other's.
 */

/** The test error after an epoch, and the seconds of learning until then; at epoch 0, before learning. */
export interface CurvePoint {
  readonly epoch: number;
  readonly seconds: number;
  readonly testRmse: number;
}

/** In seconds of learning; `by` is Infinity for an error that is never reached. */
export interface Reached {
  readonly after: number;
  readonly by: number;
}

/** The seconds of the last test above an error, and of the first at or below it. */
export function reachedBetween(points: readonly CurvePoint[], error: number): Reached {
  const reached = points.findIndex(({ testRmse }) => testRmse <= error);
  if (reached < 0) return { after: points.at(-1)!.seconds, by: Infinity };
  return { after: points[Math.max(0, reached - 1)].seconds, by: points[reached].seconds };
}

/** `between 94.2 and 127.0 s`. */
export function describeReached({ after, by }: Reached): string {
  if (by === Infinity) return `not within ${shown(after)} s`;
  if (by === 0) return "before learning";
  return after === 0
    ? `within its first epoch, of ${shown(by)} s`
    : `between ${shown(after)} and ${shown(by)} s`;
}

function shown(seconds: number): string {
  return seconds.toFixed(1);
}
