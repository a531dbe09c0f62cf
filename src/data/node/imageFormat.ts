/**
 * The format of an image, by its first bytes. Only bytes of these formats are given to the
 * decoder, whatever else it could read: a decoder of documents, or one for scripts, would let
 * more in than pictures. The name of a file does not matter, except that SVG, which is a
 * program for drawing, is read only from files named `.svg`.
 */

import { isNetpbm } from "../formats/images/netpbm.js";

export type ImageFormat = "PNG" | "JPEG" | "WebP" | "TIFF" | "GIF" | "AVIF" | "SVG" | "BMP" | "Netpbm";

type FirstBytes = readonly [format: ImageFormat, offset: number, text: string];

const signatures: readonly FirstBytes[] = [
  ["PNG", 0, "\x89PNG\r\n\x1a\n"],
  ["JPEG", 0, "\xff\xd8\xff"],
  ["TIFF", 0, "II*\0"],
  ["TIFF", 0, "MM\0*"],
  ["TIFF", 0, "II+\0"], // BigTIFF
  ["TIFF", 0, "MM\0+"],
  ["GIF", 0, "GIF8"],
  ["BMP", 0, "BM"],
  ["WebP", 8, "WEBP"],
  ["AVIF", 4, "ftyp"], // the decoder rejects other files of this family, such as HEIC
];

/** How many bytes are searched for the first tag of an SVG, as in libvips. */
const svgBytes = 1000;

/** The format of bytes; undefined if it is not one of those that are read. */
export function imageFormatOf(bytes: Uint8Array): ImageFormat | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, svgBytes)); // one character per byte
  const known = signatures.find(([, offset, text]) => start.startsWith(text, offset));
  if (known) return known[0] === "WebP" && !start.startsWith("RIFF") ? undefined : known[0];
  if (isNetpbm(bytes)) return "Netpbm";
  return start.includes("<svg") ? "SVG" : undefined;
}

/** What an animation is that the decoder would read the first picture of, and nothing else; undefined for other images. */
export function unreadableAnimation(format: ImageFormat, bytes: Uint8Array): string | undefined {
  if (format === "AVIF" && String.fromCharCode(...bytes.subarray(8, 12)) === "avis") return "a moving AVIF";
  if (format !== "PNG") return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (type === "IDAT") return undefined; // the pictures would have been counted before
    if (type === "acTL") return view.getUint32(at + 8) > 1 ? "an animated PNG" : undefined;
  }
  return undefined;
}
