/** One atom up close: its picture and spectrum, what it is made of, its neighbours, and where a picture uses it. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Dictionary } from "../../app/library";
import type { AtomDetail, AtomTiles } from "../../engine/explore/exploreTasks";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { greyPixels } from "../../parts/pixels";
import { Slider } from "../../parts/Slider";
import { AtomPicture, sliceCount, TracePicture } from "./AtomPicture";
import { AtomPlaces } from "./AtomPlaces";
import { AtomTerms } from "./AtomTerms";
import { grouped, signed, usedWords } from "./atomWords";
import { TilePicture } from "./TilePicture";

export interface CloseUpProps {
  readonly dictionary: Dictionary;
  readonly tiles: AtomTiles;
  readonly detail: AtomDetail;
  readonly onSelect: (atom: number) => void;
  readonly onCompare: () => void;
}

export function CloseUp({ dictionary, tiles, detail, onSelect, onCompare }: CloseUpProps) {
  const { shape, atoms } = dictionary.facts;
  const slices = sliceCount(shape);
  const slice = useSignal(Math.floor(slices / 2));
  const largest = useMemo(
    () => detail.samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
    [detail],
  );
  const name = `atom ${grouped(detail.atom + 1)}`;
  return (
    <>
      <h2 id="close-up" tabIndex={-1}>
        Atom {grouped(detail.atom + 1)} <small>of {grouped(atoms)}</small>
      </h2>
      <p class="help">{factsLine(detail, tiles)}</p>
      <div class="two-pictures">
        <figure>
          <AtomPicture
            shape={shape}
            samples={detail.samples}
            largest={largest}
            slice={slice.value}
            label={slices > 1 ? `Slice ${slice.value + 1} of ${name}` : `Picture of ${name}`}
          />
          <figcaption>Samples</figcaption>
        </figure>
        <figure>
          <Spectrum spectrum={detail.spectrum} label={`Spectrum of ${name}`} />
          <figcaption>Spectrum, 60 dB</figcaption>
        </figure>
      </div>
      {slices > 1 && (
        <Slider
          label="Slice"
          value={slice.value + 1}
          min={1}
          max={slices}
          shown={`${slice.value + 1} of ${slices}`}
          onChange={(value) => {
            slice.value = value - 1;
          }}
        />
      )}
      <AtomTerms detail={detail} shape={shape} largest={largest} slice={slice.value} />
      <Neighbours detail={detail} tiles={tiles} onSelect={onSelect} onCompare={onCompare} />
      <AtomPlaces dictionary={dictionary} atom={detail.atom} />
    </>
  );
}

/** "Used 1,203 times · 0.21 cycles per sample · lines at 45°". */
function factsLine({ atom, frequency, orientation }: AtomDetail, { uses, look }: AtomTiles): string {
  const used = usedWords(uses, atom);
  const direction =
    look.kind === "trace"
      ? ""
      : orientation === undefined
        ? "no direction"
        : `lines at ${angle(orientation)}°`;
  const words = [used, `${frequency.toFixed(2)} cycles per sample`, direction].filter((word) => word !== "");
  const line = words.join(" · ");
  return line.charAt(0).toUpperCase() + line.slice(1);
}

/** From 0 to 179. */
function angle(degrees: number): number {
  return (Math.round(degrees) + 180) % 180;
}

function Spectrum({
  spectrum,
  label,
}: {
  readonly spectrum: AtomDetail["spectrum"];
  readonly label: string;
}) {
  const { width, height, shades } = spectrum;
  const pixels = useMemo(() => greyPixels(width, height, shades), [spectrum]);
  if (height > 1) return <PixelCanvas class="atom-large" pixels={pixels} label={label} />;
  return <TracePicture values={Array.from(shades, (shade) => shade / 255)} label={label} />;
}

function Neighbours({ detail, tiles, onSelect, onCompare }: Omit<CloseUpProps, "dictionary">) {
  return (
    <section>
      <h3>Neighbours</h3>
      {detail.neighbours.length === 0 ? (
        <p class="help">There is no other atom.</p>
      ) : (
        <>
          <p class="help">By correlation. A negative one looks like the negative.</p>
          <ol class="tile-list" aria-label="Neighbours by correlation">
            {detail.neighbours.map(({ atom, correlation }) => (
              <li key={atom}>
                <button
                  type="button"
                  class="tile-button in"
                  title={`Go to atom ${grouped(atom + 1)}`}
                  data-correlation={correlation}
                  onClick={() => onSelect(atom)}
                >
                  <TilePicture tiles={tiles} index={atom} label={`atom ${atom + 1}`} />
                  <span>{signed(correlation, 2)}</span>
                </button>
              </li>
            ))}
          </ol>
          <button type="button" class="more" onClick={onCompare}>
            Sort all by similarity to this one
          </button>
        </>
      )}
    </section>
  );
}
