/** What signals are read from: a file or a member of an archive, and what is wanted of it. */

import { emitWarning } from "node:process";

import type { Shape } from "../../core/shape.js";
import type { Deflated } from "./inflate.js";
import type { ByteRange } from "./openFiles.js";

/** A file to read signals from, or a member of an archive; the shape of an array is known from its header. */
export type Input = (
  | { readonly kind: "image"; readonly path: string }
  | { readonly kind: "npy"; readonly path: string; readonly shape: readonly number[] }
) & {
  /** Where it is in an archive, and how it is compressed there. */
  readonly within?: ByteRange;
  readonly packed?: Deflated;
};

/** Files, folders, globs and archives as the command line takes them: one path, several, or inputs that were inspected. */
export type InputList = string | readonly (string | Input)[];

export interface ReadSignalsOptions {
  /** The shape of the windows to cut; one number is a square of images, and a window of 1-D signals. */
  readonly patch: Shape | number;
  /** Called with one line for every file that is skipped; by default a warning of the process. */
  readonly onSkip?: ((message: string) => void) | undefined;
}

/** Where skipped files are reported by default. */
export function warnOfSkipped(message: string): void {
  emitWarning(message);
}
