import { expect, test } from "vitest";
import { findLauncher } from "./launcher.js";
import { librariesToTry } from "./mpiFamilies.js";

test.each([
  [{ OMPI_COMM_WORLD_RANK: "1", OMPI_COMM_WORLD_SIZE: "4" }, "mpirun of Open MPI", "Open MPI"],
  [{ PMI_RANK: "1", PMI_SIZE: "4" }, "mpirun of MPICH", "MPICH"],
  [{ SLURM_PROCID: "1", SLURM_STEP_NUM_TASKS: "4" }, "srun", "MPICH"],
  [{ PMI_RANK: "1", PMI_SIZE: "4", PMI_JOBID: "16.0", SLURM_JOB_ID: "16" }, "srun", "MPICH"],
  [{ SLURM_PROCID: "1", SLURM_STEP_NUM_TASKS: "4", PMIX_RANK: "1" }, "srun", "Open MPI"],
])("%o is a process of %s, with the library of %s first", (env, launcher, family) => {
  expect(findLauncher(env)).toEqual({ launcher, rank: 1, size: 4 });
  expect(librariesToTry(env)[0].family.name).toBe(family);
});

test("a process without a launcher is not one of several", () => {
  expect(findLauncher({})).toBeUndefined();
  expect(findLauncher({ SLURM_PROCID: "0", SLURM_NTASKS: "4" })).toBeUndefined();
});

test("a library that is named is the only one, and must be known by its name", () => {
  const [only, ...more] = librariesToTry({ TRAINLETS_MPI: "/opt/lib/libmpi.so.40.30.4", PMI_SIZE: "2" });
  expect(more).toEqual([]);
  expect(only).toMatchObject({ path: "/opt/lib/libmpi.so.40.30.4", family: { name: "Open MPI" } });
  expect(() => librariesToTry({ TRAINLETS_MPI: "libfoo.so" })).toThrow(
    "TRAINLETS_MPI must name one of the libraries libmpi.so.40, libmpi.so.12, libmpich.so.12, libmpi_abi.so.1, got libfoo.so",
  );
});
