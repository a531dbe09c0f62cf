/** Explore: all atoms of a dictionary in many orders, and one of them up close. */

import "./explore.css";
import { addressOf } from "../../app/address";
import { currentDictionary, type Dictionary } from "../../app/library";
import { notifyOf } from "../../app/notices";
import { helper } from "../../engine/client";
import type { Sort } from "../../engine/explore/exploreRequests";
import type { AtomTiles } from "../../engine/explore/exploreTasks";
import { Choice } from "../../parts/Choice";
import { DictionaryChooser } from "../../parts/Choosers";
import { FileButton } from "../../parts/FileButton";
import { saveFile } from "../../parts/saveFile";
import { CloseUp } from "./CloseUp";
import { DictionaryFacts } from "./DictionaryFacts";
import { atom, atomIn, like, show, size, sort } from "./exploreState";
import { Families } from "./Families";
import { clampSize, Gallery, zoomStep } from "./Gallery";
import { tileSize } from "./tileImage";
import { type Answer, useAnswer } from "./useAnswer";

export default function ExploreView() {
  const dictionary = currentDictionary.value;
  return (
    <div class="explore">
      <h1>Explore a dictionary</h1>
      {dictionary ? (
        <Explored key={dictionary.id} dictionary={dictionary} />
      ) : (
        <>
          <p class="lead">
            There is no dictionary here yet. <a href={addressOf("learn")}>Learn one</a>, or open a file
            (.npz).
          </p>
          <FileButton label="Open …" />
        </>
      )}
    </div>
  );
}

function Explored({ dictionary }: { readonly dictionary: Dictionary }) {
  const { id } = dictionary;
  const tiles = useAnswer((signal) => helper.run("exploreTiles", { id }, { signal }), [dictionary]);
  return (
    <>
      <DictionaryFacts dictionary={dictionary} />
      {tiles.value ? (
        <Shown dictionary={dictionary} tiles={tiles.value} />
      ) : (
        <p class="loading">{tiles.busy ? "Reading the atoms …" : "The atoms could not be read."}</p>
      )}
    </>
  );
}

interface ShownProps {
  readonly dictionary: Dictionary;
  readonly tiles: AtomTiles;
}

function Shown({ dictionary, tiles }: ShownProps) {
  const { id } = dictionary;
  const count = tiles.bytes.length / tileSize(tiles);
  const selected = atomIn(atom, count);
  const order = useOrder(dictionary, tiles, count);
  const families = useAnswer(
    show.value === "families" ? (signal) => helper.run("exploreFamilies", { id }, { signal }) : undefined,
    [dictionary, show.value],
  );
  const detail = useAnswer(
    (signal) => helper.run("exploreAtom", { id, atom: selected }, { signal }),
    [dictionary, selected],
  );
  const select = (next: number) => atom.set(next + 1);
  const open = () => document.getElementById("close-up")?.focus();
  const compare = () => {
    show.set("all");
    like.set(selected + 1);
    sort.set("similarity");
  };
  return (
    <div class="explore-split">
      <div class="explore-main">
        <Toolbar dictionary={dictionary} tiles={tiles} selected={selected} order={order} />
        {show.value === "families" ? (
          families.value ? (
            <Families families={families.value} tiles={tiles} selected={selected} onSelect={select} />
          ) : (
            <p class="loading">Comparing atoms …</p>
          )
        ) : (
          order.value && (
            <Gallery
              tiles={tiles}
              order={order.value}
              selected={selected}
              size={size.value}
              onSelect={select}
              onOpen={open}
              onSize={size.set}
            />
          )
        )}
      </div>
      <aside
        class="close-up"
        aria-label="One atom up close"
        aria-busy={detail.busy}
        style={{ "--tile": tileWidthFor(tiles) }}
      >
        {detail.value && detail.value.atom < count && (
          <CloseUp
            dictionary={dictionary}
            tiles={tiles}
            detail={detail.value}
            onSelect={select}
            onCompare={compare}
          />
        )}
      </aside>
    </div>
  );
}

