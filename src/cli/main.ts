#!/usr/bin/env node
/** The command line: runs the program in a process of its own. */

import { closeDebugger } from "./terminal/interrupt.js";

await closeDebugger(); // before anything else is loaded, which takes a moment
const { commandOf, runProgram } = await import("./program.js");
const { guardProcess } = await import("./terminal/errors.js");

const { launchedAmongSeveral } = await import("./cluster/joined.js");

// Where nothing but background work is left to wait for, such as WebAssembly that is being compiled, Node waits for it in a
// way that can last for ever (nodejs/node#54918). While there is a timer, it does not.
const timer = setInterval(() => {}, 2 ** 30);
const words = process.argv.slice(2);
guardProcess(commandOf(words));
const launched = launchedAmongSeveral();
const code = launched
  ? await (await import("./cluster/runRank.js")).runRank(launched, words, commandOf(words))
  : await runProgram(words);
clearInterval(timer);
if (code !== 0) process.exitCode = code; // standard output that cannot be written has set its own
