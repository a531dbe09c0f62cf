/**
 * The CPU kernels: the contract on WebAssembly SIMD and threads.
 *
 * The heavy loops are in assembly/. The files beside this one, one per section of the
 * contract, say what each kernel is given and how its work is divided into items.
 */

import { InputError } from "../../core/errors.js";
import { requireInteger } from "../../core/require.js";
import { checked } from "../checked.js";
import type { DeviceKernels, Kernels } from "../contract.js";
import { inOrder } from "../ordered.js";
import { planAddressSpace } from "./addressSpace.js";
import { blockScratch, lanes, rowBytes } from "./assembly/constants.js";
import { shared, single } from "./binary.js";
import { CodeLists } from "./codeLists.js";
import { dictionaryOperations } from "./dictionary.js";
import { dividedKernels } from "./divided.js";
import { exampleOperations } from "./examples.js";
import { explicitOperations } from "./explicit.js";
import { mostKeptBytes } from "./gram.js";
import { mostMemory } from "./handles.js";
import { CpuMemory, memoryOperations } from "./memory.js";
import {
  availableMemory,
  availableThreads,
  maxThreads,
  noThreadsBecause,
  Pool,
  ThreadsError,
} from "./pool.js";
import { atomPursuitBytes, pursuitBytes, pursuitOperations } from "./pursuit.js";
import { updateOperations } from "./update.js";

export interface CpuOptions {
  /** By default, as many as there are cores. */
  readonly threads?: number | undefined;
  /** The most atoms that a Gram matrix is kept for; by default as many as take a quarter of the memory. */
  readonly mostGramAtoms?: number | undefined;
}

/** 1 GiB of the 4 that there are. */
const mostGramAtoms = 16_384;

/**
 * Kernels on threads; a promise, since threads take a moment to start. If they cannot start, one
 * thread computes, and the description says why, unless a number of threads was asked for.
 */
export async function createCpuKernels({ threads, ...more }: CpuOptions = {}): Promise<Kernels> {
  if (threads !== undefined) requireInteger("createCpuKernels", "threads", threads, 1, maxThreads);
  const wanted = threads ?? Math.min(maxThreads, availableThreads());
  const plan = planAddressSpace(mostMemory);
  const tooMany = plan !== undefined && wanted > plan.threads;
  if (tooMany && threads !== undefined) throw refuseThreads(threads, plan.threads, plan.reason);
  const obstacle = tooMany ? plan.reason : undefined;
  const memoryBytes = plan?.memoryBytes;
  try {
    return await startKernels({ threads: tooMany ? plan.threads : wanted, memoryBytes, obstacle, ...more });
  } catch (error) {
    if (!(error instanceof ThreadsError)) throw error;
    if (threads !== undefined) throw refuseThreads(threads, 1, error.message);
    return await startKernels({ threads: 1, memoryBytes, obstacle: error.message, ...more });
  }
}

function refuseThreads(threads: number, most: number, reason: string): InputError {
  const rule = `must be ${most === 1 ? "1" : `at most ${most}`}, since ${reason}`;
  const where = "createCpuKernels";
  return new InputError((nameOf) => `${nameOf("threads")} ${rule}, got ${threads}`, {
    where,
    argument: "threads",
    rule,
    value: threads,
  });
}

interface StartOptions extends CpuOptions {
  readonly threads: number;
  /** The most bytes of memory. */
  readonly memoryBytes: number | undefined;
  /** Why there are not more threads, if more were wanted. */
  readonly obstacle: string | undefined;
}

async function startKernels(options: StartOptions): Promise<Kernels> {
  const { threads, memoryBytes } = options;
  const share = threads > 1;
  const refusal = share ? noThreadsBecause() : undefined;
  if (refusal) throw new ThreadsError(refusal);
  // Asynchronously: browsers may refuse to compile at once on the thread of a page.
  const module = await WebAssembly.compile(fromBase64(share ? shared : single));
  const pool = await Pool.open(module, { threads, shared: share, memoryBytes });
  return checked(inOrder(kernelsOn(pool, options)));
}

/** Why the kernels did not compile. Validating them is allowed even where compiling is forbidden. */
export function notCompiledBecause(): string {
  return WebAssembly.validate(fromBase64(single))
    ? "the page's Content-Security-Policy must allow 'wasm-unsafe-eval'"
    : "this runtime has no WebAssembly SIMD";
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

function kernelsOn(
  pool: Pool,
  { obstacle, mostGramAtoms: mostAtoms = mostGramAtoms }: StartOptions,
): DeviceKernels {
  const { arena, threads } = pool;
  const memory = new CpuMemory(arena);
  const codes = new CodeLists(memory);
  const why = obstacle ? `, since ${obstacle}` : "";
  return {
    name: "cpu",
    description: `WebAssembly SIMD, ${threads} ${threads === 1 ? "thread" : "threads"}${why}`,
    get memory() {
      const used = arena.bytesUsed;
      return { used, limit: Math.min(arena.bytesMost, used + availableMemory()) };
    },
    mostGramAtoms: mostAtoms,
    /** Scratch memory of each thread, for a pursuit or for blocks of a transform or a dense product; atoms, and lists of codes. */
    workspace({ n, L, m, p, N }) {
      const blocks = Math.max(4 * rowBytes * Math.max(n, L), 4 * blockScratch);
      const largest = Math.max(...[0, m, L].filter((atoms) => atoms > mostAtoms));
      const fromAtoms = largest > 0 ? atomPursuitBytes(n, Math.max(n, L), largest, p) : 0;
      const pursuit = Math.max(...[0, m, L].map((atoms) => (atoms > mostAtoms ? 0 : pursuitBytes(atoms, p))));
      return (
        threads * Math.max(pursuit, fromAtoms, blocks) +
        mostKeptBytes(n, Math.max(m, L) + lanes) +
        8 * N * p +
        8 * m
      );
    },
    async close() {
      pool.close();
    },
    divided: dividedKernels(pool, memory, codes),
    ...memoryOperations(memory),
    readRows: async (source) => codes.rows(source),
    ...dictionaryOperations(pool, memory),
    ...pursuitOperations(pool, memory),
    ...updateOperations(pool, memory, codes),
    ...explicitOperations(pool, memory, codes),
    ...exampleOperations(pool, memory),
  };
}
