/**
 * The file layer of Node for tests of failures: the real one, except that the n-th call of a
 * run can fail, do half of its work, or be the last that reaches the disk.
 *
 * A test file puts it in place of Node's own:
 *
 *     vi.mock("node:fs", async () => (await import("./failingFiles.js")).failingFs);
 *     vi.mock("node:fs/promises", async () => (await import("./failingFiles.js")).failingPromises);
 *
 * It covers what the sources of trainlets call; packages keep the real one. Nothing is flushed to
 * the disk: what a loss of power would do is not tested here.
 */

import type { Dirent, Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
/** The real file layer. */
export const realFs = require("node:fs") as typeof import("node:fs");
const real = realFs.promises;

/**
 * What can happen to a call: an error of the system; half of the bytes are transferred; the program ends before the call
 * (`crash`), or when half of the bytes are written (`torn`), and no later call does anything.
 */
export const failures = ["ENOSPC", "EIO", "EMFILE", "EINTR", "half", "crash", "torn"] as const;
export type Failure = (typeof failures)[number];

/** A call of the file layer. */
export interface Call {
  readonly operation: string;
  /** The file it is about, as the caller named it. */
  readonly path: string;
  /** Whether it can change the disk. */
  readonly changes: boolean;
}

const errors = {
  ENOSPC: { errno: -28, text: "no space left on device" },
  EIO: { errno: -5, text: "i/o error" },
  EMFILE: { errno: -24, text: "too many open files" },
  EINTR: { errno: -4, text: "interrupted system call" },
} as const;

/** Operations that each failure can happen to. */
const applies: Readonly<Record<Failure, (call: Call) => boolean>> = {
  ENOSPC: ({ operation, changes }) => changes && !["unlink", "rmdir", "close", "chmod"].includes(operation),
  EIO: () => true,
  EMFILE: ({ operation }) => ["open", "readdir", "readFile", "writeFile"].includes(operation),
  EINTR: ({ operation }) => ["open", "read", "write", "sync", "readFile", "writeFile"].includes(operation),
  half: ({ operation }) => operation === "read" || operation === "write",
  crash: () => true,
  torn: ({ operation }) => operation === "write",
};

/** Whether the program ends there. */
export function endsProgram(failure: Failure): boolean {
  return failure === "crash" || failure === "torn";
}

/** The error of a program that has ended: whoever catches it can do nothing any more. */
class Crash extends Error {
  readonly code = "ECRASH";
  readonly errno = -1;
  readonly syscall = "none";
}

/** What happened on the disk during one run. */
export class Disk {
  readonly calls: Call[] = [];
  /** The call that failed. */
  failed: Call | undefined;
  readonly #plan: { readonly at: number; readonly failure: Failure } | undefined;
  readonly #open = new Map<object | number, string>();
  readonly #underWay = new Set<Promise<unknown>>();
  #crashed = false;

  /** Without a plan, nothing fails. */
  constructor(plan?: { readonly at: number; readonly failure: Failure }) {
    this.#plan = plan;
  }

  /** Whether a failure can happen to a call. */
  static canFail(call: Call, failure: Failure): boolean {
    return applies[failure](call);
  }

  /** Count a call; throws if it fails. Whether it does only half of its work. */
  enter(operation: string, path: string, changes = false): boolean {
    if (this.#crashed) throw new Crash("the program has ended");
    const call = { operation, path, changes };
    const at = this.calls.push(call) - 1;
    if (!this.#plan || at !== this.#plan.at) return false;
    const { failure } = this.#plan;
    if (!applies[failure](call)) return false;
    this.failed = call;
    this.#crashed = endsProgram(failure);
    if (failure === "half" || failure === "torn") return true;
    if (failure === "crash") throw new Crash("the program has ended");
    const { errno, text } = errors[failure];
    const place = operation === "read" || operation === "write" || operation === "sync" ? "" : ` '${path}'`;
    const error = new Error(`${failure}: ${text}, ${operation}${place}`);
    throw Object.assign(error, { errno, code: failure, syscall: operation, path });
  }

  opened(file: object | number, path: string): void {
    this.#open.set(file, path);
  }

  closed(file: object | number): void {
    this.#open.delete(file);
  }

  pathOf(file: object | number): string {
    return this.#open.get(file) ?? "";
  }

  /** Files that are still open. */
  get stillOpen(): string[] {
    return [...this.#open.values()];
  }

  async follow<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** Wait for calls that nobody waits for, then close what a process would close at its end. */
  async end(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    for (const file of this.#open.keys()) {
      if (typeof file === "number") realFs.closeSync(file);
      else await (file as FileHandle).close().catch(() => {});
    }
    this.#open.clear();
  }
}

let disk = new Disk();

/** From now on, calls are counted there. */
export function useDisk(next: Disk): Disk {
  disk = next;
  return next;
}

// — node:fs/promises ——————————————————————————————————————————————————————————

/** Operations on paths: whether they change the disk. */
const onPaths = {
  stat: false,
  lstat: false,
  statfs: false,
  readdir: false,
  readlink: false,
  realpath: false,
  readFile: false,
  writeFile: true,
  rename: true,
  unlink: true,
  rm: true,
  rmdir: true,
  mkdir: true,
  link: true,
  symlink: true,
  chmod: true,
  truncate: true,
  utimes: true,
  copyFile: true,
} as const;

type Anything = (...args: never[]) => Promise<unknown>;

function failing(name: keyof typeof onPaths): Anything {
  return async (path: unknown, ...rest: unknown[]) => {
    const here = disk;
    here.enter(name, textOf(path), onPaths[name]);
    return here.follow((real[name] as (...args: unknown[]) => Promise<unknown>)(path, ...rest));
  };
}

async function openFailing(path: string, flags: string | number = "r", mode?: number): Promise<FileHandle> {
  const here = disk;
  here.enter("open", textOf(path), isWriting(flags));
  const handle = await here.follow(real.open(path, flags, mode));
  here.opened(handle, textOf(path));
  return failingHandle(handle, textOf(path), here);
}

/** Operations of an open file, and whether they change it. */
const onHandles = {
  stat: false,
  readFile: false,
  writeFile: true,
  truncate: true,
  chmod: true,
  utimes: true,
  sync: true,
  datasync: true,
} as const;

function failingHandle(handle: FileHandle, path: string, here: Disk): FileHandle {
  return new Proxy(handle, {
    get(target, name) {
      if (name === "close") return () => closeFailing(target, path, here);
      if (name === "read" || name === "write") return transfer(target, name, path, here);
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        const operation = String(name);
        here.enter(operation, path, onHandles[operation as keyof typeof onHandles] ?? true);
        if (operation === "sync" || operation === "datasync") return undefined; // nothing depends on the platter
        return here.follow((value as Anything).apply(target, args as never[]));
      };
    },
  });
}

/** A handle is closed even if closing fails, as on Linux. */
async function closeFailing(handle: FileHandle, path: string, here: Disk): Promise<void> {
  try {
    here.enter("close", path);
  } catch (error) {
    if (!(error instanceof Crash)) await closeReally(handle, here);
    throw error;
  }
  await closeReally(handle, here);
}

async function closeReally(handle: FileHandle, here: Disk): Promise<void> {
  here.closed(handle);
  await here.follow(handle.close());
}

/** `read` and `write` with (buffer, offset, length, position), and `write` with (text, position). */
function transfer(handle: FileHandle, name: "read" | "write", path: string, here: Disk) {
  const move = handle[name].bind(handle) as (...args: unknown[]) => Promise<unknown>;
  return async (data: Uint8Array | string, ...rest: (number | null)[]) => {
    const half = here.enter(name, path, name === "write");
    const text = typeof data === "string";
    const bytes = text ? Buffer.from(data) : data;
    const [offset, length, position] = text ? [0, undefined, rest[0]] : rest;
    const all = length ?? bytes.byteLength - (offset ?? 0);
    return here.follow(move(bytes, offset ?? 0, half && all > 1 ? all >> 1 : all, position ?? null));
  };
}

function isWriting(flags: string | number): boolean {
  return typeof flags === "number"
    ? (flags & (realFs.constants.O_WRONLY | realFs.constants.O_RDWR)) !== 0
    : /[wa+]/.test(flags);
}

function textOf(path: unknown): string {
  return typeof path === "string"
    ? path
    : path instanceof Uint8Array
      ? Buffer.from(path).toString()
      : String(path);
}

const paths = Object.fromEntries(
  (Object.keys(onPaths) as (keyof typeof onPaths)[]).map((name) => [name, failing(name)]),
);

/** Instead of `node:fs/promises`. */
export const failingPromises = guarded({ ...paths, open: openFailing, constants: realFs.constants });

// — node:fs ———————————————————————————————————————————————————————————————————

/** A call on an open file by its number. */
function onNumber<T>(operation: string, file: number, changes: boolean, work: (half: boolean) => T): T {
  return work(disk.enter(operation, disk.pathOf(file), changes));
}

const synchronous = {
  existsSync(path: string): boolean {
    try {
      disk.enter("stat", textOf(path));
    } catch {
      return false; // as Node does
    }
    return realFs.existsSync(path);
  },
  readFileSync(path: string, options?: BufferEncoding): unknown {
    disk.enter("readFile", textOf(path));
    return realFs.readFileSync(path, options);
  },
  statSync(path: string): Stats {
    disk.enter("stat", textOf(path));
    return realFs.statSync(path);
  },
  lstatSync(path: string, options?: { readonly throwIfNoEntry?: boolean }): Stats | undefined {
    disk.enter("lstat", textOf(path));
    return realFs.lstatSync(path, options);
  },
  readdirSync(path: string): (string | Dirent)[] {
    disk.enter("readdir", textOf(path));
    return realFs.readdirSync(path);
  },
  unlinkSync(path: string): void {
    disk.enter("unlink", textOf(path), true);
    realFs.unlinkSync(path);
  },
  openSync(path: string, flags: string | number, mode?: number): number {
    disk.enter("open", textOf(path), isWriting(flags));
    const file = realFs.openSync(path, flags, mode);
    disk.opened(file, textOf(path));
    return file;
  },
  closeSync(file: number): void {
    const here = disk;
    try {
      here.enter("close", here.pathOf(file));
    } catch (error) {
      if (!(error instanceof Crash)) closeNumber(file, here);
      throw error;
    }
    closeNumber(file, here);
  },
  fstatSync: (file: number) => onNumber("stat", file, false, () => realFs.fstatSync(file)),
  fsyncSync: (file: number) => onNumber("sync", file, true, () => {}),
  ftruncateSync: (file: number, length?: number) =>
    onNumber("truncate", file, true, () => realFs.ftruncateSync(file, length)),
  readSync: (file: number, bytes: Uint8Array, offset: number, length: number, position: number) =>
    onNumber("read", file, false, (half) =>
      realFs.readSync(file, bytes, offset, half && length > 1 ? length >> 1 : length, position),
    ),
  writeSync: (file: number, bytes: Uint8Array, offset: number, length: number, position: number) =>
    onNumber("write", file, true, (half) =>
      realFs.writeSync(file, bytes, offset, half && length > 1 ? length >> 1 : length, position),
    ),
};

function closeNumber(file: number, here: Disk): void {
  here.closed(file);
  realFs.closeSync(file);
}

type Done = (error: Error | null, value?: number) => void;

/** A stream that reads through this layer. */
function createReadStream(path: string, options: object): ReturnType<typeof realFs.createReadStream> {
  const here = disk;
  const attempt = (done: Done, enter: () => boolean, work: (half: boolean) => void) => {
    try {
      work(enter());
    } catch (error) {
      queueMicrotask(() => done(error as Error));
    }
  };
  const fs = {
    open: (name: string, flags: string, mode: number, done: Done) =>
      attempt(
        done,
        () => here.enter("open", name),
        () =>
          realFs.open(name, flags, mode, (error, file) => {
            if (!error) here.opened(file, name);
            done(error, file);
          }),
      ),
    read: (file: number, bytes: Uint8Array, offset: number, length: number, at: number, done: Done) =>
      attempt(
        done,
        () => here.enter("read", path),
        (half) => realFs.read(file, bytes, offset, half && length > 1 ? length >> 1 : length, at, done),
      ),
    close: (file: number, done: Done) => {
      here.closed(file);
      realFs.close(file, done);
    },
  };
  return realFs.createReadStream(path, { ...options, fs } as never);
}

/** Instead of `node:fs`. */
export const failingFs = guarded({ ...synchronous, createReadStream, constants: realFs.constants });

/** A function that is missing here must be added: unseen calls would be calls that never fail. */
function guarded(layer: Record<string, unknown>): Record<string, unknown> {
  return { ...layer, default: layer };
}
