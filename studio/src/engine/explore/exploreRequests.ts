/** What the page asks the worker of atoms, and the rules that both know; without any computing. */

export const sorts = ["own", "use", "entropy", "variance", "frequency", "orientation", "similarity"] as const;
export type Sort = (typeof sorts)[number];

export interface OrderRequest {
  readonly sort: Sort;
  /** The atom that the others are compared with, for `similarity`. */
  readonly like: number;
}

/** Whether a shape is that of a colour picture, or of a window of one. */
export function isColour(shape: readonly number[]): boolean {
  return shape.length === 3 && shape[2] === 3;
}

/** Whether a picture has windows of a shape: as many axes, none too short, colour if it is one of colour. */
export function fitsPicture(window: readonly number[], picture: readonly number[]): boolean {
  return (
    picture.length === window.length &&
    isColour(picture) === isColour(window) &&
    window.every((size, axis) => size <= picture[axis])
  );
}
