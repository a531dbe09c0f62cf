/** The session of this process, if a launcher of MPI started several: main.ts joins it, `onDevice` computes with it. */

import { findLauncher, type Launched } from "./launcher.js";
import type { ClusterSession } from "./session.js";

let joined: ClusterSession | undefined;

export function clusterSession(): ClusterSession | undefined {
  return joined;
}

/** The launcher that started this process as one of several; TRAINLETS_MPI=off leaves each of them to itself. */
export function launchedAmongSeveral(): Launched | undefined {
  if (process.env.TRAINLETS_MPI === "off") return undefined;
  const launched = findLauncher(process.env);
  return launched && launched.size > 1 ? launched : undefined;
}

/** Join the others. Nothing of MPI is loaded in a process that was started by itself. */
export async function joinRanks(launched: Launched, words: readonly string[]): Promise<ClusterSession> {
  const { ClusterSession } = await import("./session.js");
  joined = await ClusterSession.join(process.env, launched, words);
  return joined;
}
