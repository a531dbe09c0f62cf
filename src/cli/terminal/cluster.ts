/** The session of this process, if a launcher of MPI started several: main.ts joins it, `onDevice` computes with it. */

import type { ClusterSession } from "../../cluster/session.js";

let joined: ClusterSession | undefined;

export function clusterSession(): ClusterSession | undefined {
  return joined;
}

/** Join the ranks that were started together. Nothing of MPI is loaded in a process that was started by itself. */
export async function joinRanks(): Promise<ClusterSession | undefined> {
  const { findLauncher } = await import("../../cluster/launcher.js");
  if ((findLauncher(process.env)?.size ?? 1) < 2) return undefined;
  const { ClusterSession } = await import("../../cluster/session.js");
  joined = await ClusterSession.join(process.env);
  return joined;
}
