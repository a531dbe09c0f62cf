/** Choices of the picture and the dictionary that a view works with, and a way to bring others. */

import {
  currentDictionary,
  currentItem,
  type Dictionary,
  dictionaries,
  type Item,
  items,
  selectDictionary,
  selectItem,
} from "../app/library";
import { Choice } from "./Choice";
import { FileButton } from "./FileButton";

/** `fits`: which of them the view can use. */
export function PictureChooser({ fits = () => true }: { readonly fits?: (item: Item) => boolean }) {
  const options = items.value.filter(fits).map(({ id, name }) => ({ value: String(id), text: name }));
  return (
    <div class="chooser">
      <Choice
        label="Picture"
        value={String(currentItem.value?.id ?? "")}
        options={options}
        onChange={(id) => selectItem(Number(id))}
      />
      <FileButton label="Open …" />
    </div>
  );
}

export function DictionaryChooser({ fits = () => true }: { readonly fits?: (one: Dictionary) => boolean }) {
  const options = dictionaries.value.filter(fits).map(({ id, name }) => ({ value: String(id), text: name }));
  return (
    <div class="chooser">
      <Choice
        label="Dictionary"
        value={String(currentDictionary.value?.id ?? "")}
        options={options}
        onChange={(id) => selectDictionary(Number(id))}
      />
      <FileButton label="Open …" />
    </div>
  );
}
