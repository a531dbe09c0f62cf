/** The atoms as they are now, and what can be done with them. */

import { addressOf } from "../../app/address";
import { notifyOf } from "../../app/notices";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { saveFile } from "../../parts/saveFile";
import { learnFrom } from "./OpenedDictionary";
import { fileOf, galleries, gallery, learned, phase, run } from "./session";
import { count } from "./words";

export function AtomsPanel() {
  return (
    <section class="atoms" aria-label="Atoms">
      <Picture />
      <Actions />
    </section>
  );
}

function Picture() {
  const shown = gallery.value;
  const patch = run.value?.settings.patch.join("×") ?? "";
  if (!shown) return <div class="atoms-empty" aria-hidden="true" />;
  const some = shown.shown < shown.atoms ? `${count(shown.shown)} of ` : "";
  const what = `${some}${count(shown.atoms)} atoms of ${patch}`;
  return (
    <figure data-galleries={galleries.value}>
      <PixelCanvas pixels={shown.pixels} label={what} class="atoms-picture" />
      <figcaption>{what}, each scaled to its own range</figcaption>
    </figure>
  );
}

function Actions() {
  if (phase.value === "idle" || phase.value === "starting" || !gallery.value) return null;
  return (
    <div class="row atoms-actions">
      <button type="button" onClick={() => save("npz")}>
        Save .npz
      </button>
      <button type="button" onClick={() => save("png")}>
        Save PNG
      </button>
      {learned.value && phase.value !== "learning" && <Links />}
    </div>
  );
}

function Links() {
  const dictionary = learned.value;
  return (
    <>
      {phase.value === "finished" && dictionary && (
        <button type="button" onClick={() => learnFrom(dictionary)}>
          Continue learning from it
        </button>
      )}
      <a href={addressOf("explore")}>Explore its atoms</a>
      <a href={addressOf("look")}>Look at the picture through it</a>
    </>
  );
}

function save(kind: "npz" | "png"): void {
  const name = run.value?.item.name
    .replace(/\.\w+$/, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-");
  fileOf(kind).then((bytes) => {
    const type = kind === "png" ? "image/png" : "application/octet-stream";
    saveFile(`${name || "dictionary"}-${run.value?.settings.patch.join("x")}.${kind}`, bytes, type);
  }, notifyOf);
}
