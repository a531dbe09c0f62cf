/** Numbers as people read them: times, counts, sizes. */

/** `95` → `1:35`, `4000` → `1:06:40`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const two = (value: number) => String(value).padStart(2, "0");
  const rest = two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** `1234567` → `1,234,567`. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** `1 atom`, `2,000 atoms`; `3 patches` where the plural is given. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(value)} ${value === 1 ? noun : plural}`;
}

/** Four significant digits: `15.20`, `0.0001234`; whole numbers from 1,000 on, and `1.234e+30` from a thousand million on. */
export function rounded(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1e9) return value.toExponential(3);
  return Math.abs(value) >= 1000 ? grouped(value) : value.toPrecision(4);
}

/** Bytes: `0.5 KiB`, `640 KiB`, `1.8 GiB`. */
export function byteSize(bytes: number): string {
  const units = ["KiB", "MiB", "GiB", "TiB"] as const;
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[power - 1]}`;
}
