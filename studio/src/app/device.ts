/** Where the page computes, and why not on something faster. */

import { signal } from "@preact/signals";
import { helper } from "../engine/client";
import type { DeviceFacts } from "../engine/devices";

/** In words, for the bar at the top. */
export const deviceLine = signal("starting …");

/** What would be faster, in one line each; empty if nothing is missing. */
export const slowerBecause = signal<readonly string[]>([]);

export async function findDevice(): Promise<void> {
  const facts = await helper.run("openDevice", { device: "auto" });
  deviceLine.value = facts.description;
  slowerBecause.value = reasonsOf(facts);
}

/** Why a worker does not compute on something faster. */
export function reasonsOf({ description, rejected }: DeviceFacts): readonly string[] {
  const hasOneThread = !globalThis.crossOriginIsolated && description.includes("1 thread");
  return [
    ...rejected.map(({ name, reason }) => `no ${name}: ${reason}`),
    ...(hasOneThread ? ["one thread: the host does not send the headers that let a page share memory"] : []),
  ];
}
