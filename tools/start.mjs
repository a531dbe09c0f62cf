/** `npm start`: makes the clone ready and runs `trainlets demo`, with the arguments it was given. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ready, root } from "./ready.mjs";

ready();
const program = join(root, "dist/cli/main.js");
// In this very process, so that Ctrl-C and the exit status are the program's own.
process.argv = [process.execPath, program, "demo", ...process.argv.slice(2)];
await import(pathToFileURL(program).href);
