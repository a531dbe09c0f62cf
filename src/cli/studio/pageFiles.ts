/** The files of the built page, which come with the package. */

import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const builtPage = fileURLToPath(new URL("../../studio", import.meta.url));

/** Every file by its address, `/assets/…` or `/`; there are no others, whatever is asked for. */
export async function findPageFiles(folder = builtPage): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = new Map<string, string>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    files.set(`/${relative(folder, path).replaceAll(sep, "/")}`, path);
  }
  const index = files.get("/index.html");
  if (index === undefined)
    throw new Error(`the page is not built: ${folder} is missing; run \`npm run build\` in the clone`);
  return files.set("/", index);
}
