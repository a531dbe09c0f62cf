/**
 * `npm run fuzz`: gives every parser 10,000 damaged files and every command 10,000 damaged command lines, or as
 * many as the first argument says, and prints how many were accepted and rejected. Runs of commands go through all of their
 * failure points, of which `npm test` leaves out those that are alike.
 */

import { runVitest } from "./runVitest.mjs";

const [inputs = "10000", ...rest] = process.argv.slice(2);
runVitest(["tests/fuzz.test.ts", "tests/fuzzLines.test.ts", "tests/failures", ...rest], {
  TRAINLETS_FUZZ: inputs,
});
