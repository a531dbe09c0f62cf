/**
 * A vitest reporter that prints nothing: it writes the test counts as JSON to the file
 * named by TRAINLETS_COUNTS, for the last line of tools/test.mjs.
 */

import { writeFileSync } from "node:fs";

export default class Counts {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state === "pending" ? "failed" : state] += 1;
      }
      // A file that does not load, or a hook that throws, fails without a failed test.
      for (const part of [module, ...module.children.allSuites()]) count.failed += part.errors().length;
    }
    writeFileSync(process.env.TRAINLETS_COUNTS, JSON.stringify(count));
  }
}
