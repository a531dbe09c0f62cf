/** Where the page computes, and why not on something faster. */

import { signal } from "@preact/signals";
import { helper } from "../engine/client";

/** In words, for the bar at the top. */
export const deviceLine = signal("starting …");

/** What would be faster, in one line each; empty if nothing is missing. */
export const slowerBecause = signal<readonly string[]>([]);

export async function findDevice(): Promise<void> {
  const { description, rejected } = await helper.run("openDevice", { device: "auto" });
  deviceLine.value = description;
  slowerBecause.value = [
    ...rejected.map(({ name, reason }) => `no ${name}: ${reason}`),
    ...(globalThis.crossOriginIsolated
      ? []
      : ["one thread: the host does not send the headers that let a page share memory"]),
  ];
}
