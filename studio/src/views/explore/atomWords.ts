/** Numbers and atoms in words. */

export const grouped = (value: number): string => value.toLocaleString("en-US");

/** "used 1,203 times"; empty if the file has no counts. */
export function usedWords(uses: ArrayLike<number> | undefined, atom: number): string {
  if (!uses) return "";
  const count = uses[atom];
  return count === 0 ? "never used" : `used ${grouped(count)} ${count === 1 ? "time" : "times"}`;
}

/** "atom 17 of 256, used 1,203 times": what a screen reader says. */
export function atomWords(atom: number, count: number, uses?: ArrayLike<number>): string {
  const used = usedWords(uses, atom);
  return `atom ${grouped(atom + 1)} of ${grouped(count)}${used && `, ${used}`}`;
}

/** A number with its sign, a real minus included. */
export function signed(value: number, digits = 3): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 ? `−${text}` : `+${text}`;
}

/** A relative error in percent. */
export function percent(error: number): string {
  return `${(100 * error).toFixed(error < 0.1 ? 2 : 1)} %`;
}
