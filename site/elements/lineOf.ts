/** A value as consoles print it: text as it is, lists and plain objects as in code. */
export function lineOf(value: unknown): string {
  return typeof value === "string" ? value : written(value);
}

function written(value: unknown): string {
  if (typeof value === "string") return `'${value}'`;
  if (value instanceof Error) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[ ${value.map(written).join(", ")} ]`;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView))
    return `${value.constructor.name}(${(value as Float32Array).length}) ${written([...(value as Float32Array)])}`;
  if (typeof value !== "object" || value === null) return String(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${written(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
