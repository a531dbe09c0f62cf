/** Data that are grey where patches are colour, or the other way round: told apart by name. */

import { InputError } from "../errors.js";
import { formatShape, isColourShape, type Shape } from "../shape.js";

/**
 * The error for data of a shape that has no windows of `patch` because only one of them is colour; undefined for
 * everything else. `patchOf` is what the patch is that of: `the dictionary`, or the name of its file.
 */
export function colourMismatch(
  name: string,
  shape: Shape,
  patch: Shape,
  patchOf?: string,
): InputError | undefined {
  const colourPatch = isColourShape(patch) && shape.length === 2;
  const isStack = shape.length === 4 && isColourShape(shape.slice(1));
  const greyPatch = patch.length === 2 && (isStack || (isColourShape(shape) && shape[2] < patch[1]));
  if (!colourPatch && !greyPatch) return undefined;
  const [wanted, found] = colourPatch ? ["colour", "grey"] : ["grey", "colour"];
  const size = formatShape(patch);
  const rule = patchOf
    ? `${patchOf} is for ${wanted} patches (${size})`
    : `patches of ${size} are for ${wanted} pictures`;
  return new InputError(`${rule}, ${name} is ${found} (${formatShape(shape)})`, { argument: "patch" });
}
