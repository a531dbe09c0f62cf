/** Whether this process is one of several that a launcher of MPI started, as its environment says. */

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
    if (Number.isInteger(rank) && Number.isInteger(size) && size > 0) return { launcher, rank, size };
  }
  return undefined;
}
