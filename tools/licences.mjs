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

/**
 * The licence of the project, and those of packages in some folders of packages. A package without a licence file is
 * refused, or, with `brief`, stands there with what its package.json says.
 */
export function licences(packages, folders = ["node_modules"], { brief = false } = {}) {
  const own = readFileSync(join(root, "LICENSE"), "utf8");
  const texts = packages.map((name) => {
    const file = folders
      .flatMap((folder) =>
        ["LICENSE", "LICENSE.md", "LICENSE.txt"].map((one) => join(root, folder, name, one)),
      )
      .find((path) => existsSync(path));
    if (!file && !brief) fail(`build: the package ${name} has no licence file`);
    return `\n${name}\n\n${file ? readFileSync(file, "utf8") : statedLicence(name, folders)}`;
  });
  return [own, ...texts].join("\n");
}

function statedLicence(name, folders) {
  const file = folders
    .map((folder) => join(root, folder, name, "package.json"))
    .find((path) => existsSync(path));
  const { license, author, homepage = "" } = file ? JSON.parse(readFileSync(file, "utf8")) : {};
  if (!license) fail(`build: the package ${name} names no licence`);
  return `${license}, ${author?.name ?? author ?? ""} ${homepage}\n`;
}
