/**
 * MPI through the library of the system, loaded when it is needed. Calls block until all ranks have made them; the work of
 * a rank is done in the threads of its kernels, so nothing else waits meanwhile.
 */

import { accessSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { InputError } from "../core/errors.js";
import type { Communicator, Rates } from "../kernels/cluster/communicator.js";
import { type MpiFamily, mpiFamilies } from "./mpiFamilies.js";

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

type Handle = unknown;
type Call = (...args: unknown[]) => number;

/** Initialise MPI with the library that fits the launcher. */
export async function openMpi(env: Readonly<Record<string, string | undefined>>): Promise<MpiWorld> {
  const { default: koffi } = await loadKoffi();
  const wanted = env.OMPI_COMM_WORLD_SIZE ? mpiFamilies : [...mpiFamilies.slice(1), mpiFamilies[0]];
  const tried: string[] = [];
  for (const family of wanted) {
    for (const path of candidates(family, env)) {
      let library: ReturnType<typeof koffi.load>;
      try {
        library = koffi.load(path, { global: true, lazy: true });
      } catch {
        tried.push(path);
        continue;
      }
      return start(koffi, library, family, path);
    }
  }
  throw new InputError(
    `this process is one of several that MPI started, but no library of MPI was found (tried ${tried.join(", ")}); name it with TRAINLETS_MPI=FILE`,
  );
}

async function loadKoffi(): Promise<typeof import("koffi")> {
  try {
    return await import("koffi");
  } catch {
    throw new InputError(
      "this process is one of several that MPI started; that needs the package koffi (npm install koffi)",
    );
  }
}

/** Paths to try: the one that is named, the system's own, and the one beside mpirun. */
function candidates(
  { libraries }: MpiFamily,
  { TRAINLETS_MPI, PATH = "" }: Readonly<Record<string, string | undefined>>,
): string[] {
  if (TRAINLETS_MPI) return libraries.some((name) => isOf(TRAINLETS_MPI, name)) ? [TRAINLETS_MPI] : [];
  const folder = PATH.split(delimiter).find((path) => isThere(join(path, "mpirun")));
  const beside = folder ? libraries.map((name) => join(dirname(folder), "lib", name)) : [];
  return [...libraries, ...beside.filter(isThere)];
}

/** Whether a path is that of a library, of this version or of a longer one. */
function isOf(path: string, name: string): boolean {
  const file = basename(path);
  return file === name || file.startsWith(`${name}.`);
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

function start(
  koffi: typeof import("koffi")["default"],
  library: ReturnType<typeof import("koffi")["default"]["load"]>,
  family: MpiFamily,
  path: string,
): MpiWorld {
  const { handleType: handle } = family;
  const named = (value: number | string): Handle =>
    typeof value === "number" ? value : library.symbol(value, koffi.pointer("void"));
  const declared = (text: string): Call => library.func(text) as Call;
  const traffic = { bytes: 0, seconds: 0 };
  const call = (name: string, operation: Call, ...args: unknown[]) => {
    const start = performance.now();
    const code = operation(...args);
    traffic.seconds += (performance.now() - start) / 1000;
    if (code !== 0) throw new Error(`MPI: ${name} failed with code ${code}`);
  };
  const init = declared("int MPI_Init_thread(void *, void *, int, _Out_ int *)");
  const commRank = declared(`int MPI_Comm_rank(${handle}, _Out_ int *)`);
  const commSize = declared(`int MPI_Comm_size(${handle}, _Out_ int *)`);
  const allGather = declared(
    `int MPI_Allgatherv(intptr_t, int, ${handle}, void *, int *, int *, ${handle}, ${handle})`,
  );
  const bcast = declared(`int MPI_Bcast(void *, int, ${handle}, int, ${handle})`);
  const abort = declared(`int MPI_Abort(${handle}, int)`);
  const finalize = declared("int MPI_Finalize(void)");

  const [provided, rankOut, sizeOut] = [[0], [0], [0]];
  call("MPI_Init_thread", init, null, null, family.serialized, provided);
  const [world, byte] = [named(family.world), named(family.byte)];
  call("MPI_Comm_rank", commRank, world, rankOut);
  call("MPI_Comm_size", commSize, world, sizeOut);
  const [[rank], [size]] = [rankOut, sizeOut];
  return {
    rank,
    size,
    library: `${family.name} (${path})`,
    rates: { bytes: 1e9, products: 1e9 },
    traffic,
    async allGather(buffer, starts) {
      for (let done = 0; ; done += Math.floor(mostBytes / size)) {
        const part = partOf(starts, done, Math.floor(mostBytes / size));
        if (part.counts.every((count) => count === 0)) return;
        traffic.bytes += part.counts.reduce((sum, count, r) => (r === rank ? sum : sum + count), 0);
        call(
          "MPI_Allgatherv",
          allGather,
          family.inPlace,
          0,
          byte,
          buffer,
          part.counts,
          part.offsets,
          byte,
          world,
        );
      }
    },
    async broadcast(buffer) {
      for (let at = 0; at < buffer.length; at += mostBytes) {
        const part = buffer.subarray(at, at + mostBytes);
        if (rank > 0) traffic.bytes += part.length;
        call("MPI_Bcast", bcast, part, part.length, byte, 0, world);
      }
    },
    abort: (code) => void abort(world, code),
    finalize: () => call("MPI_Finalize", finalize),
  };
}

/** The bytes of each rank's part from `done` on, at most as many as one call takes, and where they are. */
function partOf(starts: readonly number[], done: number, most: number) {
  const counts = Int32Array.from(starts.slice(1), (end, r) =>
    Math.max(0, Math.min(most, end - starts[r] - done)),
  );
  const offsets = Int32Array.from(starts.slice(0, -1), (start, r) => (counts[r] > 0 ? start + done : 0));
  return { counts, offsets };
}
