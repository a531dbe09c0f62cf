/** Settings that denoising and filling share: which dictionary, and how far patches are apart. */

import { currentDictionary, type Dictionary } from "../../app/library";
import type { DictionaryChoice } from "../../engine/restore/restoreTasks";
import { Choice } from "../../parts/Choice";
import { Slider } from "../../parts/Slider";
import { patch, patches, source, step } from "./restoreSettings";

export function MethodFields() {
  const learns = source.value === "learn";
  return (
    <>
      <Choice
        label="With"
        value={source.value}
        options={[
          { value: "current", text: "the dictionary above" },
          { value: "learn", text: "one learned from this picture" },
        ]}
        onChange={(value) => source.set(value)}
      />
      {learns && (
        <Choice
          label="Patches"
          value={patch.value}
          options={patches.map((side) => ({ value: side, text: `${side}×${side}` }))}
          onChange={(value) => patch.set(value)}
        />
      )}
      <Slider
        label="Step between patches"
        value={step().value}
        min={1}
        max={8}
        shown={`${step().value} px`}
        help="Smaller is better and slower."
        onChange={(value) => step().set(value)}
      />
    </>
  );
}

export interface Method {
  readonly dictionary: DictionaryChoice;
  readonly step: number;
  /** What the worker must have. */
  readonly needed: Dictionary | undefined;
}

/** The settings as tasks take them, for a picture of this size; a step is at most the patch. */
export function methodOf({ width, height }: { readonly width: number; readonly height: number }): Method {
  const current = currentDictionary.value;
  if (source.value === "current" && current)
    return {
      dictionary: { model: current.id },
      step: Math.min(step().value, ...current.facts.shape),
      needed: current,
    };
  const side = Math.min(Number(patch.value), width, height);
  return { dictionary: { patch: side }, step: Math.min(step().value, side), needed: undefined };
}
