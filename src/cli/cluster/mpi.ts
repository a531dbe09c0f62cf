/**
 * MPI through the library of the system, which is loaded when it is needed (koffi). A call waits for those of other ranks;
 * the work of a rank is done in its kernels, and nothing else has to run meanwhile.
 *
 * Libraries wait in a loop, which keeps a core busy. So ranks that wait for rank 0, which may take long, ask from time to time
 * and sleep in between; and where there are more ranks than cores, so do ranks that wait for each other.
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
  /** Whether there are more ranks than cores on some machine: the same on all ranks. */
  crowded: boolean;
  /** Bytes that were received from other ranks, and calls of MPI: their seconds, waiting included, and their number. */
  readonly traffic: { bytes: number; seconds: number; calls: number };
  /** End all ranks, this one included, at once. */
  abort(code: number): void;
  /** The last call, of all ranks. */
  finalize(): void;
}

/** Milliseconds that a rank asks without a pause, with and without a core of its own, and that it then sleeps between two questions. */
const patience = { alone: 2, crowded: 0.2 };
const pause = 0.2;

/** The most bytes of one call: counts are 32-bit integers. */
const mostBytes = 2 ** 30;

type Koffi = typeof import("koffi")["default"];
type Call = (...args: unknown[]) => number;

/**
 * Settings of UCX, the transport below many builds of MPI, which it reads when it is loaded; one that the user set stays.
 * Its memory events replace code of the C library and move the end of the heap to try that, while other threads of Node
 * allocate; Node then crashes now and then. Its handler of SIGSEGV takes a signal that V8 has a use for.
 */
const ucxSettings: Readonly<Record<string, string>> = {
  UCX_MEM_EVENTS: "no",
  UCX_ERROR_SIGNALS: "SIGILL,SIGBUS,SIGFPE",
  UCX_WARN_UNUSED_ENV_VARS: "no",
};

/** Initialise MPI with a library that fits the launcher. */
export async function openMpi(env: Environment): Promise<MpiWorld> {
  const koffi = await loadKoffi();
  for (const [name, value] of Object.entries(ucxSettings)) process.env[name] ??= value;
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
  // arrays are declared as void *, so that the library gets the addresses of their own memory
  const gathered = `intptr_t, int, ${handle}, void *, void *, void *, ${handle}, ${handle}`;
  const request = `_Inout_ ${handle} *`;
  return {
    init: declared("int MPI_Init_thread(void *, void *, int, _Out_ int *)"),
    rank: declared(`int MPI_Comm_rank(${handle}, _Out_ int *)`),
    size: declared(`int MPI_Comm_size(${handle}, _Out_ int *)`),
    allGather: declared(`int MPI_Allgatherv(${gathered})`),
    startAllGather: declared(`int MPI_Iallgatherv(${gathered}, ${request})`),
    startBroadcast: declared(`int MPI_Ibcast(void *, int, ${handle}, int, ${handle}, ${request})`),
    test: declared(`int MPI_Test(${request}, _Out_ int *, intptr_t)`),
    abort: declared(`int MPI_Abort(${handle}, int)`),
    finalize: declared("int MPI_Finalize(void)"),
    handles: () => ({ world: named(family.world), byte: named(family.byte) }),
  };
}

function startMpi(
  functions: NonNullable<ReturnType<typeof loadLibrary>>,
  { family, path }: MpiLibrary,
): MpiWorld {
  const call = (name: string, operation: Call, ...args: unknown[]) => {
    const code = operation(...args);
    if (code !== 0) throw new Error(`MPI: ${name} failed with code ${code}`);
  };
  const [provided, rankOut, sizeOut] = [[0], [0], [0]];
  call("MPI_Init_thread", functions.init, null, null, family.funneled, provided);
  const { world, byte } = functions.handles();
  call("MPI_Comm_rank", functions.rank, world, rankOut);
  call("MPI_Comm_size", functions.size, world, sizeOut);
  const [[rank], [size]] = [rankOut, sizeOut];

  /** Start a call and wait for its end with pauses. */
  const callAsleep = (name: string, operation: Call, ...args: unknown[]) => {
    const request = [family.handleType === "void *" ? null : 0];
    const done = [0];
    inUse.arguments = args; // the library works on these arrays until the call has ended
    call(name, operation, ...args, request);
    const start = performance.now();
    const limit = result.crowded ? patience.crowded : patience.alone;
    while (done[0] === 0) {
      if (performance.now() - start > limit) Atomics.wait(sleeper, 0, 0, pause);
      call("MPI_Test", functions.test, request, done, family.statusIgnore);
    }
    inUse.arguments = [];
  };
  /** The time of a call and the bytes it brings count. */
  const timed = (bytes: number, work: () => void) => {
    const start = performance.now();
    work();
    result.traffic.seconds += (performance.now() - start) / 1000;
    result.traffic.bytes += bytes;
    result.traffic.calls++;
  };
  const result: MpiWorld = {
    rank,
    size,
    library: describeLibrary(family, path),
    rates: { bytes: 1e9, products: 1e9 }, // until they are measured
    crowded: true, // until it is known that all have cores of their own
    traffic: { bytes: 0, seconds: 0, calls: 0 },
    async allGather(buffer, starts) {
      const most = Math.floor(mostBytes / size);
      for (let done = 0; ; done += most) {
        const { counts, offsets } = partOf(starts, done, most);
        if (counts.every((count) => count === 0)) return;
        const bytes = counts.reduce((sum, count, r) => (r === rank ? sum : sum + count), 0);
        const args = [family.inPlace, 0, byte, buffer, counts, offsets, byte, world];
        timed(bytes, () => {
          if (result.crowded) callAsleep("MPI_Iallgatherv", functions.startAllGather, ...args);
          else call("MPI_Allgatherv", functions.allGather, ...args);
        });
      }
    },
    async broadcast(buffer) {
      for (let at = 0; at < buffer.length; at += mostBytes) {
        const part = buffer.subarray(at, at + mostBytes);
        const args = [part, part.length, byte, 0, world];
        timed(rank > 0 ? part.length : 0, () => callAsleep("MPI_Ibcast", functions.startBroadcast, ...args));
      }
    },
    abort: (code) => void functions.abort(world, code),
    finalize: () => call("MPI_Finalize", functions.finalize),
  };
  return result;
}

/** Arguments that must not be collected yet. */
const inUse: { arguments: readonly unknown[] } = { arguments: [] };

/** Nobody wakes a rank that sleeps. */
const sleeper = new Int32Array(new SharedArrayBuffer(4));

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
