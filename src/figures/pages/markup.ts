/**
 * Elements of SVG and HTML. Text is escaped, so that it is safe inside an element
 * as well as inside a quoted attribute.
 */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that XML 1.0 does not allow, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
const unprintable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** `text` with markup characters escaped, and characters that XML forbids replaced by U+FFFD. */
export function escapeMarkup(text: string): string {
  return text.replace(unprintable, "\ufffd").replace(/[&<>"']/g, (character) => entities[character]);
}

/** An element that holds text. */
export function element(name: string, text: string, className?: string, attributes = ""): string {
  return tag(name, escapeMarkup(text), className, attributes);
}

/** The same, or nothing if there is no text. */
export function optional(name: string, text: string | undefined, className?: string): string {
  return text === undefined ? "" : `${element(name, text, className)}\n`;
}

/** An element that holds markup. */
export function tag(name: string, markup: string, className?: string, attributes = ""): string {
  const classes = className === undefined ? "" : ` class="${className}"`;
  return `<${name}${classes}${attributes}>${markup}</${name}>`;
}
