/** What the address says of the view: `#/explore?sort=use&atom=17&size=48&terms=5`. Atoms are counted from 1. */

import { addressed, integer, oneOf } from "../../app/address";
import { type Sort, sorts } from "../../engine/explore/exploreRequests";
import { tileSizes } from "./galleryLayout";

const most = 2 ** 31 - 1;

export const sort = addressed<Sort>("sort", "own", oneOf(sorts));
export const show = addressed<"all" | "families">("show", "all", oneOf(["all", "families"]));
/** The selected atom. */
export const atom = addressed("atom", 1, integer(1, most));
/** The atom that others are compared with, if sorted by similarity. */
export const like = addressed("like", 1, integer(1, most));
/** About the side of a tile; 0: as it suits the dictionary. */
export const size = addressed("size", 0, integer(0, tileSizes.most));
/** Terms of the sum; all by default. */
export const terms = addressed("terms", most, integer(0, most));

export const allTerms = most;

/** An atom of the address, from 0, if the dictionary has as many. */
export function atomIn(setting: { readonly value: number }, count: number): number {
  return Math.min(setting.value, count) - 1;
}
