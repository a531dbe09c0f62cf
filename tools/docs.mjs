/**
 * `npm run docs`: writes the tables of the pages that are made from the code, and what their commands and
 * programs print.
 */

import { runVitest } from "./runVitest.mjs";

runVitest(["tests/docs.test.ts", ...process.argv.slice(2)], { TRAINLETS_DOCS: "write" });
