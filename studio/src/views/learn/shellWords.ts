/** Names of files as words of a command line. */

/** A word of a shell (sh, bash, zsh): quoted where it needs it, and never taken for an option. */
export function shellWord(word: string): string {
  const safe = word.startsWith("-") ? `./${word}` : word;
  return /^[\w./:=,@%+-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

/** The file that holds the samples of a picture: its own, or one that the page can save. */
export function dataFile(name: string): string {
  return /\.[A-Za-z0-9]{2,5}$/.test(name) ? name : `${name.trim().toLowerCase().replaceAll(/\s+/g, "-")}.npy`;
}
