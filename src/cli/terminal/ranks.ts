/** One rank of several: rank 0 runs the program, the others follow it. */

import { hostname } from "node:os";
import type { ClusterSession } from "../../cluster/session.js";
import { runProgram } from "../program.js";
import { describeError } from "./errors.js";
import { stderr } from "./output.js";

/** Signals that queues and launchers send to all ranks: rank 0 decides what they mean. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGXCPU"] as const;

/** The exit code of this rank. If one fails, all end at once. */
export async function runRank(session: ClusterSession, words: readonly string[]): Promise<number> {
  const { world, isLeader } = session;
  if (isLeader) {
    const code = await runProgram(words);
    await session.end();
    return code;
  }
  for (const signal of signals) process.on(signal, () => {});
  try {
    await session.follow();
    await session.end();
    return 0;
  } catch (error) {
    stderr.write(`rank ${world.rank} on ${hostname()}: ${describeError(error)}\n`);
    world.abort(1);
    return 1;
  }
}
