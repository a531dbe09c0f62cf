/**
 * One program, many ranks: rank 0 runs it and sends the others every operation of its kernels, which they do as well
 * (follower.ts), each on its share. So only rank 0 reads options and data, decides when to stop and writes files.
 */

import { checked, type OperationName, signatures } from "../checked.js";
import type { DeviceKernels, Kernels } from "../contract.js";
import { inOrder } from "../ordered.js";
import type { Communicator } from "./communicator.js";
import { ClusterMatrix, ClusterSparse } from "./handles.js";
import { type HandleNumber, packMessage } from "./messages.js";
import { clusterOperations } from "./operations.js";

/** A handle that rank 0 made: its kind, its number, and what it is made of. */
export type Made = readonly [MadeKind, number, readonly unknown[]];

/** What rank 0 sends: handles that were made and freed since the last operation, and an operation or the end. */
export interface Message {
  /** Packed when they were made: the caller may change what they are made of. */
  readonly made: readonly Uint8Array[];
  readonly freed: readonly number[];
  readonly operation: OperationName | "close";
  readonly args: readonly unknown[];
}

export type MadeKind = "matrix" | "sparse" | "set" | "base" | "signals";

/**
 * Kernels on all ranks, for the program on rank 0; `close` ends the work of the others, not the ranks themselves. An
 * operation that fails on rank 0 leaves the others in the middle of it: `onFailure` learns of it, and nothing more is sent.
 */
export function leadKernels(
  local: Kernels,
  ranks: Communicator,
  onFailure: (error: Error) => void = () => {},
): Kernels {
  const own = clusterOperations(local, ranks);
  const numbers = new WeakMap<object, number>();
  let next = 0;
  let failure: Error | undefined;
  let made: Uint8Array[] = [];
  let freed: number[] = [];

  const stored = (handle: object) =>
    handle instanceof ClusterMatrix || handle instanceof ClusterSparse ? handle.columns : handle;
  const numberOf = (handle: object): HandleNumber | undefined => {
    const number = numbers.get(stored(handle));
    if (number === undefined) return undefined;
    return handle instanceof ClusterMatrix || handle instanceof ClusterSparse
      ? { handle: number, cols: handle.cols }
      : { handle: number };
  };
  const send = async (operation: Message["operation"], args: readonly unknown[]) => {
    if (ranks.size === 1) return;
    const message: Message = { made, freed, operation, args };
    [made, freed] = [[], []];
    await sendBytes(packMessage(message, numberOf), ranks);
  };
  const makes =
    <Args extends unknown[], Handle extends object>(kind: MadeKind, make: (...args: Args) => Handle) =>
    (...args: Args): Handle => {
      const handle = make(...args);
      numbers.set(stored(handle), next);
      if (ranks.size > 1) made.push(packMessage({ made: [kind, next, args] satisfies Made }, numberOf));
      next++;
      return handle;
    };
  const sent = Object.fromEntries(
    (Object.keys(signatures) as OperationName[]).map((name) => [
      name,
      async (...args: unknown[]) => {
        if (failure) throw failure;
        try {
          await send(name, args);
          return await (own[name] as (...args: unknown[]) => Promise<unknown>)(...args);
        } catch (error) {
          failure = error instanceof Error ? error : new Error(String(error));
          onFailure(failure);
          throw error;
        }
      },
    ]),
  ) as Pick<DeviceKernels, OperationName>;

  return checked(
    inOrder({
      ...own,
      ...sent,
      get memory() {
        return own.memory;
      },
      matrix: makes("matrix", own.matrix),
      sparse: makes("sparse", own.sparse),
      set: makes("set", own.set),
      base: makes("base", own.base),
      signals: makes("signals", own.signals),
      free(...handles) {
        if (ranks.size > 1) freed.push(...handles.flatMap((handle) => numbers.get(stored(handle)) ?? []));
        own.free(...handles);
      },
      async close() {
        if (!failure) await send("close", []);
        await own.close();
      },
    }),
  );
}

/** The length of a message, then the message. */
async function sendBytes(message: Uint8Array, ranks: Communicator): Promise<void> {
  await ranks.broadcast(new Uint8Array(Float64Array.of(message.length).buffer));
  await ranks.broadcast(message);
}
