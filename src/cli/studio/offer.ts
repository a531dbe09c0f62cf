/** What the page may ask for, as the server sees it; offers.ts makes such things of files. */

import { InputError } from "../../core/errors.js";

/** How the page takes it. */
export type OfferKind = "dictionary" | "picture" | "array";

export interface Offer {
  /** For people; no path that can be asked for. */
  readonly name: string;
  readonly kind: OfferKind;
  /** The size of its file, or of its part of an archive. */
  readonly bytes: number;
  open(): Promise<Content>;
}

/** A file to send as it is, or bytes that were made from one. */
export type Content =
  | { readonly type: string; readonly file: string }
  | { readonly type: string; readonly parts: readonly Uint8Array[] };

export interface Offers {
  readonly offers: readonly Offer[];
  /** Lines about what is not offered, and why. */
  readonly notes: readonly string[];
}

/** A file that is no longer the one that was named. */
export class MovedError extends InputError {}
