/** What `info` knows of a file. */

/** What is known of a file, in words and as values. */
export interface FileFacts {
  /** One line: what it is. */
  readonly what: string;
  /** Names and values, in words. */
  readonly rows: readonly (readonly [string, string])[];
  /** Command lines that use it. */
  readonly use: readonly string[];
  /** The same as values; `kind` says what it is. */
  readonly json: { readonly kind: string } & Readonly<Record<string, unknown>>;
}
