/** What the page starts with: two pictures made from a seed, and the base dictionary of the paper. */

import { helper } from "../engine/client";
import { addBase, addItem, items } from "./library";
import { notifyOf } from "./notices";

/** Pixels of a side. */
const size = 256;

/** The picture that is shown first. */
export const firstPicture = "Leaves 1";

export async function addBuiltIn(): Promise<void> {
  const pictures = helper.run("makePictures", { count: 2, size });
  addBase("cropped:sym8", [16, 16]).catch(notifyOf);
  for (const picture of await pictures) addItem(picture, { select: items.value.length === 0 });
}
