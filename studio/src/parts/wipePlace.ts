/** Where the border of a wipe is, in percent, in the address of a view. */

import { addressed } from "../app/address";

export const wipePlace = addressed("wipe", 50, {
  read: (text) => {
    const place = Number(text);
    return text !== "" && place >= 0 && place <= 100 ? place : undefined;
  },
  write: String,
});
