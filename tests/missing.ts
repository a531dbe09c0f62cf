/**
 * For tests that need something a machine may not have, such as a Python library or a
 * browser. Without it they are skipped, with the reason; with `CI=true` they fail.
 */

/** A note for the title of the skipped tests. Throws if `CI` is "true". */
export function skippedBecause(reason: string): string {
  if (process.env.CI === "true") throw new Error(reason);
  console.warn(`skipped: ${reason}`);
  return ` (skipped: ${reason})`;
}

/**
 * For tests that take long and find little that others do not: CI runs them all, `npm test` elsewhere leaves them out.
 * `note` is for their title.
 */
export const thorough =
  process.env.CI === "true"
    ? { runs: true, note: "" }
    : { runs: false, note: " (skipped: takes long; CI=true runs it)" };
