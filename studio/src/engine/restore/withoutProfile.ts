/**
 * WebP and JPEG files without the colour profile that browsers add to what they encode: some 470 bytes, which would count
 * against them in a comparison of small grey pictures. Files of any other form stay as they are.
 */

type Bytes = Uint8Array<ArrayBuffer>;

export function withoutProfile(file: Bytes, type: string): Bytes {
  if (type === "image/webp") return plainWebp(file);
  return type === "image/jpeg" ? plainJpeg(file) : file;
}

/** RIFF: of an extended file, VP8X ICCP VP8, the last chunk alone. */
function plainWebp(file: Bytes): Bytes {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const names: string[] = [];
  let last = 12;
  for (let at = 12; at + 8 <= file.length; at += 8 + padded(view.getUint32(at + 4, true))) {
    names.push(String.fromCharCode(...file.subarray(at, at + 4)));
    last = at;
  }
  if (names.join() !== "VP8X,ICCP,VP8 ") return file;
  const plain = new Uint8Array(12 + file.length - last);
  plain.set(file.subarray(0, 12));
  plain.set(file.subarray(last), 12);
  new DataView(plain.buffer).setUint32(4, plain.length - 8, true);
  return plain;
}

const padded = (size: number) => size + (size & 1);

/** The segment APP2 holds the profile. */
const app2 = 0xe2;
const startOfScan = 0xda;

function plainJpeg(file: Bytes): Bytes {
  const parts: Bytes[] = [file.subarray(0, 2)];
  let at = 2;
  while (at + 4 <= file.length && file[at] === 0xff && file[at + 1] !== startOfScan) {
    const end = at + 2 + 256 * file[at + 2] + file[at + 3];
    if (file[at + 1] !== app2) parts.push(file.subarray(at, end));
    at = end;
  }
  parts.push(file.subarray(at));
  const plain = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let to = 0;
  for (const part of parts) {
    plain.set(part, to);
    to += part.length;
  }
  return plain;
}
