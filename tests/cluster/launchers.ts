/**
 * Launchers of MPI for tests. Without them such tests are skipped, with the reason; with `CI=true` they fail.
 *
 * Debian has Open MPI and MPICH side by side, as mpirun.openmpi and mpirun.mpich; a plain `mpirun` is asked what it is.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { skippedBecause } from "../missing.js";

export interface Launcher {
  readonly name: "Open MPI" | "MPICH";
  /** The command, if it is installed, and words before those of the program. */
  readonly command: string | undefined;
  readonly words: readonly string[];
  /** For the title of a test: empty, or why it is skipped. */
  readonly note: string;
}

/** Open MPI refuses root, and more ranks than cores, unless it is asked. */
const environment = { OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" };

const kinds = [
  ["Open MPI", ["mpirun.openmpi", "mpirun"], /open ?mpi|open-mpi/i, ["--bind-to", "none", "--oversubscribe"]],
  ["MPICH", ["mpirun.mpich", "mpirun"], /hydra|mpich/i, []],
] as const;

/** Throws if one is missing and `CI` is "true". */
export function findLaunchers(): Launcher[] {
  return kinds.map(([name, commands, answer, words]) => {
    const command = commands.find((path) =>
      answer.test(spawnSync(path, ["--version"]).stdout?.toString() ?? ""),
    );
    const note = command ? "" : skippedBecause(`no launcher of ${name}: tried ${commands.join(", ")}`);
    return { name, command, words, note };
  });
}

/** Start a program of Node on ranks. */
export function startRanks(
  { command, words }: Launcher,
  size: number,
  program: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): ChildProcess {
  const line = [...words, "-n", String(size), process.execPath, ...program];
  return spawn(command ?? "", line, {
    cwd,
    env: { ...process.env, ...environment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}