/** Wide tiles need more room in a list. */
function tileWidthFor({ look }: AtomTiles): string {
  return look.kind === "trace" || look.width > 2 * look.height ? "5.5rem" : "3.9rem";
}

/** The order that the address asks for; its own order where that is not possible. */
function useOrder(dictionary: Dictionary, { uses }: AtomTiles, count: number): Answer<Uint32Array> {
  const asked = sort.value;
  const possible = isPossible(asked, dictionary, uses) ? asked : "own";
  const other = possible === "similarity" ? atomIn(like, count) : 0;
  const answer = useAnswer(
    (signal) => helper.run("exploreSorted", { id: dictionary.id, sort: possible, like: other }, { signal }),
    [dictionary, possible, other],
  );
  return answer.value && answer.value.length !== count ? { ...answer, value: undefined } : answer;
}

const sortWords: Record<Sort, string> = {
  own: "own order",
  use: "use, most first",
  entropy: "entropy",
  variance: "variance",
  frequency: "frequency",
  orientation: "orientation",
  similarity: "similarity to one atom",
};

function isPossible(sort: Sort, { facts }: Dictionary, uses: AtomTiles["uses"]): boolean {
  if (sort === "use") return uses !== undefined;
  return sort !== "orientation" || facts.shape.length > 1;
}

interface ToolbarProps extends ShownProps {
  readonly selected: number;
  readonly order: Answer<Uint32Array>;
}

function Toolbar({ dictionary, tiles, selected, order }: ToolbarProps) {
  const options = (Object.keys(sortWords) as Sort[])
    .filter((one) => isPossible(one, dictionary, tiles.uses))
    .map((value) => ({
      value,
      text:
        value === "similarity" && sort.value === value
          ? `similarity to atom ${like.value}`
          : sortWords[value],
    }));
  const isShown = options.some(({ value }) => value === sort.value);
  const zoom = (factor: number) => {
    const tile = document.querySelector<HTMLElement>(".gallery-mark");
    const now = size.value || Math.sqrt((tile?.offsetWidth ?? 64) * (tile?.offsetHeight ?? 64));
    size.set(clampSize(now * factor));
  };
  return (
    <div class="explore-tools">
      <DictionaryChooser />
      <Choice
        label="Sort by"
        value={isShown ? sort.value : "own"}
        options={options}
        disabled={show.value === "families"}
        onChange={(next) => {
          if (next === "similarity") like.set(selected + 1);
          sort.set(next);
        }}
      />
      <div class="row tools-end">
        <button
          type="button"
          aria-pressed={show.value === "families"}
          title="One pattern at different places, as in figure 10 of the paper"
          onClick={() => show.set(show.value === "families" ? "all" : "families")}
        >
          Families
        </button>
        <fieldset class="zoom" disabled={show.value === "families"}>
          <legend class="unseen">Zoom</legend>
          <button type="button" aria-label="Smaller tiles" onClick={() => zoom(1 / zoomStep)}>
            −
          </button>
          <button type="button" aria-label="Larger tiles" onClick={() => zoom(zoomStep)}>
            +
          </button>
        </fieldset>
        <button
          type="button"
          disabled={!order.value || show.value === "families"}
          onClick={() => order.value && void savePicture(dictionary, order.value)}
        >
          Save PNG
        </button>
      </div>
      <p class="unseen" role="status">
        {order.busy ? "Sorting …" : ""}
      </p>
    </div>
  );
}

/** The gallery as it is sorted. */
async function savePicture({ id, name }: Dictionary, order: Uint32Array): Promise<void> {
  try {
    const bytes = await helper.run("explorePng", { id, order });
    saveFile(`${name.replace(/\.npz$/i, "").replaceAll(/[^\w.-]+/g, "-")}-atoms.png`, bytes, "image/png");
  } catch (error) {
    notifyOf(error);
  }
}
