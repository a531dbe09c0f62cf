#!/usr/bin/env node
/** The command line: runs the program in a process of its own. */

import { closeDebugger } from "./terminal/interrupt.js";

await closeDebugger(); // before anything else is loaded, which takes a moment
const { commandOf, runProgram } = await import("./program.js");
const { guardProcess } = await import("./terminal/errors.js");

const { joinRanks } = await import("./terminal/cluster.js");
const { runRank } = await import("./terminal/ranks.js");

const words = process.argv.slice(2);
guardProcess(commandOf(words));
const session = await joinRanks();
const code = session ? await runRank(session, words) : await runProgram(words);
if (code !== 0) process.exitCode = code; // standard output that cannot be written has set its own
