/**
 * Runs in the storage of the browser, so that a closed tab loses some seconds at most: the settings, the samples and the
 * last checkpoint of each. A run that another tab has open is left alone.
 */

import type { DeviceName } from "trainlets";
import type { LearnSettings } from "./learnOptions";
import type { Samples } from "./learnSamples";

/** What the page shows of a stored run. */
export interface StoredRun {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  readonly name: string;
  readonly settings: LearnSettings;
  readonly device: DeviceName;
  readonly examples: number;
  readonly total: number;
  /** Seconds of learning. */
  readonly seconds: number;
  /** What was learned before, where the run started from a dictionary: the lines of its commands. */
  readonly before: readonly string[];
  readonly startFile: string | undefined;
}

interface StoredParts {
  /** The bytes of the dictionary that the run started from. */
  readonly start?: Uint8Array<ArrayBuffer>;
  readonly checkpoint: Uint8Array<ArrayBuffer>;
}

/** The most runs that are kept. */
const mostRuns = 3;
const stores = ["runs", "parts", "samples"] as const;

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("trainlets-studio", 1);
    request.onupgradeneeded = () => {
      for (const name of stores) request.result.createObjectStore(name);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("another tab has an older version of the studio open"));
  });
}

/** Do something with the stores, in one transaction that succeeds or fails as a whole. */
async function within<T>(
  mode: IDBTransactionMode,
  work: (store: (name: (typeof stores)[number]) => IDBObjectStore) => IDBRequest<T> | undefined,
): Promise<T | undefined> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(stores, mode);
      const request = work((name) => transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request?.result);
      transaction.onabort = () => reject(transaction.error ?? new Error("it was given up"));
      transaction.onerror = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** Store a run; its samples and its start go with the first checkpoint alone. */
export async function storeRun(
  run: StoredRun,
  checkpoint: Uint8Array<ArrayBuffer>,
  first: { readonly samples: Samples; readonly start: Uint8Array<ArrayBuffer> | undefined },
  isFirst: boolean,
): Promise<void> {
  const parts: StoredParts = { checkpoint, ...(first.start ? { start: first.start } : {}) };
  await within("readwrite", (store) => {
    store("runs").put(run, run.key);
    store("parts").put(parts, run.key);
    if (isFirst) store("samples").put(first.samples, run.key);
    return undefined;
  });
  if (isFirst) for (const { key } of (await storedRuns()).slice(mostRuns)) await removeRun(key);
}

/** The runs that no tab has open, the newest first. */
export async function storedRuns(): Promise<readonly StoredRun[]> {
  const found = (await within("readonly", (store) => store("runs").getAll())) as StoredRun[] | undefined;
  const held = new Set((await navigator.locks?.query())?.held?.map(({ name }) => name));
  return (found ?? []).filter(({ key }) => !held.has(lockName(key))).sort((a, b) => b.savedAt - a.savedAt);
}

export async function storedParts(key: string): Promise<StoredParts | undefined> {
  return within("readonly", (store) => store("parts").get(key) as IDBRequest<StoredParts | undefined>);
}

export async function storedSamples(key: string): Promise<Samples | undefined> {
  return within("readonly", (store) => store("samples").get(key) as IDBRequest<Samples | undefined>);
}

export async function removeRun(key: string): Promise<void> {
  await within("readwrite", (store) => {
    for (const name of stores) store(name).delete(key);
    return undefined;
  });
}

const lockName = (key: string): string => `trainlets run ${key}`;
let release = (): void => {};

/** Mark a run as open in this tab, in place of the one before; it is free again when the tab is closed. */
export function holdRun(key: string): void {
  release();
  const closed = new Promise<void>((resolve) => {
    release = resolve;
  });
  navigator.locks?.request(lockName(key), () => closed).catch(() => {}); // without locks, other tabs offer it too
}
