/**
 * One process of several that a launcher of MPI started: rank 0 runs the program, the others follow it. They print nothing
 * but errors of their own. If one fails, all end at once.
 */

import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import { runProgram } from "../program.js";
import { describeError, report } from "../terminal/errors.js";
import { stderr } from "../terminal/output.js";
import { joinRanks } from "./joined.js";
import { CommonError, type Launched } from "./launcher.js";
import type { ClusterSession } from "./session.js";

/** Signals that queues and launchers send to all ranks: rank 0 decides what they mean. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGXCPU"] as const;

/** Milliseconds that other ranks wait before they report why they could not join: if rank 0 could not either, it reports. */
const patience = 5000;

/** The exit code of this rank. */
export async function runRank(
  launched: Launched,
  words: readonly string[],
  command: string,
): Promise<number> {
  let session: ClusterSession;
  try {
    session = await joinRanks(launched, words);
  } catch (error) {
    if (launched.rank === 0) return report(error, command);
    if (error instanceof CommonError) return 2;
    await setTimeout(patience);
    stderr.write(`${command}: rank ${launched.rank} on ${hostname()}: ${describeError(error)}\n`);
    return 2;
  }
  process.on("exit", (code) => session.abort(code)); // the others would wait for ever
  return session.isLeader ? lead(session, words, command) : follow(session, command);
}

async function lead(session: ClusterSession, words: readonly string[], command: string): Promise<number> {
  for (const warning of session.warnings) stderr.write(`${command}: ${warning}\n`);
  const code = await runProgram(words);
  await session.end(code);
  return code;
}

async function follow(session: ClusterSession, command: string): Promise<number> {
  for (const signal of signals) process.on(signal, () => {});
  try {
    await session.follow();
    await session.end(0);
    return 0;
  } catch (error) {
    stderr.write(`${command}: rank ${session.world.rank} on ${hostname()}: ${describeError(error)}\n`);
    session.abort(1);
    return 1;
  }
}
