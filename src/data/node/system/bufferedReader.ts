/** A reader of a file that fetches 64 KiB at a time: headers of small parts are close to each other. */

import type { ReadBytes } from "../../formats/readBytes.js";
import { shownPath } from "./fileNames.js";
import type { ByteRange, OpenFiles } from "./openFiles.js";

export function bufferedReader(files: OpenFiles, whole: ByteRange): ReadBytes {
  const name = shownPath(whole.file);
  const buffer = new Uint8Array(Math.min(whole.length, 2 ** 16));
  let at = 0;
  let held = 0;
  return async (offset: number, length: number): Promise<Uint8Array> => {
    const end = Math.max(offset, Math.min(offset + length, whole.length));
    if (end - offset > buffer.length) {
      const bytes = new Uint8Array(end - offset);
      await files.read(whole, offset, bytes, name);
      return bytes;
    }
    if (end > offset && (offset < at || end > at + held)) {
      at = offset;
      held = Math.min(buffer.length, whole.length - offset);
      await files.read(whole, at, buffer.subarray(0, held), name);
    }
    return buffer.slice(offset - at, end - at);
  };
}
