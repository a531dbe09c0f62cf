/** Where in the current picture an atom is used: its windows are coded when asked for, and the answer is kept. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { currentItem, type Dictionary, type Item, items } from "../../app/library";
import { notifyOf } from "../../app/notices";
import { helper } from "../../engine/client";
import type { AtomPlaces as Places } from "../../engine/explore/explorePlaces";
import { fitsPicture } from "../../engine/explore/exploreRequests";
import { PictureChooser } from "../../parts/Choosers";
import { FileButton } from "../../parts/FileButton";
import { Slider } from "../../parts/Slider";
import { grouped } from "./atomWords";
import { HeatPicture } from "./HeatPicture";
import { useAnswer } from "./useAnswer";

export interface AtomPlacesProps {
  readonly dictionary: Dictionary;
  readonly atom: number;
}

export function AtomPlaces({ dictionary, atom }: AtomPlacesProps) {
  const { shape } = dictionary.facts;
  const fits = (item: Item) => fitsPicture(shape, item.shape);
  const item = currentItem.value;
  if (!items.value.some(fits))
    return (
      <section>
        <h3>Where it is used</h3>
        <p class="help">Open a picture or an array that has windows of {shape.join("×")}.</p>
        <FileButton label="Open …" />
      </section>
    );
  return (
    <section>
      <h3>Where it is used</h3>
      <PictureChooser fits={fits} />
      {item && fits(item) ? (
        <PlacesIn key={`${dictionary.id} ${item.id}`} dictionary={dictionary} item={item} atom={atom} />
      ) : (
        <p class="help">Choose one that has windows of {shape.join("×")}.</p>
      )}
    </section>
  );
}

function PlacesIn({ dictionary, item, atom }: AtomPlacesProps & { readonly item: Item }) {
  const coded = useSignal(0);
  const progress = useSignal<number | undefined>(undefined);
  const abort = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => abort.current?.abort(), [dictionary]);
  const slice = useSignal<number | undefined>(undefined);
  const { id } = dictionary;
  const places = useAnswer(
    (signal) => helper.run("explorePlaces", { id, signal: item.id, atom, slice: slice.peek() }, { signal }),
    [dictionary, item, atom, coded.value, slice.value],
  );
  const find = async () => {
    abort.current = new AbortController();
    progress.value = 0;
    const { id, shape, data } = item;
    const onProgress = (done: number) => {
      progress.value = done;
    };
    const { signal } = abort.current;
    try {
      await helper.run(
        "exploreCode",
        { id: dictionary.id, signal: { id, shape, data } },
        { signal, onProgress },
      );
      coded.value += 1;
    } catch (error) {
      notifyOf(error);
    }
    progress.value = undefined;
  };
  if (progress.value !== undefined)
    return (
      <div class="row">
        <progress value={progress.value} aria-label="Windows that are coded" />
        <button type="button" onClick={() => abort.current?.abort()}>
          Cancel
        </button>
      </div>
    );
  if (places.value)
    return (
      <FoundPlaces
        places={places.value}
        name={item.name}
        onSlice={(next) => {
          slice.value = next;
        }}
      />
    );
  return (
    <div class="row">
      <button type="button" disabled={places.busy} onClick={() => void find()}>
        Find it
      </button>
      <p class="help">Codes the picture with the dictionary's own rule.</p>
    </div>
  );
}

interface FoundPlacesProps {
  readonly places: Places;
  readonly name: string;
  readonly onSlice: (slice: number) => void;
}

function FoundPlaces({ places, name, onSlice }: FoundPlacesProps) {
  const { uses, windows, largest, slice, slices } = places;
  const share =
    uses === 0
      ? `None of the ${grouped(windows)} windows uses it.`
      : `${grouped(uses)} of ${grouped(windows)} windows use it; the largest coefficient is ${largest.toPrecision(3)}.`;
  return (
    <figure class="places">
      <HeatPicture places={places} label={`Where ${name} uses the atom. ${share}`} />
      {slices > 1 && (
        <Slider
          label="Slice of the volume"
          value={slice + 1}
          min={1}
          max={slices}
          onChange={(value) => onSlice(value - 1)}
        />
      )}
      <figcaption>{share}</figcaption>
    </figure>
  );
}
