/** The PNG of an SVG picture, by sharp; text is set in the fonts of the system. */

import sharp from "sharp";

/** Pixels for each unit of the SVG, as dots an inch: 96 is one to one. */
const density = 192;

export async function rasterizeSvg(svg: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await sharp(svg, { density }).png().toBuffer());
}
