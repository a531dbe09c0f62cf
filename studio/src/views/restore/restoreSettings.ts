/** The settings of the view, in its address. */

import { addressed, integer, type Kind, oneOf, type Setting } from "../../app/address";
import type { Stroke } from "../../engine/restore/restoreMask";

export const modes = ["denoise", "fill", "compress"] as const;
export const mode = addressed("mode", "denoise", oneOf(modes));

/** With the current dictionary, or with one that is learned from the picture. */
export const source = addressed("use", "current", oneOf(["current", "learn"]));
/** The side of a patch, if the dictionary is learned. */
export const patches = ["8", "12", "16"] as const;
export const patch = addressed("patch", "8", oneOf(patches));
/** Samples between patches; filling takes longer than denoising. */
const steps = {
  denoise: addressed("step", 2, integer(1, 8)),
  fill: addressed("step", 4, integer(1, 8)),
} as const;
export const step = (): Setting<number> => (mode.value === "fill" ? steps.fill : steps.denoise);
export const seed = addressed("seed", 1, integer(0, 9999));

/** The standard deviation of the noise that is added. */
export const sigma = addressed("sigma", 20, integer(0, 100));
export const levels = ["estimated", "known"] as const;
export const level = addressed("level", "estimated", oneOf(levels));

/** The radius of the brush in pixels. */
export const brush = addressed("brush", 6, integer(1, 60));
export const scratches = addressed("scratches", 6, integer(0, 40));
/** Percent of the samples. */
export const drop = addressed("drop", 0, integer(0, 100));

/** Lines of the brush as `6-10.12-14.20_3-…`: radius, and points as column and row. */
const strokeList: Kind<readonly Stroke[]> = {
  read: (text) => {
    if (!/^\d+(-\d+\.\d+)+(_\d+(-\d+\.\d+)+)*$/.test(text)) return undefined;
    return text.split("_").map((line) => {
      const [radius, ...points] = line.split("-");
      return { radius: Number(radius), points: points.flatMap((point) => point.split(".").map(Number)) };
    });
  },
  write: (value) =>
    value
      .map(({ radius, points }) => {
        const pairs = Array.from(
          { length: points.length / 2 },
          (_, i) => `${points[2 * i]}.${points[2 * i + 1]}`,
        );
        return [radius, ...pairs].join("-");
      })
      .join("_"),
};
export const holes = addressed<readonly Stroke[]>("holes", [], strokeList);
/** The same as one text, by which two lists can be compared. */
export const holesText = () => strokeList.write(holes.value);

/** The most bytes of the compressed file. */
export const bytes = addressed("bytes", 2000, integer(1, 10_000_000));
