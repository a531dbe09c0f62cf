/** Finds Chromium: by the variable CHROME_PATH, or by its usual names on the PATH. */

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export const chromiumNames = ["chromium", "chromium-browser", "google-chrome"];

/** The program; undefined if it was not found. */
export function findChromium(): string | undefined {
  const { CHROME_PATH, PATH = "" } = process.env;
  if (CHROME_PATH) return isProgram(CHROME_PATH) ? CHROME_PATH : undefined;
  const folders = PATH.split(delimiter).filter((folder) => folder !== "");
  return chromiumNames.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
