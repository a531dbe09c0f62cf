/** What each of the three modes is given. */

import type { ComponentChildren } from "preact";
import type { PicturePart } from "../../app/picturePart";

export interface ModeProps {
  readonly picture: PicturePart;
  /** The choosers of picture and dictionary. */
  readonly sources: ComponentChildren;
}
