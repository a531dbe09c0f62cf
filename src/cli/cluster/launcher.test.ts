import { openSync, realpathSync } from "node:fs";
import { devNull } from "node:os";
import { expect, test } from "vitest";
import { CommonError, lostSignals, requireConnection } from "./launcher.js";
import { requireSameSize } from "./session.js";

test("a connection to the launcher that was closed on the way is refused", () => {
  const reused = openSync(devNull, "r"); // the number of a connection, but another file
  for (const PMI_FD of ["99999", String(reused)])
    expect(() => requireConnection({ PMI_RANK: "0", PMI_SIZE: "2", PMI_FD })).toThrow(CommonError);
  expect(() => requireConnection({ PMI_RANK: "0", PMI_SIZE: "2" })).not.toThrow();
  expect(() => requireConnection({ OMPI_COMM_WORLD_SIZE: "2", PMI_FD: "99999" })).not.toThrow();
});

test("processes that MPI does not connect are refused, with what helps under their launcher", () => {
  const alone = { library: "MPICH (libmpich.so.12)", size: 1 };
  const started = (launcher: string) => ({ launcher, rank: 0, size: 4 });
  expect(() => requireSameSize(started("srun"), alone)).toThrow(
    "srun started 4 processes, but MPICH (libmpich.so.12) finds 1: use srun --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH, or name another library in the variable TRAINLETS_MPI",
  );
  expect(() => requireSameSize(started("mpirun of Open MPI"), alone)).toThrow(
    "mpirun of Open MPI started 4 processes, but MPICH (libmpich.so.12) finds 1: it is not the library of this launcher; name that in the variable TRAINLETS_MPI",
  );
  expect(() => requireSameSize(started("srun"), { ...alone, size: 4 })).not.toThrow();
});

test("a start by npx is warned of", () => {
  const warning = lostSignals({ npm_command: "exec" });
  expect(warning).toContain("npx does not pass on all signals");
  expect(warning).toContain(`start node ${realpathSync(process.argv[1])} instead`); // which is there, wherever it is
  expect(lostSignals({})).toBeUndefined();
});
