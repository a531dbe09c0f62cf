/** One patch up close: as it is, as the atoms make it, and the atoms with their coefficients, adding up one by one. */

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { PatchFacts, PatchPart } from "../../engine/look/lookTasks";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { signedPixels } from "../../parts/pixels";
import { rangedPixels } from "../../parts/rangedPixels";
import type { Looking } from "./useLook";
import type { Place } from "./usePlace";

export interface PatchPanelProps {
  readonly result: NonNullable<Looking["result"]>;
  readonly facts: PatchFacts | undefined;
  readonly place: Place;
  readonly k: number;
  /** What stands below the title. */
  readonly children?: ComponentChildren;
}

/** Atoms that are drawn; the others are counted. */
const mostTiles = 32;

export function PatchPanel({ result, facts, place, k, children }: PatchPanelProps) {
  const [height, width] = result.grid.patch;
  if (!facts || facts.patch.length !== height * width) return <div class="look-panel" />;
  const { patch, approximation, parts, mean } = facts;
  const range = rangeOf(patch);
  const largest = parts.reduce((most, { coefficient }) => Math.max(most, Math.abs(coefficient)), 0);
  const shown = parts.slice(0, mostTiles);
  return (
    <section class="look-panel panel" aria-label="The patch">
      <h2>
        One patch{" "}
        <small>
          row {place.row + 1}, column {place.column + 1}
        </small>
      </h2>
      {children}
      <div class="look-pair">
        <Square samples={patch} size={[height, width]} range={range} label="The patch" />
        <Square
          samples={approximation}
          size={[height, width]}
          range={range}
          label={k === 0 ? "Its mean" : counted(parts.length)}
          detail={`error ${rms(patch, approximation).toFixed(2)}`}
        />
      </div>
      <p class="help">
        {`Mean ${mean.toFixed(1)}`}
        {parts.length > 0 && ", then atom by atom; to the right, the sum so far"}.
        {parts.length < k && " More atoms would add nothing."}
      </p>
      <ol class="look-atoms">
        {shown.map((part) => (
          <Tile key={part.atom} part={part} size={[height, width]} range={range} largest={largest} />
        ))}
      </ol>
      {parts.length > mostTiles && <p class="help">and {counted(parts.length - mostTiles)} more</p>}
    </section>
  );
}

function counted(atoms: number): string {
  return `${atoms} ${atoms === 1 ? "atom" : "atoms"}`;
}

interface SquareProps {
  readonly samples: Float32Array;
  readonly size: readonly [number, number];
  readonly range: readonly [number, number];
  readonly label: string;
  readonly detail?: string;
}

function Square({ samples, size: [height, width], range, label, detail }: SquareProps) {
  return (
    <figure>
      <PixelCanvas pixels={rangedPixels(width, height, samples, range)} label={label} crisp />
      <figcaption>
        {label}
        {detail && <span>{detail}</span>}
      </figcaption>
    </figure>
  );
}

interface TileProps {
  readonly part: PatchPart;
  readonly size: readonly [number, number];
  readonly range: readonly [number, number];
  readonly largest: number;
}

function Tile({ part, size: [height, width], range, largest }: TileProps) {
  const { atom, coefficient, samples, sum } = part;
  const pixels = useMemo(() => signedPixels(width, height, samples), [samples]);
  const words = coefficient.toFixed(1).replace("-", "−");
  return (
    <li>
      <PixelCanvas pixels={pixels} label={`Atom ${atom}`} crisp />
      <div class="look-bar">
        <span class="number">{words}</span>
        <span
          class={coefficient < 0 ? "signed minus" : "signed"}
          style={{ "--share": largest > 0 ? Math.abs(coefficient) / largest : 0 }}
        />
        <span class="name">atom {atom}</span>
      </div>
      <PixelCanvas
        pixels={rangedPixels(width, height, sum, range)}
        label={`The sum up to atom ${atom}`}
        crisp
      />
    </li>
  );
}

function rangeOf(samples: Float32Array): [number, number] {
  return [samples.reduce((a, b) => Math.min(a, b)), samples.reduce((a, b) => Math.max(a, b))];
}

function rms(a: Float32Array, b: Float32Array): number {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0) / a.length);
}
