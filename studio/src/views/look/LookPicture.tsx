/** The rebuilt picture, alone or with a wipe beside the original or another dictionary, and a frame around one patch. */

import { useMemo, useRef } from "preact/hooks";
import type { PatchGrid } from "../../engine/look/patchGrid";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { greyPixels } from "../../parts/pixels";
import { isCrisp, rangedPixels } from "../../parts/rangedPixels";
import { Wipe } from "../../parts/Wipe";
import { wipePlace } from "../../parts/wipePlace";
import type { Looking } from "./useLook";
import type { Place } from "./usePlace";

type Result = NonNullable<Looking["result"]>;

export interface LookPictureProps {
  readonly result: Result;
  readonly second: Result | undefined;
  /** Whether the original is beside it. */
  readonly original: boolean;
  readonly k: number;
  readonly place: Place;
  /** The grid of the patch that is shown up close. */
  readonly grid: PatchGrid;
}

function useFrame(result: Result | undefined, k: number) {
  return useMemo(() => {
    if (!result) return undefined;
    const { width, height } = result.picture;
    const size = width * height;
    return greyPixels(width, height, result.frames.subarray(k * size, (k + 1) * size));
  }, [result, k]);
}

export function LookPicture({ result, second, original, k, place, grid }: LookPictureProps) {
  const { picture, dictionary } = result;
  const box = useRef<HTMLDivElement>(null);
  const rebuilt = useFrame(result, k);
  const other = useFrame(second, k);
  const given = useMemo(
    () => rangedPixels(picture.width, picture.height, picture.data, picture.range),
    [picture],
  );
  const pixelAt = (event: PointerEvent | MouseEvent): [number, number] | undefined => {
    const canvas = box.current?.querySelector("canvas")?.getBoundingClientRect();
    if (!canvas) return undefined;
    const y = ((event.clientY - canvas.top) / canvas.height) * picture.height;
    const x = ((event.clientX - canvas.left) / canvas.width) * picture.width;
    return y >= 0 && x >= 0 && y < picture.height && x < picture.width
      ? [Math.floor(y), Math.floor(x)]
      : undefined;
  };
  if (!rebuilt) return null;
  const crisp = isCrisp(picture);
  const label = `${picture.name} through ${dictionary.name}`;
  const marker = <Marker grid={grid} picture={picture} place={place} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the frame inside moves with the arrow keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      ref={box}
      class="look-picture"
      style={{ "--ratio": picture.width / picture.height }}
      onPointerMove={(event) => {
        if (event.pointerType === "mouse" && event.buttons === 0) place.hover(pixelAt(event));
      }}
      onPointerLeave={() => place.hover(undefined)}
      onClick={(event) => {
        const pixel = pixelAt(event);
        if (pixel) place.keep(pixel);
      }}
    >
      {other && second ? (
        <Wipe
          left={{ pixels: rebuilt, label: dictionary.name }}
          right={{ pixels: other, label: second.dictionary.name }}
          place={wipePlace}
          crisp={crisp}
        >
          {marker}
        </Wipe>
      ) : original ? (
        <Wipe
          left={{ pixels: given, label: "Original" }}
          right={{ pixels: rebuilt, label: "Rebuilt" }}
          place={wipePlace}
          crisp={crisp}
        >
          {marker}
        </Wipe>
      ) : (
        <figure class="look-alone">
          <PixelCanvas pixels={rebuilt} label={label} crisp={crisp} />
          {marker}
        </figure>
      )}
    </div>
  );
}

const moves: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

interface MarkerProps {
  readonly grid: PatchGrid;
  readonly picture: { readonly width: number; readonly height: number };
  readonly place: Place;
}

/** The frame around the patch that is shown; it can have the focus, and moves with the arrow keys. */
function Marker({ grid, picture, place }: MarkerProps) {
  const { patch, tops, lefts } = grid;
  const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;
  return (
    <span class="look-markers" style={{ aspectRatio: `${picture.width} / ${picture.height}` }}>
      <button
        type="button"
        class="look-marker"
        aria-label={`Patch in row ${place.row + 1} of ${tops.length}, column ${place.column + 1} of ${lefts.length}. Arrow keys move it.`}
        style={{
          top: percent(tops[place.row], picture.height),
          left: percent(lefts[place.column], picture.width),
          height: percent(patch[0], picture.height),
          width: percent(patch[1], picture.width),
        }}
        onKeyDown={(event) => {
          const move = moves[event.key];
          if (!move) return;
          event.preventDefault();
          place.move(...move);
        }}
      />
    </span>
  );
}
