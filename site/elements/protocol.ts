/** What pages and the engine say to each other. */

/** A call: run an example, or measure. */
export type Call = { readonly example: string } | { readonly jobs: readonly string[] };

/** What comes back while it runs. */
export type Report =
  /** A line that an example prints. */
  | { readonly line: string }
  /** A device that will be measured; or why it is not there. */
  | { readonly device: "gpu" | "cpu"; readonly description: string }
  | { readonly device: "gpu" | "cpu"; readonly missing: string }
  /** A job on a device: it begins, and ends with a rate or with the reason why it has none. */
  | { readonly device: "gpu" | "cpu"; readonly job: string }
  | { readonly device: "gpu" | "cpu"; readonly job: string; readonly patchesPerSecond: number }
  | { readonly device: "gpu" | "cpu"; readonly job: string; readonly failed: string }
  | { readonly done: true }
  | { readonly failed: string };
