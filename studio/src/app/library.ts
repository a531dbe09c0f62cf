/**
 * What the page holds: pictures and dictionaries, those that it came with and those that a person brought. Views show the
 * current one of each. Nothing leaves the page.
 */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { helper } from "../engine/client";
import type { ModelFacts } from "../engine/models";

/** A picture, or any other array of samples: grey, or with three channels along its last axis. */
export interface Item {
  readonly id: number;
  readonly name: string;
  readonly shape: readonly number[];
  /** Row by row; pictures from 0 to 255. */
  readonly data: Float32Array<ArrayBuffer>;
}

export interface Dictionary {
  readonly id: number;
  readonly name: string;
  readonly facts: ModelFacts;
  /** The bytes of its file, as the command line would write them. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export const items = signal<readonly Item[]>([]);
export const dictionaries = signal<readonly Dictionary[]>([]);
const itemId = signal(0);
const dictionaryId = signal(0);

export const currentItem: ReadonlySignal<Item | undefined> = computed(() =>
  items.value.find(({ id }) => id === itemId.value),
);
export const currentDictionary: ReadonlySignal<Dictionary | undefined> = computed(() =>
  dictionaries.value.find(({ id }) => id === dictionaryId.value),
);

let next = 1;

/** Add a picture and make it the current one. */
export function addItem(item: Omit<Item, "id">, { select = true } = {}): Item {
  const added = { ...item, id: next++ };
  items.value = [...items.value, added];
  if (select) itemId.value = added.id;
  return added;
}

export function selectItem(id: number): void {
  itemId.value = id;
}

/** Read a dictionary from the bytes of its file, and make it the current one. */
export async function addDictionary(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Dictionary> {
  const id = next++;
  const facts = await helper.run("openModel", { id, name, bytes });
  return keep({ id, name, facts, bytes });
}

/** Add a base dictionary, such as cropped wavelets, without learning. */
export async function addBase(base: string, shape: readonly number[]): Promise<Dictionary> {
  const id = next++;
  const { facts, bytes } = await helper.run("openBase", { id, base, shape });
  return keep({ id, name: `${base}, ${shape.join("×")}`, facts, bytes: bytes as Uint8Array<ArrayBuffer> });
}

/** Replace a dictionary by a newer version of itself, such as the last snapshot of a run. */
export async function renewDictionary(id: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const former = dictionaries.value.find((one) => one.id === id);
  if (!former) return;
  const facts = await helper.run("openModel", { id, name: former.name, bytes });
  dictionaries.value = dictionaries.value.map((one) => (one.id === id ? { ...one, facts, bytes } : one));
}

function keep(dictionary: Dictionary): Dictionary {
  dictionaries.value = [...dictionaries.value, dictionary];
  dictionaryId.value = dictionary.id;
  return dictionary;
}

/** Take a dictionary from the page; the one before it becomes the current one. */
export async function removeDictionary(id: number): Promise<void> {
  const at = dictionaries.value.findIndex((one) => one.id === id);
  if (at < 0) return;
  dictionaries.value = dictionaries.value.filter((one) => one.id !== id);
  const next = dictionaries.value[Math.max(0, at - 1)];
  if (dictionaryId.value === id) dictionaryId.value = next?.id ?? 0;
  await helper.run("closeModel", { id });
}

export function selectDictionary(id: number): void {
  dictionaryId.value = id;
}
