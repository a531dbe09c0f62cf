/**
 * MPI through the library of the system, which is loaded when it is needed (koffi). Calls block until the ranks they wait
 * for have made them; the work of a rank is done in its kernels, and nothing else waits meanwhile.
 */

import { InputError } from "../../core/errors.js";
import type { Communicator, Rates } from "../../kernels/cluster/communicator.js";
import type { Environment } from "./launcher.js";
import { librariesToTry, type MpiFamily, type MpiLibrary } from "./mpiFamilies.js";

/** A communicator of all ranks, and what else MPI is asked for. */
export interface MpiWorld extends Communicator {
  /** The library, in words. */
  readonly library: string;
  rates: Rates;
  /** Bytes that were received from other ranks, and seconds in calls of MPI, waiting included. */
  readonly traffic: { bytes: number; seconds: number };
  /** End all ranks, this one included, at once. */
  abort(code: number): void;
  /** The last call, of all ranks. */
  finalize(): void;
}

/** The most bytes of one call: counts are 32-bit integers. */
const mostBytes = 2 ** 30;

type Koffi = typeof import("koffi")["default"];
type Call = (...args: unknown[]) => number;

/** Initialise MPI with a library that fits the launcher. */
export async function openMpi(env: Environment): Promise<MpiWorld> {
  const koffi = await loadKoffi();
  const libraries = librariesToTry(env);
  for (const library of libraries) {
    const functions = loadLibrary(koffi, library);
    if (functions) return startMpi(functions, library);
  }
  const tried = libraries.map(({ path }) => path).join(", ");
  throw new InputError(
    `a launcher of MPI started several processes, but no library of MPI can be loaded (tried ${tried}); name it in the variable TRAINLETS_MPI`,
  );
}

async function loadKoffi(): Promise<Koffi> {
  try {
    return (await import("koffi")).default;
  } catch {
    throw new InputError(
      "a launcher of MPI started several processes; to join them, trainlets needs the package koffi (npm install koffi)",
    );
  }
}

/** The functions that are called, and the handles they are given; undefined if the library is not there. */
function loadLibrary(koffi: Koffi, { family, path }: MpiLibrary) {
  let library: ReturnType<Koffi["load"]>;
  try {
    library = koffi.load(path, { global: true, lazy: true });
  } catch {
    return undefined;
  }
  const handle = family.handleType;
  const declared = (text: string): Call => library.func(text) as Call;
  const named = (value: number | string): unknown =>
    typeof value === "number" ? value : library.symbol(value, koffi.pointer("void"));
  return {
    init: declared("int MPI_Init_thread(void *, void *, int, _Out_ int *)"),
    rank: declared(`int MPI_Comm_rank(${handle}, _Out_ int *)`),
    size: declared(`int MPI_Comm_size(${handle}, _Out_ int *)`),
    allGather: declared(
      `int MPI_Allgatherv(intptr_t, int, ${handle}, void *, int *, int *, ${handle}, ${handle})`,
    ),
    broadcast: declared(`int MPI_Bcast(void *, int, ${handle}, int, ${handle})`),
    abort: declared(`int MPI_Abort(${handle}, int)`),
    finalize: declared("int MPI_Finalize(void)"),
    handles: () => ({ world: named(family.world), byte: named(family.byte) }),
  };
}

function startMpi(
  functions: NonNullable<ReturnType<typeof loadLibrary>>,
  { family, path }: MpiLibrary,
): MpiWorld {
  const traffic = { bytes: 0, seconds: 0 };
  const call = (name: string, operation: Call, ...args: unknown[]) => {
    const start = performance.now();
    const code = operation(...args);
    traffic.seconds += (performance.now() - start) / 1000;
    if (code !== 0) throw new Error(`MPI: ${name} failed with code ${code}`);
  };
  const [provided, rankOut, sizeOut] = [[0], [0], [0]];
  call("MPI_Init_thread", functions.init, null, null, family.funneled, provided);
  const { world, byte } = functions.handles();
  call("MPI_Comm_rank", functions.rank, world, rankOut);
  call("MPI_Comm_size", functions.size, world, sizeOut);
  const [[rank], [size]] = [rankOut, sizeOut];
  return {
    rank,
    size,
    library: describeLibrary(family, path),
    rates: { bytes: 1e9, products: 1e9 }, // until they are measured
    traffic,
    async allGather(buffer, starts) {
      const most = Math.floor(mostBytes / size);
      for (let done = 0; ; done += most) {
        const { counts, offsets } = partOf(starts, done, most);
        if (counts.every((count) => count === 0)) return;
        traffic.bytes += counts.reduce((sum, count, r) => (r === rank ? sum : sum + count), 0);
        const received = [buffer, counts, offsets, byte, world];
        call("MPI_Allgatherv", functions.allGather, family.inPlace, 0, byte, ...received);
      }
    },
    async broadcast(buffer) {
      for (let at = 0; at < buffer.length; at += mostBytes) {
        const part = buffer.subarray(at, at + mostBytes);
        if (rank > 0) traffic.bytes += part.length;
        call("MPI_Bcast", functions.broadcast, part, part.length, byte, 0, world);
      }
    },
    abort: (code) => void functions.abort(world, code),
    finalize: () => call("MPI_Finalize", functions.finalize),
  };
}

function describeLibrary({ name }: MpiFamily, path: string): string {
  return `${name} (${path})`;
}

/** The bytes of each rank's part from `done` on, at most as many as one call takes, and where they are. */
function partOf(starts: readonly number[], done: number, most: number) {
  const counts = Int32Array.from(starts.slice(1), (end, r) =>
    Math.max(0, Math.min(most, end - starts[r] - done)),
  );
  const offsets = Int32Array.from(starts.slice(0, -1), (start, r) => (counts[r] > 0 ? start + done : 0));
  return { counts, offsets };
}
