/** The files of an experiment, in its folder. */

import { join } from "node:path";
import { writeFileAtomic } from "../../data/node/files.js";
import { type Result, resultName, resultToText } from "../../experiments/results/result.js";
import type { OutcomeFile } from "../../experiments/shared/experiment.js";
import { rasterizeSvg } from "../../figures/node/rasterize.js";

/** Write all files, an SVG also as PNG if fonts are installed, and the result last; their names. */
export async function writeOutcome(
  folder: string,
  files: readonly OutcomeFile[],
  makeResult: (names: readonly string[]) => Promise<Result>,
): Promise<{ readonly names: readonly string[]; readonly result: Result }> {
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
  await write(resultName, new TextEncoder().encode(resultToText(result)));
  return { names, result };
}
