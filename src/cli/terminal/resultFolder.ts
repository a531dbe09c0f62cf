/** The folder of a command's results: made before the work, filled after it. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../core/errors.js";
import { fileError, requireWritable, writeFileAtomic } from "../../data/node/files.js";
import type { OutcomeFile } from "../../experiments/shared/experiment.js";
import { rasterizeSvg } from "../../figures/node/rasterize.js";

/** Make a folder that files can be written to. */
export async function makeFolder(folder: string, caller: string, flag = "--output"): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new InputError(`${caller}: ${flag} must be a folder, got the file ${folder}`);
    throw fileError(error, `${caller}: folder ${folder} cannot be made`, "its name is not valid");
  }
  await requireWritable(join(folder, "index.html"));
}

/** Write all files, an SVG also as PNG where there are fonts; their names. */
export async function writeOutcome(folder: string, files: readonly OutcomeFile[]): Promise<string[]> {
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
  return names;
}
