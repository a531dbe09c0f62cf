/**
 * Names of files, which are bytes to the system and text to everything else.
 *
 * A name need not be valid UTF-8: archives unpacked from older systems hold names in
 * Latin-1. A byte that is not part of valid UTF-8 becomes a lone surrogate, U+DC80 for
 * 0x80 to U+DCFF for 0xFF, as with Python's "surrogateescape", so a text stands for
 * exactly one name. `systemPath` makes the bytes again, and `shownPath` the text for
 * messages, where the byte is `\xff`.
 */

/** A byte that was not valid UTF-8. */
const escapedByte = /[\udc80-\udcff]/gu;

/** The text for the bytes of a name. */
export function nameFromBytes(bytes: Uint8Array): string {
  const whole = decodeUtf8(bytes);
  if (whole !== undefined) return whole;
  let name = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at]);
    const letter = decodeUtf8(bytes.subarray(at, at + length));
    name += letter ?? String.fromCharCode(0xdc00 + bytes[at]);
    at += letter === undefined ? 1 : length;
  }
  return name;
}

/** A path as the functions of the system take it. */
export function systemPath(path: string): string | Buffer {
  if (path.search(escapedByte) < 0) return path;
  const parts = Array.from(path, (letter) =>
    letter.search(escapedByte) < 0 ? Buffer.from(letter) : Buffer.of(letter.charCodeAt(0) - 0xdc00),
  );
  return Buffer.concat(parts);
}

/** A path for messages and records: text that any file or terminal can hold. */
export function shownPath(path: string): string {
  return path.replace(escapedByte, (byte) => `\\x${(byte.charCodeAt(0) - 0xdc00).toString(16)}`);
}

/** Bytes of the UTF-8 sequence that starts with this byte; 1 where none does. */
function sequenceLength(first: number): number {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
