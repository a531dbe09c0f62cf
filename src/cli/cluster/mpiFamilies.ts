/**
 * The binary interfaces of MPI: the libraries that have them, and the values of the constants that a C header would
 * bring. There are three: that of MPICH, which Intel MPI and Cray share, that of Open MPI, whose handles are addresses of
 * variables in the library, and the standard one of MPI 5.
 */

import { accessSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { InputError } from "../../core/errors.js";
import type { Environment } from "./launcher.js";

export interface MpiFamily {
  readonly name: string;
  /** Names of the library, the usual one first. */
  readonly libraries: readonly string[];
  /** The C type of a handle. */
  readonly handleType: "int" | "void *" | "intptr_t";
  /** Handles: numbers, or the names of variables whose addresses they are. */
  readonly world: number | string;
  readonly byte: number | string;
  /** MPI_IN_PLACE and MPI_STATUS_IGNORE, as addresses. */
  readonly inPlace: number;
  readonly statusIgnore: number;
  /** MPI_THREAD_FUNNELED: only this thread makes calls. */
  readonly funneled: number;
}

const openMpi: MpiFamily = {
  ...{ name: "Open MPI", libraries: ["libmpi.so.40"], handleType: "void *" },
  ...{ world: "ompi_mpi_comm_world", byte: "ompi_mpi_byte", inPlace: 1, statusIgnore: 0, funneled: 1 },
};
const mpich: MpiFamily = {
  ...{ name: "MPICH", libraries: ["libmpi.so.12", "libmpich.so.12"], handleType: "int" },
  ...{ world: 0x44000000, byte: 0x4c00010d, inPlace: -1, statusIgnore: 1, funneled: 1 },
};
const standard: MpiFamily = {
  ...{ name: "the standard interface of MPI 5", libraries: ["libmpi_abi.so.1"], handleType: "intptr_t" },
  ...{ world: 0x101, byte: 0x247, inPlace: 1, statusIgnore: 0, funneled: 1024 },
};

/** A library to try. */
export interface MpiLibrary {
  readonly family: MpiFamily;
  readonly path: string;
}

/** Libraries to try: the one in TRAINLETS_MPI, or those of the launcher's family first, beside its mpirun and of the system. */
export function librariesToTry(env: Environment): MpiLibrary[] {
  if (env.TRAINLETS_MPI) return [namedLibrary(env.TRAINLETS_MPI)];
  const isOpenMpi = env.OMPI_COMM_WORLD_SIZE !== undefined || env.PMIX_RANK !== undefined;
  const families = isOpenMpi ? [openMpi, standard, mpich] : [mpich, standard, openMpi];
  const folder = env.PATH?.split(delimiter).find((path) => path !== "" && isThere(join(path, "mpirun")));
  return families.flatMap((family) => {
    const beside = folder ? family.libraries.map((name) => join(dirname(folder), "lib", name)) : [];
    return [...beside.filter(isThere), ...family.libraries].map((path) => ({ family, path }));
  });
}

/** A library by its name: that of a version, such as libmpi.so.40.30.4, or without one. */
function namedLibrary(path: string): MpiLibrary {
  const file = basename(path);
  const families = [openMpi, mpich, standard];
  const family = families.find(({ libraries }) =>
    libraries.some((name) => file === name || file.startsWith(`${name}.`)),
  );
  if (family) return { family, path };
  const known = families.flatMap(({ libraries }) => libraries).join(", ");
  throw new InputError(`TRAINLETS_MPI must name one of the libraries ${known}, got ${path}`);
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}
