/** The dictionary that learning starts from, instead of the base: one of the library whose patch fits. */

import { computed, signal } from "@preact/signals";
import { learners } from "trainlets/parts";
import { type Dictionary, dictionaries } from "../../app/library";
import { settings } from "./settings";

/** The number of the dictionary; 0 for the base. */
export const startId = signal(0);

export const startChoices = computed<readonly Dictionary[]>(() => {
  const { patch, learner } = settings.value ?? {};
  if (!patch || !learner || learners[learner].canStartFromModel === false) return [];
  return dictionaries.value.filter(({ facts }) => facts.shape.join() === patch.join());
});

export const startDictionary = computed<Dictionary | undefined>(() =>
  startChoices.value.find(({ id }) => id === startId.value),
);
