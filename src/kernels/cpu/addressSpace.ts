/**
 * Limits on address space, as clusters set them (`ulimit -v`), and what fits into them.
 *
 * V8 reserves 10 GiB of address space for every WebAssembly memory, however small, so that
 * hardware can check its bounds, and about 80 MiB for a thread of the pool. Where V8 cannot
 * reserve what a thread needs, it ends the process. So the limit is looked up beforehand, and
 * room is left for everything else. With `--disable-wasm-trap-handler`, V8 reserves only what
 * a memory can grow to, and the kernels check bounds themselves, at no measurable cost.
 *
 * Only Linux is known to set such limits.
 */

const MiB = 2 ** 20;

/** Reserved by V8 for a WebAssembly memory of any size, in bytes. */
const guarded = 10 * 2 ** 30;
/** Reserved for a thread of the pool. */
const perThread = 96 * MiB;
/** Left for the program itself, for threads that read files, and for growth. */
const kept = 384 * MiB;

const flag = "--disable-wasm-trap-handler";

/** What a limit on address space leaves room for. */
export interface AddressPlan {
  /** The most bytes a memory can grow to. */
  readonly memoryBytes: number;
  /** The most threads. */
  readonly threads: number;
  /** Why it is not more, in words. */
  readonly reason: string;
}

/** The limit is too low for the kernels; the message says so, and what helps. */
export class AddressSpaceError extends Error {}

/** What fits beside a memory of up to `wanted` bytes; undefined if there is no limit. */
export function planAddressSpace(wanted: number): AddressPlan | undefined {
  const space = addressSpace();
  if (!space) return undefined;
  return planWithin(space, wanted, boundsAreGuarded());
}

interface AddressSpace {
  readonly limit: number;
  readonly used: number;
}

/** The plan for a limit in bytes, of which some are used. */
export function planWithin({ limit, used }: AddressSpace, wanted: number, isGuarded: boolean): AddressPlan {
  const room = limit - used - kept;
  const size = `${(limit / 2 ** 30).toFixed(1)} GiB`;
  const reason = `address space is limited to ${size} (ulimit -v)`;
  if (isGuarded && room < guarded)
    throw new AddressSpaceError(`${reason}; WebAssembly needs 12 GiB, or NODE_OPTIONS=${flag}`);
  const memoryBytes = isGuarded ? wanted : Math.min(wanted, powerOfTwoBelow(room));
  if (memoryBytes < 64 * MiB) throw new AddressSpaceError(`${reason}, too little for WebAssembly`);
  const left = room - (isGuarded ? guarded : memoryBytes);
  return { memoryBytes, threads: 1 + Math.max(0, Math.floor(left / perThread)), reason };
}

function powerOfTwoBelow(bytes: number): number {
  return bytes < 1 ? 0 : 2 ** Math.floor(Math.log2(bytes));
}

/** The parts of Node that are used here. */
interface NodeProcess {
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  getBuiltinModule?(name: "fs"): { readFileSync(path: string, encoding: "latin1"): string };
}

function nodeProcess(): NodeProcess {
  return (globalThis as unknown as { readonly process?: NodeProcess }).process ?? {};
}

function boundsAreGuarded(): boolean {
  const { execArgv = [], env = {} } = nodeProcess();
  return ![...execArgv, ...(env.NODE_OPTIONS ?? "").split(/\s+/)].includes(flag);
}

/** The limit of this process and what it has reserved; undefined without a limit, or if the system does not say. */
function addressSpace(): AddressSpace | undefined {
  const fs = nodeProcess().getBuiltinModule?.("fs");
  if (!fs) return undefined;
  try {
    const limits = fs.readFileSync("/proc/self/limits", "latin1");
    const limit = Number(/^Max address space +(\d+)/m.exec(limits)?.[1]); // NaN if unlimited
    const status = fs.readFileSync("/proc/self/status", "latin1");
    const used = 1024 * Number(/^VmSize:\s+(\d+) kB/m.exec(status)?.[1]);
    return Number.isFinite(limit) && Number.isFinite(used) ? { limit, used } : undefined;
  } catch {
    return undefined;
  }
}
