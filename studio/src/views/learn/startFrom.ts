/** The dictionary that learning starts from, instead of the base: one of the library, whose patch is then that of the run. */

import { computed, signal } from "@preact/signals";
import { currentItem, type Dictionary, dictionaries } from "../../app/library";
import { patchText, settings } from "./settings";

/** The number of the dictionary; 0 for the base. */
const startId = signal(0);

/** Dictionaries whose patches fit into the picture. */
export const startChoices = computed<readonly Dictionary[]>(() => {
  const { learner } = settings.value ?? {};
  const sizes = currentItem.value?.shape ?? [];
  if (!learner?.canStartFromModel) return [];
  return dictionaries.value.filter(({ facts: { shape } }) => {
    const ofOne = sizes.slice(-shape.length); // the first axis may count signals
    return sizes.length - shape.length <= 1 && shape.every((size, axis) => size <= (ofOne[axis] ?? 0));
  });
});

export const startDictionary = computed<Dictionary | undefined>(() => {
  const patch = settings.value?.patch.join();
  return startChoices.value.find(({ id, facts }) => id === startId.value && facts.shape.join() === patch);
});

/** Start the next run from a dictionary, or as the learner does. */
export function startFrom(dictionary: Dictionary | undefined): void {
  startId.value = dictionary?.id ?? 0;
  if (dictionary) patchText.set(dictionary.facts.shape.join("x"));
}
