/**
 * A picture of tiles, one of which is marked: with the pointer, or with the arrow keys. It is a button, so that Enter and a
 * click take the marked tile.
 */

import { PixelCanvas } from "../../parts/PixelCanvas";
import type { Pixels } from "../../parts/pixels";

export interface AtomGridProps {
  readonly pixels: Pixels;
  readonly columns: number;
  readonly rows: number;
  /** Pixels of the gap between tiles, in the picture. */
  readonly gap: number;
  /** What the tiles are, and what can be done. */
  readonly label: string;
  readonly at: number;
  /** Other tiles that are marked. */
  readonly taken?: readonly number[];
  readonly onMove: (tile: number) => void;
  readonly onTake?: (tile: number) => void;
}

const steps: Readonly<Record<string, readonly [down: number, across: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export function AtomGrid(props: AtomGridProps) {
  const { pixels, columns, rows, gap, label, at, taken = [], onMove, onTake } = props;
  const place = (tile: number) => {
    const [row, column] = [Math.floor(tile / columns), tile % columns];
    const [width, height] = [(pixels.width - gap) / columns, (pixels.height - gap) / rows];
    return {
      left: `${(100 * (column * width + gap / 2)) / pixels.width}%`,
      top: `${(100 * (row * height + gap / 2)) / pixels.height}%`,
      width: `${(100 * width) / pixels.width}%`,
      height: `${(100 * height) / pixels.height}%`,
    };
  };
  const under = (event: MouseEvent): number => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows);
    return clamp(row, 0, rows - 1) * columns + clamp(column, 0, columns - 1);
  };
  return (
    <button
      type="button"
      class="tiles"
      aria-label={`${label} Row ${Math.floor(at / columns) + 1}, column ${(at % columns) + 1}.`}
      onClick={(event) => {
        const tile = event.detail === 0 ? at : under(event);
        onMove(tile);
        onTake?.(tile);
      }}
      onKeyDown={(event) => {
        const step = steps[event.key];
        if (!step) return;
        event.preventDefault();
        const row = clamp(Math.floor(at / columns) + step[0], 0, rows - 1);
        onMove(row * columns + clamp((at % columns) + step[1], 0, columns - 1));
      }}
    >
      <PixelCanvas pixels={pixels} label="" crisp />
      {taken.map((tile) => (
        <span key={tile} class="mark taken" style={place(tile)} />
      ))}
      <span class="mark" style={place(at)} />
    </button>
  );
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
