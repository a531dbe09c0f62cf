/** Short names for files, no two of them the same. */

/**
 * The last part of each path, with as many folders before it as it takes to tell the paths apart; equal paths are
 * numbered. No label is one of `taken`.
 */
export function uniqueLabels(paths: readonly string[], taken: readonly string[] = []): string[] {
  const parts = paths.map((path) => path.split(/[\\/]/).filter((part) => part !== "" && part !== "."));
  return numbered(
    parts.map((_, i) => shortest(parts, i, taken)),
    taken,
  );
}

/** Labels, with a number after those that are taken or came before: `a`, `a (2)`. */
export function numbered(labels: readonly string[], taken: readonly string[] = []): string[] {
  const used = new Set(taken);
  return labels.map((label) => {
    let name = label;
    for (let n = 2; used.has(name); n++) name = `${label} (${n})`;
    used.add(name);
    return name;
  });
}

/** The fewest last parts of path i that no other path ends in; all of them if that is not possible. */
function shortest(parts: readonly (readonly string[])[], i: number, taken: readonly string[]): string {
  const own = parts[i];
  const others = parts.filter((other) => other.join("/") !== own.join("/"));
  for (let count = 1; count < own.length; count++) {
    const label = own.slice(-count).join("/");
    const clashes = others.some((other) => other.slice(-count).join("/") === label);
    if (!clashes && !taken.includes(label)) return label;
  }
  return own.join("/");
}
