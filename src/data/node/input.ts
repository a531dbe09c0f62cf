/** What signals are read from: a file or a member of an archive, and what is wanted of it. */

import type { Shape } from "../../core/shape.js";
import type { Content } from "./openFiles.js";
import type { Packed } from "./spool.js";

/** A file to read signals from, or a member of an archive; the shape of an array is known from its header. */
export type Input = (
  | { readonly kind: "image"; readonly path: string }
  | { readonly kind: "npy"; readonly path: string; readonly shape: readonly number[] }
) & {
  /** Where it is in an archive, and how it is compressed there. */
  readonly within?: Content;
  readonly packed?: Packed;
};

export interface ReadSignalsOptions {
  readonly patch: Shape;
  /** Told of every file that is left out, in one line. */
  readonly onSkip: (message: string) => void;
}
