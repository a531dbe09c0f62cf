/** The licences of packages that are part of a bundle, which must go wherever the bundle goes. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./ready.mjs";

/** The names of the packages that modules of a bundle come from, by the paths of the modules. */
export function packagesOf(modules) {
  const found = modules.map(
    (id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/"))?.[1],
  );
  return [...new Set(found.filter((name) => name !== undefined))].sort();
}

/** The licence of the project, and those of packages. */
export function licences(packages) {
  const own = readFileSync(join(root, "LICENSE"), "utf8");
  const texts = packages.map((name) => {
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt"]
      .map((one) => join(root, "node_modules", name, one))
      .find((path) => existsSync(path));
    if (!file) fail(`build: the package ${name} has no licence file`);
    return `\n${name}\n\n${readFileSync(file, "utf8")}`;
  });
  return [own, ...texts].join("\n");
}
