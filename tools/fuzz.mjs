/**
 * `npm run fuzz`: gives every parser 10,000 damaged files and every command 10,000 damaged command lines, or as
 * many as the first argument says, and prints how many were accepted and rejected.
 */

import { runVitest } from "./runVitest.mjs";

const [inputs = "10000", ...rest] = process.argv.slice(2);
runVitest(["tests/fuzz.test.ts", "tests/fuzzLines.test.ts", ...rest], { TRAINLETS_FUZZ: inputs });
