#!/usr/bin/env node
/** The command line: runs the program in a process of its own. */

import { commandOf, runProgram } from "./program.js";
import { guardProcess } from "./terminal/errors.js";

const words = process.argv.slice(2);
guardProcess(commandOf(words));
const code = await runProgram(words);
if (code !== 0) process.exitCode = code; // standard output that cannot be written has set its own
