/** Whether this process is one of several that a launcher of MPI started, and how, as its environment says. */

import { fstatSync, realpathSync } from "node:fs";
import { InputError } from "../../core/errors.js";
import { visibleLine } from "../../core/visibleText.js";

/** A problem of the way in which all ranks were started: each of them finds it, and rank 0 reports it. */
export class CommonError extends InputError {}

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a launcher leaves in the environment of its processes. */
export interface Launched {
  /** The launcher, in words. */
  readonly launcher: string;
  readonly rank: number;
  readonly size: number;
}

/** The variables of each launcher: its name, rank and number of ranks. */
const launchers = [
  ["mpirun of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"],
  ["mpirun of MPICH", "PMI_RANK", "PMI_SIZE"],
  ["srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"],
] as const;

/** Undefined for a process that was started by itself. */
export function findLauncher(env: Environment): Launched | undefined {
  for (const [launcher, rankName, sizeName] of launchers) {
    const [rank, size] = [env[rankName], env[sizeName]].map((text) => (text ? Number(text) : Number.NaN));
    if (Number.isInteger(rank) && Number.isInteger(size) && size > 0)
      return { launcher: isSlurmPmi(env, rankName) ? "srun" : launcher, rank, size };
  }
  return undefined;
}

/** `srun --mpi=pmi2` sets the variables of MPICH's mpirun, and names its step in one more. */
function isSlurmPmi(env: Environment, rankName: string): boolean {
  return rankName === "PMI_RANK" && env.PMI_JOBID !== undefined && env.SLURM_JOB_ID !== undefined;
}

/**
 * Launchers of MPICH talk to a process through an open file, whose number is in PMI_FD. Node closes such files for the
 * programs it starts, so they do not come through npx; MPI would use whatever has the number now, and crash.
 */
export function requireConnection(env: Environment): void {
  if (env.OMPI_COMM_WORLD_SIZE !== undefined || env.PMI_FD === undefined) return;
  if (isSocket(Number(env.PMI_FD))) return;
  throw new CommonError(
    `the connection to the launcher is closed, as npx closes it: start ${itself()} instead of npx trainlets`,
  );
}

function isSocket(file: number): boolean {
  try {
    return fstatSync(file).isSocket();
  } catch {
    return false; // not open
  }
}

/** A warning if signals, such as that of a queue before a time limit, will not come through. */
export function lostSignals(env: Environment): string | undefined {
  if (env.npm_command !== "exec") return undefined;
  return `npx does not pass on all signals, so a run may end without a checkpoint: start ${itself()} instead`;
}

/** How to start this program without npx: it is in node_modules/.bin of a project, but not of its own. */
function itself(): string {
  return visibleLine(`node ${realpathSync(process.argv[1])}`);
}
