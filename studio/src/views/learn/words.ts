/** Numbers and texts as the view shows them. */

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

export function count(value: number): string {
  return whole.format(value);
}

/** Three digits that matter. */
export function short(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return "0";
  return Math.abs(value) >= 100 ? whole.format(value) : value.toPrecision(3);
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** Words of `--help` as a sentence. */
export function sentence(words: string): string {
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}
