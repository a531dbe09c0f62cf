/**
 * Text made safe for SVG and HTML, inside an element as well as inside a quoted
 * attribute.
 */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that XML 1.0 cannot hold, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const unprintable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** `text` with markup characters escaped, and what XML forbids replaced by U+FFFD. */
export function escapeMarkup(text: string): string {
  return text.replace(unprintable, "\ufffd").replace(/[&<>"']/g, (character) => entities[character]!);
}
