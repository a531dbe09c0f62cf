/**
 * Tests that need what a machine may not have: a Python library, a browser. Without it
 * they are skipped and say why; under CI (`CI=true`), where everything should be there, they fail.
 */

/** For the title of the tests that are skipped. Throws where `CI` is "true". */
export function skippedBecause(reason: string): string {
  if (process.env.CI === "true") throw new Error(reason);
  console.warn(`skipped: ${reason}`);
  return ` (skipped: ${reason})`;
}
