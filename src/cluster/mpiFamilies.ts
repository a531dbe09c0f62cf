/**
 * The binary interfaces of MPI: the libraries that have them, and the values of the constants that a C header would
 * bring. There are three: that of MPICH, which Intel MPI and Cray share, that of Open MPI, whose handles are addresses of
 * variables in the library, and the standard one of MPI 5.
 */

export interface MpiFamily {
  readonly name: string;
  /** Names of the library, the usual one first. */
  readonly libraries: readonly string[];
  /** The C type of a handle. */
  readonly handleType: "int" | "void *" | "intptr_t";
  /** Handles: numbers, or the names of variables whose addresses they are. */
  readonly world: number | string;
  readonly byte: number | string;
  /** MPI_IN_PLACE, as an address. */
  readonly inPlace: number;
  /** MPI_THREAD_SERIALIZED. */
  readonly serialized: number;
}

export const mpiFamilies: readonly MpiFamily[] = [
  {
    ...{ name: "Open MPI", libraries: ["libmpi.so.40"], handleType: "void *" },
    ...{ world: "ompi_mpi_comm_world", byte: "ompi_mpi_byte", inPlace: 1, serialized: 2 },
  },
  {
    ...{ name: "MPICH", libraries: ["libmpi.so.12", "libmpich.so.12"], handleType: "int" },
    ...{ world: 0x44000000, byte: 0x4c00010d, inPlace: -1, serialized: 2 },
  },
  {
    ...{ name: "the MPI 5 interface", libraries: ["libmpi_abi.so.1"], handleType: "intptr_t" },
    ...{ world: 0x101, byte: 0x247, inPlace: 1, serialized: 2048 },
  },
];
