/** The other ranks: they do the operations that rank 0 sends (leader.ts), until it closes its kernels. */

import type { DeviceKernels, Kernels } from "../contract.js";
import type { Communicator } from "./communicator.js";
import { ClusterMatrix, ClusterSparse } from "./handles.js";
import type { Made, Message } from "./leader.js";
import { type HandleNumber, unpackField } from "./messages.js";
import { clusterOperations } from "./operations.js";

export async function followKernels(local: Kernels, ranks: Communicator): Promise<void> {
  const own = clusterOperations(local, ranks);
  const handles = new Map<number, object>();
  for (;;) {
    const bytes = await receiveBytes(ranks);
    const handleOf = ({ handle, cols }: HandleNumber) => headOf(handles.get(handle), cols);
    const field = <Name extends keyof Message>(name: Name) =>
      unpackField(bytes, name, handleOf) as Message[Name];
    for (const packed of field("made")) {
      const [kind, number, args] = unpackField(packed, "made", handleOf) as Made;
      handles.set(number, (own[kind] as (...args: unknown[]) => object)(...args));
    }
    for (const number of field("freed")) {
      own.free(handleOf({ handle: number }));
      handles.delete(number);
    }
    const operation = field("operation");
    if (operation === "close") return own.close();
    await (own[operation as keyof DeviceKernels] as (...args: unknown[]) => Promise<unknown>)(
      ...field("args"),
    );
  }
}

function headOf(handle: object | undefined, cols: number | undefined): object {
  if (!handle) throw new Error("a handle of another rank is not known here");
  if (cols === undefined) return handle;
  if (handle instanceof ClusterMatrix) return new ClusterMatrix(handle.rows, cols, handle.columns);
  if (handle instanceof ClusterSparse)
    return new ClusterSparse(handle.rows, cols, handle.width, handle.columns);
  return handle;
}

async function receiveBytes(ranks: Communicator): Promise<Uint8Array> {
  const length = new Float64Array(1);
  await ranks.broadcast(new Uint8Array(length.buffer));
  const message = new Uint8Array(length[0]);
  await ranks.broadcast(message);
  return message;
}
