/**
 * Elements of SVG and HTML. Text is escaped, so that it is safe inside an element
 * as well as inside a quoted attribute.
 */

import { visibleText } from "../../core/visibleText.js";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that XML 1.0 does not allow, not even escaped, besides control characters. */
const forbidden = /[\ufffe\uffff]/g;

/** `text` with markup characters escaped, control characters shown, and others that XML forbids replaced by U+FFFD. */
export function escapeMarkup(text: string): string {
  const shown = visibleText(text).replace(forbidden, "\ufffd");
  return shown.replace(/[&<>"']/g, (character) => entities[character]);
}

/** Text with a proper minus before numbers: `−0.3`, `1e−4`. */
export function withMinus(text: string): string {
  return text.replaceAll(/(^|[\s(]|\de)-(?=[\d.])/g, "$1−");
}

/** A relative path for an attribute: no part of it can be taken for a scheme such as `javascript:`. */
export function pathOf(path: string): string {
  return escapeMarkup(path.split("/").map(encodeURIComponent).join("/"));
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
