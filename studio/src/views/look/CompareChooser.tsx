/** What the rebuilt picture is compared with: the original, another dictionary of the page, or a base of the same shape. */

import { useEffect } from "preact/hooks";
import {
  addBase,
  currentDictionary,
  currentItem,
  type Dictionary,
  dictionaries,
  selectDictionary,
} from "../../app/library";
import { notifyOf } from "../../app/notices";
import { whyNoFit } from "../../app/picturePart";
import { Choice } from "../../parts/Choice";
import { comparedWith } from "./lookSettings";

/** Bases that can be compared without learning, by the name that the library gives them. */
const bases = ["cropped:sym8", "odct:2", "wavelet:sym8"];

const baseName = (base: string, shape: readonly number[]) => `${base}, ${shape.join("×")}`;

function baseNames(): string[] {
  const shape = currentDictionary.value?.facts.shape ?? [];
  const present = dictionaries.value.map(({ name }) => name);
  return bases.map((base) => baseName(base, shape)).filter((name) => !present.includes(name));
}

function others(): readonly Dictionary[] {
  return dictionaries.value.filter(
    (one) => one.id !== currentDictionary.value?.id && !whyNoFit(currentItem.value, one),
  );
}

export function CompareChooser() {
  const names = [...new Set(others().map(({ name }) => name)), ...baseNames()];
  const options = [
    { value: "", text: "nothing" },
    { value: "original", text: "the original" },
    ...names.map((name) => ({ value: name, text: name })),
  ];
  return (
    <Choice
      label="Compare with"
      value={options.some(({ value }) => value === comparedWith.value) ? comparedWith.value : ""}
      options={options}
      help="With as many atoms per patch; drag the border."
      onChange={(value) => comparedWith.set(value)}
    />
  );
}

export interface Compared {
  readonly original: boolean;
  readonly dictionary: Dictionary | undefined;
}

const making = new Set<string>();

/** What the address asks for; a base that the page does not hold yet is made. */
export function useCompared(): Compared {
  const wanted = comparedWith.value;
  const dictionary = others().findLast(({ name }) => name === wanted);
  const isMissing = !dictionary && baseNames().includes(wanted);
  useEffect(() => {
    if (isMissing) void makeBase(wanted).catch(notifyOf);
  }, [isMissing, wanted]);
  return { original: wanted === "original", dictionary };
}

async function makeBase(name: string): Promise<void> {
  const shape = currentDictionary.value?.facts.shape;
  const base = bases.find((one) => shape && baseName(one, shape) === name);
  if (!shape || !base || making.has(name)) return;
  making.add(name);
  const before = currentDictionary.value;
  try {
    await addBase(base, shape);
    if (before) selectDictionary(before.id);
  } finally {
    making.delete(name);
  }
}
