/**
 * `npm run signals`: sends 100 signals at random moments to twenty runs of several learners, or as many
 * as the first argument says, and prints what came of them.
 */

import { runVitest } from "./runVitest.mjs";

const [signals = "100", ...rest] = process.argv.slice(2);
runVitest(["tests/signals.test.ts", ...rest], { TRAINLETS_SIGNALS: signals });
