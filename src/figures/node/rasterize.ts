/** PNG from SVG, by sharp, with the fonts of the system. */

import sharp from "sharp";

/** Dots per inch; at 96, one unit of the SVG is one pixel. */
const density = 192;

/** Undefined if the system has no fonts: every letter would be an empty box. */
export async function rasterizeSvg(svg: Uint8Array): Promise<Uint8Array | undefined> {
  if (!(await hasFonts())) return undefined;
  return new Uint8Array(await sharp(svg, { density }).png().toBuffer());
}

let fontsFound: Promise<boolean> | undefined;

/** Whether two letters look different. */
function hasFonts(): Promise<boolean> {
  const draw = (letter: string) =>
    sharp(Buffer.from(`<svg width="40" height="40"><text x="4" y="32" font-size="30">${letter}</text></svg>`))
      .raw()
      .toBuffer();
  fontsFound ??= Promise.all([draw("T"), draw("O")]).then(([one, other]) => !one.equals(other));
  return fontsFound;
}
