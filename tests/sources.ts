/**
 * The source files of the project and their imports, found with regular expressions:
 * enough for code formatted by Biome, where an import starts a line.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

export interface SourceFile {
  /** Relative to the root, with forward slashes: `src/core/random/rng.ts`. */
  readonly path: string;
  readonly text: string;
  /** Files of the project that it imports, also for types, as such paths. */
  readonly imports: readonly string[];
  /** Packages and Node built-ins it imports, as written: `node:fs`, `fflate`. */
  readonly packages: readonly string[];
}

export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

export function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** All files under a folder, sorted, as paths relative to the root. */
export function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
    .sort();
}

/** Whether a file is a test, or a case that tests share: not part of the package. */
export function isTest(path: string): boolean {
  return /\.(test|case)\.ts$/.test(path);
}

export function readSources(folder: string): SourceFile[] {
  return listFiles(folder)
    .filter((path) => /\.tsx?$/.test(path) && !path.includes("/assembly/")) // AssemblyScript: another language
    .map((path) => {
      const text = read(path);
      const specifiers = importedBy(text);
      return {
        path,
        text,
        imports: specifiers.filter(isRelative).map((specifier) => resolve(path, specifier)),
        packages: specifiers.filter((specifier) => !isRelative(specifier)),
      };
    });
}

/** What a text imports, as written: `import … from`, `export … from`, `import "…"`, `import("…")`. */
export function importedBy(text: string): string[] {
  const code = withoutComments(text);
  const statement = /^\s*(?:import|export)\b[^'";]*?\bfrom\s*["']([^"']+)["']/gm;
  const bare = /^\s*import\s*["']([^"']+)["']/gm;
  const call = /\bimport\(\s*["']([^"']+)["']/g;
  const found = [statement, bare, call].flatMap((pattern) => [...code.matchAll(pattern)]);
  return [...new Set(found.map((match) => match[1]))];
}

/** Without comments that are preceded by a space or start a line; also inside strings. */
export function withoutComments(text: string): string {
  return text.replace(/^#!.*/, "").replace(/(^|\s)\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "$1$2");
}

/** Whether a file declares or re-exports a symbol, which may be `Class.member`. */
export function declares(text: string, symbol: string): boolean {
  const [name, member] = symbol.split(".", 2);
  const code = withoutComments(text);
  const word = `${escapePattern(name)}(?![\\w$])`;
  const declared = new RegExp(
    `^(?:export\\s+)?(?:declare\\s+|abstract\\s+|async\\s+)*(?:function\\*?|const|let|class|interface|type|enum)\\s+${word}`,
    "m",
  );
  const exported = new RegExp(`^export\\s+(?:type\\s+)?\\{[^}]*(?<![\\w$])${word}[^}]*\\}`, "m");
  if (!declared.test(code) && !exported.test(code)) return false;
  if (member === undefined) return true;
  const modifiers = "(?:(?:static|readonly|async|abstract|override|get|set)\\s+)*\\*?";
  return new RegExp(`^\\s+${modifiers}${escapePattern(member)}\\s*[(<:?=!,;]`, "m").test(code);
}

/** Cycles of files that import each other; a file that imports itself is a cycle, too. */
export function cycles(files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: string[][] = [];
  const visit = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    for (const next of byPath.get(path)?.imports ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith(".");
}

/** `./rng.js` as written in src/core/matrix.ts is src/core/random/rng.ts; in the studio, files have no ending. */
function resolve(from: string, specifier: string): string {
  const path = posix.join(dirname(from), specifier);
  const candidates = [path.replace(/\.js$/, ".ts"), `${path}.ts`, `${path}.tsx`];
  return candidates.find((one) => one !== path && exists(one)) ?? path;
}

function escapePattern(name: string): string {
  return name.replace(/[$.*+?^()[\]{}|\\]/g, "\\$&");
}
