/** Look at a picture through a dictionary: with 0, 1, 2 … atoms per patch, and each patch with the atoms that make it. */

import "./look.css";
import { currentDictionary, currentItem } from "../../app/library";
import { currentPart, whyNoFit } from "../../app/picturePart";
import { Choice } from "../../parts/Choice";
import { DictionaryChooser, PictureChooser } from "../../parts/Choosers";
import { Misfit } from "../../parts/Misfit";
import { PartChooser } from "../../parts/PartChooser";
import { Slider } from "../../parts/Slider";
import { CompareChooser, useCompared } from "./CompareChooser";
import { LookFacts } from "./LookFacts";
import { LookPicture } from "./LookPicture";
import { atomsPerPatch, closeUp, overlap, overlaps } from "./lookSettings";
import { PatchPanel } from "./PatchPanel";
import { PsnrCurve } from "./PsnrCurve";
import { type LookControl, useLook, usePatch } from "./useLook";
import { usePlace } from "./usePlace";

const overlapNames: Record<(typeof overlaps)[number], string> = {
  1: "side by side",
  2: "overlapping by half",
  4: "overlapping by three quarters",
};

export default function LookView() {
  const reason = whyNoFit(currentItem.value, currentDictionary.value);
  return (
    <>
      <h1>Look at a picture through a dictionary</h1>
      <p class="lead">Every patch is its mean and a few atoms. Move the slider, and touch a patch.</p>
      <div class="look">
        <div class="side look-side">
          <PictureChooser />
          <PartChooser />
          <DictionaryChooser />
          {!reason && (
            <>
              <Choice
                label="Patches"
                value={overlap.value}
                options={overlaps.map((value) => ({ value, text: overlapNames[value] }))}
                help="Where patches overlap, the picture is their mean."
                onChange={(value) => overlap.set(value)}
              />
              <CompareChooser />
            </>
          )}
        </div>
        {reason ? <Misfit reason={reason} /> : <Looking />}
      </div>
    </>
  );
}

/** The part of the view that needs a picture and a dictionary that fit. */
function Looking() {
  const picture = currentPart.value;
  const compared = useCompared();
  const first = useLook("first", picture, currentDictionary.value, Number(overlap.value));
  const second = useLook("second", picture, compared.dictionary, Number(overlap.value));
  const other = second.result?.picture === first.result?.picture ? second.result : undefined;
  const most = Math.min(first.result?.most ?? Infinity, other?.most ?? Infinity);
  const k = Math.min(atomsPerPatch.value, most);
  const slot = other ? closeUp.value : "first";
  const shown = slot === "second" ? second : first;
  const place = usePlace(shown.result?.grid);
  const facts = usePatch(slot, shown, place.index, k);
  const { result } = first;
  const waiting = <Waiting looking={[first, second]} />;
  if (!result || !shown.result) return <div class="look-main">{waiting}</div>;
  return (
    <>
      <div class="look-main">
        <Slider
          label="Atoms per patch"
          value={k}
          min={0}
          max={most}
          shown={k === 0 ? "0, the means alone" : `${k} for ${result.grid.patch.join("×")} pixels`}
          onChange={(value) => atomsPerPatch.set(value)}
        />
        <div class="look-results" aria-live="off">
          <LookFacts result={result} k={k} kind="first" />
          {other && <LookFacts result={other} k={k} kind="second" />}
          <PsnrCurve first={result} second={other} k={k} />
        </div>
        {waiting}
        <LookPicture
          result={result}
          second={other}
          original={compared.original}
          k={k}
          place={place}
          grid={shown.result.grid}
        />
      </div>
      <PatchPanel result={shown.result} facts={facts} place={place} k={k}>
        {other && <Owners first={result.dictionary.name} second={other.dictionary.name} />}
      </PatchPanel>
    </>
  );
}

/** Whose atoms make the patch: of the first dictionary or of the second. */
function Owners({ first, second }: { readonly first: string; readonly second: string }) {
  return (
    <fieldset class="look-owners" aria-label="Atoms of">
      {(["first", "second"] as const).map((slot) => (
        <button
          key={slot}
          type="button"
          class={slot}
          aria-pressed={closeUp.value === slot}
          onClick={() => closeUp.set(slot)}
        >
          {slot === "first" ? first : second}
        </button>
      ))}
    </fieldset>
  );
}

/** How far the worker is, with a button that cancels; or why there is no result. */
function Waiting({ looking }: { readonly looking: readonly LookControl[] }) {
  const busy = looking.find(({ progress }) => progress !== undefined);
  const failed = looking.find(({ failure }) => failure !== undefined);
  if (busy)
    return (
      <p class="look-waiting" role="status">
        <span>Coding the patches …</span>
        <progress value={busy.progress} aria-label="Coding the patches" />
        <button type="button" onClick={busy.cancel}>
          Cancel
        </button>
      </p>
    );
  if (!failed) return null;
  return (
    <p class="look-waiting" role="status">
      <span class="failure">{failed.failure}</span>
      <button type="button" onClick={failed.again}>
        Try again
      </button>
    </p>
  );
}
