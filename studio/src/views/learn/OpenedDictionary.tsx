/** A dictionary that a person brought: learn on from it, or look at it. */

import { addressOf } from "../../app/address";
import { currentDictionary, currentItem, type Dictionary } from "../../app/library";
import { notify, notifyOf } from "../../app/notices";
import { isActive, learn, learned } from "./session";
import { deviceName, settings } from "./settings";
import { startChoices, startFrom } from "./startFrom";
import { count } from "./words";

export function OpenedDictionary() {
  const opened = currentDictionary.value;
  if (!opened || opened.id === learned.value?.id || opened.facts.meta.learner === "none") return null;
  const { atoms, shape } = opened.facts;
  return (
    <p class="earlier-run">
      <span>
        <strong>{opened.name}</strong>: {count(atoms)} atoms of {shape.join("×")}
      </span>
      <span class="row">
        <button type="button" disabled={isActive.value} onClick={() => learnFrom(opened)}>
          Continue learning from it
        </button>
        <a href={addressOf("explore")}>Explore its atoms</a>
      </span>
    </p>
  );
}

/** A run that starts from a dictionary, with the other settings of now. */
export function learnFrom(dictionary: Dictionary): void {
  const item = currentItem.peek();
  if (!startChoices.peek().some(({ id }) => id === dictionary.id)) {
    const why = `${dictionary.facts.shape.join("×")} atoms do not fit the picture, or the learner cannot start from them`;
    notify(`${dictionary.name}: ${why}`, "error");
    return;
  }
  startFrom(dictionary);
  const chosen = settings.peek();
  if (item && chosen)
    learn({ item, settings: chosen, device: deviceName.value, start: dictionary }).catch(notifyOf);
}
