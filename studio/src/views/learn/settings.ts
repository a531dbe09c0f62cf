/** The settings of the view, in the address: what is the default is left out. */

import { computed, signal } from "@preact/signals";
import type { DeviceName } from "trainlets";
import { addressed, addressedView, integer, oneOf, text } from "../../app/address";
import { currentItem } from "../../app/library";
import { notifyOf } from "../../app/notices";
import { learner } from "../../engine/client";
import {
  defaultPatch,
  defaultsFor,
  type LearnerFacts,
  type LearnSettings,
  patchFrom,
} from "../../engine/learn/learnOptions";

/** Numbers of which 0 stands for the default. */
const count = integer(0, 10_000_000);

export const pictureName = addressed("picture", "", text);
export const patchText = addressed("patch", "", text);
export const learnerName = addressed("learner", "osdl", text);
export const baseName = addressed("base", "", text);
export const deviceName = addressed<DeviceName>("device", "auto", oneOf(["auto", "gpu", "cpu"]));
/** Numbers, by their names in `LearnSettings`. */
export const numbers = {
  atoms: addressed("atoms", 0, count),
  sparsity: addressed("sparsity", 0, count),
  atomSparsity: addressed("nonzeros", 0, count),
  examples: addressed("examples", 0, count),
  epochs: addressed("epochs", 0, count),
  batch: addressed("batch", 0, count),
  seed: addressed("seed", 1, integer(0, 2 ** 31)),
} as const;
export type NumberName = keyof typeof numbers;

/** All learners, once the worker has named them. */
export const learners = signal<readonly LearnerFacts[]>([]);
learner.run("learnerFacts", null).then((found) => {
  learners.value = found;
}, notifyOf);

/** The settings for the current picture; undefined until there is one. */
export const settings = computed<LearnSettings | undefined>(() => {
  const item = currentItem.value;
  const all = learners.value;
  if (!item || all.length === 0) return undefined;
  const chosen = all.find(({ name }) => name === learnerName.value) ?? all[0];
  const patch = patchFrom(patchText.value, item.shape) ?? defaultPatch(item.shape);
  const usual = defaultsFor(patch, chosen);
  const given = Object.fromEntries(
    Object.entries(numbers)
      .map(([name, setting]) => [name, setting.value] as const)
      .filter(([name, value]) => name === "seed" || value > 0),
  );
  return { ...usual, ...given, base: baseName.value };
});

/** Put a number into the address; the default is left out. */
export function setNumber(name: NumberName, value: number): void {
  const now = settings.peek();
  const usual = now && defaultsFor(now.patch, now.learner)[name];
  numbers[name].set(name !== "seed" && value === usual ? 0 : value);
}

/** Write the settings of a run into the address. */
export function showSettings(run: LearnSettings, device: DeviceName): void {
  patchText.set(run.patch.join("x"));
  learnerName.set(run.learner.name);
  baseName.set(run.base);
  deviceName.set(device);
  for (const name of Object.keys(numbers) as NumberName[]) setNumber(name, run[name]);
}

let lastAddress = "";

/** Remember the address of the view, for the way back from another one. */
export function rememberAddress(): void {
  void settings.value;
  void deviceName.value;
  if (addressedView.value === "learn" || addressedView.value === "") lastAddress = location.hash;
}

/** Whether the address has no settings: nobody chose them. */
export function isPlainAddress(): boolean {
  return !location.hash.includes("?");
}

/** The settings of before, where the address has none. */
export function recallAddress(): void {
  if (isPlainAddress() && lastAddress.includes("?")) location.replace(lastAddress);
}
