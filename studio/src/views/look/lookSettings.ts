/** The settings of the view, in its address. */

import { addressed, type Kind, oneOf, text } from "../../app/address";

/** Patches along an axis for each patch that would do. */
export const overlaps = ["1", "2", "4"] as const;

const wholeNumber: Kind<number> = {
  read: (value) => (/^\d{1,4}$/.test(value) ? Number(value) : undefined),
  write: String,
};

/** Row and column of a pixel. */
const place: Kind<readonly [number, number] | undefined> = {
  read: (value) => {
    const found = /^(\d{1,5}),(\d{1,5})$/.exec(value);
    return found ? [Number(found[1]), Number(found[2])] : undefined;
  },
  write: (value) => value?.join(",") ?? "",
};

/** k. */
export const atomsPerPatch = addressed("atoms", 4, wholeNumber);
export const overlap = addressed("overlap", "1", oneOf(overlaps));
/** The pixel whose patch is shown; by default one in the middle. */
export const at = addressed("at", undefined, place);
/** What the rebuilt picture is compared with: nothing, "original", or the name of a dictionary. */
export const comparedWith = addressed("with", "", text);
/** Whose atoms are shown up close, where two dictionaries are compared. */
export const closeUp = addressed<"first" | "second">("of", "first", oneOf(["first", "second"]));
