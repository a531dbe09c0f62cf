/** The PNG of an SVG picture, by sharp; text is set in the fonts of the system. */

import sharp from "sharp";

/** Pixels for each unit of the SVG, as dots an inch: 96 is one to one. */
const density = 192;

/** Undefined where the system has no fonts: every letter would be an empty box. */
export async function rasterizeSvg(svg: Uint8Array): Promise<Uint8Array | undefined> {
  if (!(await hasFonts())) return undefined;
  return new Uint8Array(await sharp(svg, { density }).png().toBuffer());
}

let known: Promise<boolean> | undefined;

/** Whether two letters look different. */
function hasFonts(): Promise<boolean> {
  const draw = (letter: string) =>
    sharp(Buffer.from(`<svg width="40" height="40"><text x="4" y="32" font-size="30">${letter}</text></svg>`))
      .raw()
      .toBuffer();
  known ??= Promise.all([draw("T"), draw("O")]).then(([one, other]) => !one.equals(other));
  return known;
}
