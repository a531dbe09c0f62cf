/**
 * The handles that some kernels have made: what each one is, and whether its memory was
 * freed. A head shares the memory of its whole and is freed with it.
 */

import { InputError, show } from "../core/errors.js";

export type HandleKind = "matrix" | "sparse" | "base" | "set" | "signals";

const kindNames: Readonly<Record<HandleKind, string>> = {
  matrix: "a matrix",
  sparse: "sparse columns",
  base: "a base dictionary",
  set: "a set of atoms",
  signals: "signals",
};

interface Entry {
  readonly kind: HandleKind;
  readonly memory: { freed: boolean };
  readonly isHead: boolean;
}

export class HandleTable {
  readonly #entries = new WeakMap<object, Entry>();

  add<T extends object>(kind: HandleKind, handle: T): T {
    this.#entries.set(handle, { kind, memory: { freed: false }, isHead: false });
    return handle;
  }

  /** A handle of a part of a whole. */
  addHead<T extends object>(whole: object, head: T): T {
    const entry = this.#entries.get(whole);
    if (entry) this.#entries.set(head, { ...entry, isHead: true });
    return head;
  }

  /** Refuse anything but a handle of this kind, made by these kernels and not freed. */
  requireHandle(where: string, name: string, handle: unknown, kind: HandleKind): void {
    const entry = this.#entries.get(handle as object);
    if (entry === undefined) throw notOurs(where, name, kindNames[kind], handle);
    if (entry.memory.freed) throw problem(where, name, "was freed");
    if (entry.kind !== kind) {
      const rule = `must be ${kindNames[kind]}, got ${kindNames[entry.kind]}`;
      throw problem(where, name, rule);
    }
  }

  /** Mark handles as freed; an error, before any is marked, if one cannot be freed. */
  free(where: string, handles: readonly object[]): void {
    const freed = new Set<object>();
    for (const [i, handle] of handles.entries()) {
      const entry = this.#entries.get(handle);
      const name = `handle ${i + 1}`;
      if (entry === undefined) throw notOurs(where, name, "a handle", handle);
      if (entry.isHead) throw problem(where, name, "shares the memory of another one, which frees it");
      if (entry.memory.freed || freed.has(entry.memory)) throw problem(where, name, "was freed before");
      freed.add(entry.memory);
    }
    for (const handle of handles) {
      const entry = this.#entries.get(handle);
      if (entry) entry.memory.freed = true;
    }
  }
}

function notOurs(where: string, name: string, expected: string, value: unknown): InputError {
  return problem(where, name, `must be ${expected} made by these kernels, got ${show(value)}`);
}

function problem(where: string, argument: string, rule: string): InputError {
  return new InputError((nameOf) => `${nameOf(argument)} ${rule}`, { where, argument, rule });
}
