/**
 * The lock of a run on its folder, so that two runs do not remove each other's files, be they
 * on one machine, in two containers or on two machines that share a disk.
 *
 * The lock is the file `.trainlets-lock`. It holds the owner (a random token, host and
 * process) and a count that the owner's heartbeat raises every ten seconds, from a thread of
 * its own, so that long computing does not stop it. A file with its contents appears at once
 * (`link`), so of several starts only one succeeds.
 *
 * Who finds a lock:
 *   - refuses to start if its process runs on this machine, in this container;
 *   - takes it over at once if that process has ended, or is this very process;
 *   - cannot know that of a process elsewhere. It refuses if the count changes, and takes over
 *     if it has not changed for a minute: by the waiting process's own clock, or by the times
 *     that the file system itself gave to the lock and to a file written now. Clocks of two
 *     machines are never compared.
 *
 * Whoever takes over replaces the file, so the count of a former owner, which wakes up after
 * minutes, goes nowhere. An owner asks `isOwned` before it writes.
 */

import { randomBytes } from "node:crypto";
import { type FileHandle, link, open, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../../core/errors.js";
import { ifMissing, removeStaleOf, TemporaryFile, writeAll } from "../../../data/node/files.js";
import { type ProcessIdentity, stateOf, thisProcess } from "../../../data/node/processIdentity.js";
import { openRegular } from "../../../data/node/system/handles.js";
import { Heartbeat } from "./heartbeat.js";

export const lockName = ".trainlets-lock";

/** Times in milliseconds. */
export interface LockTimes {
  /** Between two heartbeats. */
  readonly beat: number;
  /** After which a lock without a heartbeat counts as left behind. */
  readonly stale: number;
  /** Between two looks at a lock that may be alive. */
  readonly poll: number;
}

const usualTimes: LockTimes = { beat: 10_000, stale: 60_000, poll: 500 };

export interface RunLockOptions {
  /** Called with one line before waiting for another run, and when its lock is taken over. */
  readonly onNote?: ((line: string) => void) | undefined;
  readonly times?: LockTimes | undefined;
}

/** What a lock file says. */
interface LockText {
  /** All of it, the count of heartbeats included. */
  readonly text: string;
  readonly token: string;
  readonly owner: ProcessIdentity | undefined;
}

/** Another run has taken the folder over; nothing may be written there. */
export class LostLockError extends Error {}

export class RunLock {
  readonly folder: string;
  readonly #token: string;
  readonly #times: LockTimes;
  #heartbeat: Heartbeat | undefined;

  private constructor(folder: string, token: string, times: LockTimes) {
    this.folder = folder;
    this.#token = token;
    this.#times = times;
  }

  /** Lock a folder for this run. An `InputError` if another run is using it. */
  static async acquire(folder: string, options: RunLockOptions = {}): Promise<RunLock> {
    const times = options.times ?? usualTimes;
    const lock = new RunLock(folder, randomBytes(12).toString("hex"), times);
    await lock.#acquire(options.onNote ?? (() => {}));
    await removeStaleOf(lock.path).catch(() => {}); // locks that killed starts did not put in place
    return lock;
  }

  get path(): string {
    return join(this.folder, lockName);
  }

  /** Whether the lock is still this run's. A lock that has vanished with its folder is placed again. */
  async isOwned(): Promise<boolean> {
    const found = await readLock(this.path);
    if (found) return found.token === this.#token;
    await this.#heartbeat?.stop();
    const candidate = await Candidate.create(this.path, this.#token);
    const placed = await candidate.place();
    await this.#keep(candidate, placed);
    return placed || (await readLock(this.path))?.token === this.#token;
  }

  /** An error if another run has taken the lock over. */
  async requireOwned(): Promise<void> {
    if (await this.isOwned()) return;
    const found = await readLock(this.path);
    const how =
      found && isOurs(found)
        ? "this process opened the folder again for another run"
        : `${describeOwner(found)} took the folder over while this run was suspended`;
    throw new LostLockError(`${this.folder}: ${how}; this run ends and leaves the folder alone`);
  }

  /** Give the lock back, if it is still this run's. */
  async release(): Promise<void> {
    await this.#heartbeat?.stop();
    const found = await readLock(this.path).catch(() => readLock(this.path).catch(() => undefined));
    if (found?.token === this.#token) await unlink(this.path).catch(() => {});
  }

  async #acquire(onNote: (line: string) => void): Promise<void> {
    const candidate = await Candidate.create(this.path, this.#token);
    let placed = false;
    try {
      const watch = new LockWatch(this.folder, this.#times, onNote);
      while (!placed) {
        placed = await candidate.place();
        if (placed) break;
        const now = performance.now();
        const found = await readLock(this.path);
        if (!found) continue;
        const state = watch.judge(found, now, await ageOf(this.path, candidate));
        if (state === "unknown") await new Promise((resolve) => setTimeout(resolve, this.#times.poll));
        else placed = await takeOver(this.path, found, candidate, this.#times);
        if (placed && state === "silent")
          onNote(`${this.folder}: ${describeOwner(found)} gave no sign of life; taking its place`);
      }
    } finally {
      await this.#keep(candidate, placed);
    }
  }

  /** Start the heartbeat of a lock that was placed; discard one that was not. */
  async #keep(candidate: Candidate, placed: boolean): Promise<void> {
    if (placed) this.#heartbeat = new Heartbeat(candidate.handle, candidate.countAt, this.#times.beat);
    else await candidate.discard();
  }
}

/** Decides about the lock of another run, from what is seen of it over time. */
class LockWatch {
  readonly #folder: string;
  readonly #times: LockTimes;
  readonly #onNote: (line: string) => void;
  #first: { readonly lock: LockText; readonly time: number } | undefined;

  constructor(folder: string, times: LockTimes, onNote: (line: string) => void) {
    this.#folder = folder;
    this.#times = times;
    this.#onNote = onNote;
  }

  /**
   * Whether the process of a lock, read after `now`, has ended, or was silent for too long. An error if it is alive.
   * `age`: milliseconds since its last heartbeat, by the times of the file system.
   */
  judge(lock: LockText, now: number, age: number | undefined): "ended" | "silent" | "unknown" {
    const state = lock.owner ? stateOf(lock.owner) : "unknown";
    if (state === "ended" || isOurs(lock)) return "ended";
    if (state === "running") throw inUse(this.#folder, lock);
    const before = this.#first?.lock.token === lock.token ? this.#first : undefined;
    this.#first = before ?? { lock, time: now };
    if (this.#first.lock.text !== lock.text) throw inUse(this.#folder, lock);
    if (Math.max(now - this.#first.time, age ?? 0) >= this.#times.stale) return "silent";
    if (!before) this.#noteWaiting(lock, age);
    return "unknown";
  }

  #noteWaiting(lock: LockText, age: number | undefined): void {
    const ago = age === undefined ? "recently" : `${Math.max(0, Math.round(age / 1000))} s ago`;
    this.#onNote(
      `${this.#folder}: ${describeOwner(lock)} held this folder ${ago}; waiting to see whether it is alive`,
    );
  }
}

function inUse(folder: string, lock: LockText): InputError {
  const isHere = lock.owner?.scope === thisProcess().scope;
  const who = isHere ? `process ${lock.owner?.pid}` : describeOwner(lock);
  return new InputError(`${folder}: ${who} is already using this folder`);
}

/** Whether this process holds a lock. It may open a folder again: the earlier lock is lost then. */
function isOurs({ owner }: LockText): boolean {
  return (
    owner?.scope === thisProcess().scope && owner.pid === process.pid && owner.start === thisProcess().start
  );
}

function describeOwner(lock: LockText | undefined): string {
  if (!lock?.owner) return "another run";
  return `another run (host ${lock.owner.host}, process ${lock.owner.pid})`;
}

/** A lock file under a temporary name, open, to be put in its place. */
class Candidate {
  readonly handle: FileHandle;
  /** Where the count of heartbeats stands in the file. */
  readonly countAt: number;
  readonly #temporary: TemporaryFile;
  readonly #path: string;

  private constructor(handle: FileHandle, countAt: number, temporary: TemporaryFile, path: string) {
    this.handle = handle;
    this.countAt = countAt;
    this.#temporary = temporary;
    this.#path = path;
  }

  static async create(path: string, token: string): Promise<Candidate> {
    const temporary = new TemporaryFile(path);
    const owner = Buffer.from(`${JSON.stringify({ token, ...thisProcess() })}\n`);
    const handle = await open(temporary.path, "wx+").catch(async (error) => {
      await temporary.remove();
      throw error;
    });
    try {
      await writeAll(handle, Buffer.concat([owner, Buffer.from(countText(0))]));
      await handle.datasync();
    } catch (error) {
      await handle.close().catch(() => {});
      await temporary.remove();
      throw error;
    }
    return new Candidate(handle, owner.length, temporary, path);
  }

  /** Put it in its place if nothing is there: whether it is. */
  async place(): Promise<boolean> {
    try {
      await link(this.#temporary.path, this.#path);
      await this.#temporary.remove();
      return true;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return false;
      if (!noLinks.has(code)) throw error;
      return await this.#placeWithoutLinks();
    }
  }

  /** Put it in the place of a lock that was left behind. */
  async replace(): Promise<void> {
    await rename(this.#temporary.path, this.#path);
    await this.#temporary.remove();
  }

  /** The time that the file system gives it now. */
  async touch(): Promise<number> {
    await this.handle.write(countText(0), this.countAt);
    await this.handle.datasync();
    return (await this.handle.stat()).mtimeMs;
  }

  async discard(): Promise<void> {
    await this.handle.close().catch(() => {});
    await this.#temporary.remove();
  }

  /** On disks without links: an empty file claims the place, which it keeps until it is replaced. */
  async #placeWithoutLinks(): Promise<boolean> {
    try {
      await (await open(this.#path, "wx")).close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
    await this.replace();
    return true;
  }
}

/** Errors of file systems that have no links. */
const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

/** A count of heartbeats, always of the same length. */
function countText(count: number): string {
  return `${String(count).padStart(15, "0")}\n`;
}

/** What a lock says; undefined without a lock. A lock that cannot be understood has no known owner. */
async function readLock(path: string): Promise<LockText | undefined> {
  const text = await readStart(path).catch(ifMissing);
  if (text === undefined) return undefined;
  try {
    const { token, host, scope, pid, start } = JSON.parse(text.split("\n")[0]);
    const owner = { host: String(host), scope: String(scope), pid: Number(pid), start: Number(start) };
    return { text, token: String(token), owner };
  } catch {
    return { text, token: text, owner: undefined };
  }
}

/** More than any lock holds. */
const mostBytes = 4096;

/** The first bytes of a regular file, as text. Anything else is an error: a pipe would wait, a device has no end. */
async function readStart(path: string): Promise<string> {
  const { handle } = await openRegular(path);
  try {
    const bytes = Buffer.alloc(mostBytes);
    let filled = 0;
    for (let read = 1; read > 0 && filled < mostBytes; filled += read)
      read = (await handle.read(bytes, filled, mostBytes - filled, filled)).bytesRead;
    return bytes.toString("utf8", 0, filled);
  } finally {
    await handle.close();
  }
}

/** Milliseconds between the last change of a lock and now, both as the file system dates them. */
async function ageOf(path: string, candidate: Candidate): Promise<number | undefined> {
  try {
    const now = await candidate.touch();
    return now - (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}

/**
 * Replace a lock that was left behind. Only one process at a time may do so, which creates a file for that: of several
 * that try, the others find the new lock afterwards.
 */
async function takeOver(
  path: string,
  leftBehind: LockText,
  candidate: Candidate,
  { stale }: LockTimes,
): Promise<boolean> {
  const claim = `${path}-takeover`;
  try {
    await (await open(claim, "wx")).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const age = await ageOf(claim, candidate);
    if (age !== undefined && age >= stale)
      await unlink(claim).catch(() => {}); // its process has ended half-way
    else await new Promise((resolve) => setTimeout(resolve, 20));
    return false;
  }
  try {
    if ((await readLock(path))?.text !== leftBehind.text) return false;
    await candidate.replace();
    return true;
  } finally {
    await unlink(claim).catch(() => {});
  }
}
