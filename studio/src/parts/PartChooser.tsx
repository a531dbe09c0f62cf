/** Which part of a large picture is worked on; nothing is shown for a small one. */

import { currentItem } from "../app/library";
import { mostWhole, part, partSize, parts, whyNoPicture } from "../app/picturePart";
import { Choice } from "./Choice";

export function PartChooser() {
  const item = currentItem.value;
  if (!item || whyNoPicture(item)) return null;
  const [height, width] = item.shape;
  const most = Math.max(height, width);
  const [rows, columns] = partSize(item);
  const isWhole = rows === height && columns === width;
  if (most <= 256 && isWhole) return null;
  const sides = parts.filter((side) => Number(side) < most);
  const allFits = height * width <= mostWhole;
  const options = [
    ...(allFits ? [{ value: "whole" as const, text: `all of it, ${height}×${width}` }] : []),
    ...sides.map((side) => ({ value: side, text: `the middle ${side}×${side}` })),
  ];
  const value =
    part.value === "auto" || !options.some((one) => one.value === part.value) ? shown() : part.value;
  function shown() {
    return isWhole ? ("whole" as const) : ("1024" as const);
  }
  return (
    <Choice
      label="Part of the picture"
      value={value}
      options={options}
      {...(allFits ? {} : { help: `${height}×${width} is too large to be worked on as a whole.` })}
      onChange={(chosen) => part.set(chosen)}
    />
  );
}
