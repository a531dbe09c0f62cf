/**
 * What the files of bench/results must be, by their hashes in storedHashes.json: a number that is changed by hand changes the
 * pages, and `npm run docs` would make them agree with it. Claims that are judged anew are left out: they follow from the numbers.
 *
 * `npm run docs` does not write the hashes. After a new measurement: `TRAINLETS_HASHES=write npx vitest run tests/claims.test.ts`.
 */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { read } from "../sources.js";
import { judgedExperiments } from "./judgedAnew.js";
import {
  type StoredMeasurements,
  type StoredResult,
  storedMeasurements,
  storedResults,
} from "./storedResults.js";

const path = "tests/docs/storedHashes.json";

export const acceptsHashes = process.env.TRAINLETS_HASHES === "write";

/** The hashes that are written down, by file. */
export function knownHashes(): Record<string, string> {
  return JSON.parse(read(path));
}

/** The hashes of the files as they are. */
export function presentHashes(): Record<string, string> {
  const hashes = [
    ...storedResults().map(hashOfResult),
    ...storedMeasurements().map(({ file, text }: StoredMeasurements) => [file, hash(text)]),
  ];
  return Object.fromEntries(hashes.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function writeHashes(): void {
  const text = `${JSON.stringify(presentHashes(), null, 2)}\n`;
  writeFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), text);
}

export function hashOfResult({ file, text }: Pick<StoredResult, "file" | "text">): [string, string] {
  const { claims, ...measured } = JSON.parse(text);
  const kept = judgedExperiments.includes(measured.experiment) ? measured : { ...measured, claims };
  return [file, hash(JSON.stringify(kept))];
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
