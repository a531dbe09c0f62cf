/** Work on the kernels of the worker; once more on others, if the device is lost meanwhile. */

import type { Kernels } from "trainlets/parts";
import { forgetKernels, kernelsFor } from "./devices";

export async function onKernels<T>(work: (kernels: Kernels) => Promise<T>): Promise<T> {
  try {
    return await work((await kernelsFor()).kernels);
  } catch (error) {
    if ((error as Error).name !== "DeviceLostError") throw error;
    forgetKernels();
    return work((await kernelsFor()).kernels);
  }
}

/** Let messages in, such as one that cancels; throws if one did. */
export async function nextTurn(signal: AbortSignal): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  await new Promise<void>((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
  signal.throwIfAborted();
}
