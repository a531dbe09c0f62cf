/** Where a command writes: checked before any work. */

import { extname } from "node:path";
import { InputError, show } from "../../core/errors.js";
import { requireWritable } from "../../data/node/files.js";

/** Refuse an output that could not be written, or whose name promises another format (`/dev/null` promises none). */
export async function requireOutput(path: string, caller: string, formats: readonly string[]): Promise<void> {
  const ending = extname(path).toLowerCase();
  if (path === "" || (ending !== "" && !formats.includes(ending))) {
    throw new InputError(`${caller}: --output must end in ${formats.join(" or ")}, got ${show(path)}`);
  }
  await requireWritable(path);
}
