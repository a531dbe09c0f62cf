/**
 * Text from elsewhere (names of files, what files say) made safe to show: characters that a
 * terminal obeys, that end a line, or that change the order of letters are written as escapes,
 * `\x1b`. Bytes of file names that are not UTF-8 come as the surrogates U+DC80 to U+DCFF, and
 * are shown as the bytes they stand for.
 */

/** C0 and C1 controls, DEL, line and paragraph separators, bidirectional controls, byte-order marks, lone surrogates. */
const hidden = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A single line: newlines are escaped as well. */
export function visibleLine(text: string): string {
  return text.replace(hidden, escapeOf);
}

/** A text of several lines: newlines stay. */
export function visibleText(text: string): string {
  return text.replace(hidden, (character) => (character === "\n" ? character : escapeOf(character)));
}

function escapeOf(character: string): string {
  const code = character.charCodeAt(0);
  const isByte = code >= 0xdc80 && code <= 0xdcff;
  if (code <= 0xff || isByte) return named[character] ?? `\\x${hex(isByte ? code - 0xdc00 : code, 2)}`;
  return `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
