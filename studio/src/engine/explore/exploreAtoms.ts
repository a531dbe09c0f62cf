/**
 * The atoms of a model in the worker, and their tiles: one byte per shade, 128 for zero, each atom scaled by its own
 * largest magnitude, as `trainlets atoms` draws them. An atom of one axis is a trace: its samples as bytes.
 */

import type { DenseMatrix, Model, Shape } from "trainlets";
import { tileStyle } from "trainlets/parts";
import { onKernels } from "../onKernels";
import { pauses } from "../pauses";

/** How all atoms of a dictionary are drawn. */
export interface TileLook {
  readonly kind: "picture" | "trace";
  /** In samples. */
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
}

/** Tiles of some atoms, one after the other. */
export interface Tiles {
  readonly look: TileLook;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

let last: { readonly model: Model; readonly atoms: Promise<DenseMatrix> } | undefined;

/** D of a model; that of the last one is kept. */
export function atomsOf(model: Model): Promise<DenseMatrix> {
  if (last?.model === model) return last.atoms;
  const atoms = model.dictionary
    ? Promise.resolve(model.dictionary)
    : onKernels((kernels) => model.atoms(kernels));
  last = { model, atoms };
  atoms.catch(() => {
    if (last?.model === model) last = undefined;
  });
  return atoms;
}

function tileLookOf(shape: Shape): TileLook {
  if (shape.length === 1) return { kind: "trace", width: shape[0], height: 1, channels: 1 };
  const { width, height, channels } = tileStyle(shape);
  return { kind: "picture", width, height, channels };
}

/** The tiles of `count` atoms of a shape. */
export async function tilesOf(
  shape: Shape,
  count: number,
  atomAt: (atom: number) => Float32Array,
  signal: AbortSignal,
): Promise<Tiles> {
  const look = tileLookOf(shape);
  const size = look.width * look.height * look.channels;
  const bytes = new Uint8Array(size * count);
  const draw = look.kind === "trace" ? drawTrace : tileDrawer(shape, look);
  const pause = pauses(signal);
  for (let j = 0; j < count; j++) {
    draw(atomAt(j), bytes.subarray(j * size, (j + 1) * size));
    const due = pause();
    if (due) await due;
  }
  return { look, bytes };
}

function tileDrawer(shape: Shape, { width, channels }: TileLook) {
  const style = tileStyle(shape);
  return (atom: Float32Array, tile: Uint8Array) =>
    style.draw(atom, 1, {
      set(y, x, channel, shade) {
        tile[(y * width + x) * channels + channel] = shade;
      },
    });
}

function drawTrace(atom: Float32Array, tile: Uint8Array): void {
  let largest = 0;
  for (const value of atom) largest = Math.max(largest, Math.abs(value));
  const scale = 127 / (largest || 1);
  for (let i = 0; i < atom.length; i++) tile[i] = 128 + Math.round(scale * atom[i]);
}
