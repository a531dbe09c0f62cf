/** `npm start`: installs and builds what is missing, then runs `trainlets demo` with the given arguments. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ready, root } from "./ready.mjs";

ready();
const program = join(root, "dist/cli/main.js");
// In this process, so that Ctrl-C and the exit status are those of the program.
process.argv = [process.execPath, program, "demo", ...process.argv.slice(2)];
await import(pathToFileURL(program).href);
