/** Figure 3 in the worker: the atoms of both 2-D constructions, and an atom that a patch crops. */

import { levelAtoms, type PlaneConstruction, placedAtoms, wavelet } from "trainlets/parts";
import type { Task } from "../protocol";
import { figureSize, patchSize, wholeSize } from "./settings";

const levels = Math.log2(wholeSize);

export interface PlacedResult {
  /** Atoms by place, one after the other, row by row. */
  readonly separable: Float32Array;
  readonly usual: Float32Array;
}

const paperPlacedAtoms: Task<{ readonly wavelet: string }, PlacedResult> = async (input) => {
  const atoms = (construction: PlaneConstruction) =>
    Float32Array.from(placedAtoms(figureSize, wavelet(input.wavelet), construction).data);
  return { separable: atoms("separable"), usual: atoms("usual") };
};

/** Along one axis: a wavelet or a scaling function of a level, at a sample. */
export interface AxisChoice {
  readonly level: number;
  readonly scaling: boolean;
  /** A multiple of 2^level is its place; others are rounded down. */
  readonly at: number;
}

export interface CroppedInput {
  readonly wavelet: string;
  readonly down: AxisChoice;
  readonly across: AxisChoice;
}

export interface CroppedResult {
  /** Before cropping, wholeSize × wholeSize. */
  readonly whole: Float32Array;
  /** The part in the patch, scaled to unit norm; zeros if nothing is left. */
  readonly cropped: Float32Array;
  /** The energy that is left, of 1. */
  readonly kept: number;
}

const paperCroppedAtom: Task<CroppedInput, CroppedResult> = async ({ wavelet: name, down, across }) => {
  const atoms = levelAtoms(wholeSize, wavelet(name), levels, "periodic");
  const axis = ({ level, scaling, at }: AxisChoice) => {
    const { [level - 1]: matrix } = scaling ? atoms.scaling : atoms.wavelets;
    return matrix.column(Math.floor(at / 2 ** level) % matrix.cols);
  };
  const [rows, columns] = [axis(down), axis(across)];
  const whole = Float32Array.from(
    { length: wholeSize ** 2 },
    (_, i) => rows[Math.floor(i / wholeSize)] * columns[i % wholeSize],
  );
  const first = (wholeSize - patchSize) / 2;
  const part = Float32Array.from({ length: patchSize ** 2 }, (_, i) => {
    const [r, c] = [Math.floor(i / patchSize), i % patchSize];
    return whole[(first + r) * wholeSize + first + c];
  });
  const kept = part.reduce((sum, value) => sum + value * value, 0);
  const cropped = kept > 0 ? part.map((value) => value / Math.sqrt(kept)) : part;
  return { whole, cropped, kept };
};

export const planeAtomTasks = { paperPlacedAtoms, paperCroppedAtom };
