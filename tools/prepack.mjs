/**
 * Runs before `npm pack` and `npm publish`: builds what is missing, and gives the files of the
 * package the permissions that users need, whatever the umask they were written under.
 */

import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ready, root } from "./ready.mjs";

ready();
const { bin, files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const programs = Object.values(bin).map((path) => join(root, path));
const listed = files.filter((name) => !name.startsWith("!") && name !== "dist");
for (const name of [...listed, "package.json", "README.md", "LICENSE"]) chmodSync(join(root, name), 0o644);
for (const entry of readdirSync(join(root, "dist"), { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath ?? entry.path, entry.name);
  chmodSync(path, entry.isDirectory() || programs.includes(path) ? 0o755 : 0o644);
}
