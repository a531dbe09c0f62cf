/** The files of an experiment, in its folder. */

import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { fileError, ifMissing, writeFileAtomic } from "../../data/node/files.js";
import { type Result, resultName, resultToText } from "../../experiments/results/result.js";
import type { OutcomeFile } from "../../experiments/shared/experiment.js";
import { rasterizeSvg } from "../../figures/node/rasterize.js";

/**
 * Write all files, an SVG also as PNG if fonts are installed, and the result last; their names. A run that was
 * interrupted has no result, and removes that of a run before it.
 */
export async function writeOutcome<R extends Result | undefined>(
  folder: string,
  files: readonly OutcomeFile[],
  makeResult: (names: readonly string[]) => Promise<R> | R,
): Promise<{ readonly names: readonly string[]; readonly result: R }> {
  const names: string[] = [];
  const write = async (name: string, bytes: Uint8Array) => {
    await writeFileAtomic(join(folder, name), bytes);
    names.push(name);
  };
  for (const { name, bytes } of files) {
    const png = name.endsWith(".svg") ? await rasterizeSvg(bytes) : undefined;
    if (png) await write(name.replace(/svg$/, "png"), png);
    await write(name, bytes);
  }
  const result = await makeResult([...names]);
  if (result) await write(resultName, new TextEncoder().encode(resultToText(result)));
  else await removeFile(join(folder, resultName));
  return { names, result };
}

async function removeFile(path: string): Promise<void> {
  await unlink(path)
    .catch(ifMissing)
    .catch((error) => {
      throw fileError(error, `${path} cannot be removed`, "no such file");
    });
}
