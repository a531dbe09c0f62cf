/** Why a picture and a dictionary do not fit, and those that do. */

import {
  addBase,
  currentDictionary,
  currentItem,
  dictionaries,
  items,
  selectDictionary,
  selectItem,
} from "../app/library";
import { notifyOf } from "../app/notices";
import { partSize, whyNoFit, whyNoPicture } from "../app/picturePart";

export function Misfit({ reason }: { readonly reason: string }) {
  const item = currentItem.value;
  const dictionary = currentDictionary.value;
  const fittingDictionaries = dictionaries.value.filter((one) => !whyNoFit(item, one));
  const fittingItems = items.value.filter((one) => !whyNoFit(one, dictionary));
  const side = item && !whyNoPicture(item) ? Math.min(16, ...partSize(item)) : 0;
  return (
    <div class="panel misfit">
      <p role="status">{reason}</p>
      <div class="row">
        {fittingDictionaries.map(({ id, name }) => (
          <button key={id} type="button" onClick={() => selectDictionary(id)}>
            Use {name}
          </button>
        ))}
        {side > 1 && fittingDictionaries.length === 0 && (
          <button type="button" onClick={() => void addBase("cropped:sym8", [side, side]).catch(notifyOf)}>
            Make cropped wavelets of {side}×{side}
          </button>
        )}
        {fittingItems.slice(0, 4).map(({ id, name }) => (
          <button key={id} type="button" onClick={() => selectItem(id)}>
            Use {name}
          </button>
        ))}
      </div>
    </div>
  );
}
