/** Restore a picture: remove noise, fill holes, or keep it in few bytes. */

import "./restore.css";
import { currentDictionary, currentItem } from "../../app/library";
import { currentPart, whyNoFit, whyNoPicture } from "../../app/picturePart";
import { DictionaryChooser, PictureChooser } from "../../parts/Choosers";
import { Misfit } from "../../parts/Misfit";
import { PartChooser } from "../../parts/PartChooser";
import { CompressMode } from "./CompressMode";
import { DenoiseMode } from "./DenoiseMode";
import { FillMode } from "./FillMode";
import { mode, modes, source } from "./restoreSettings";

const titles: Record<(typeof modes)[number], string> = {
  denoise: "Denoise",
  fill: "Fill",
  compress: "Compress",
};

const leads: Record<(typeof modes)[number], string> = {
  denoise: "Add noise and remove it: a few atoms represent the picture, not the noise.",
  fill: "Make holes and fill them: atoms that fit the known pixels give the others.",
  compress: "A file holds atom numbers and coefficients; both sides have the dictionary.",
};

export default function RestoreView() {
  const item = currentItem.value;
  const learns = source.value === "learn" && mode.value !== "compress";
  const reason = learns ? item && whyNoPicture(item) : whyNoFit(item, currentDictionary.value);
  return (
    <>
      <h1>Restore a picture</h1>
      <p class="lead">{leads[mode.value]}</p>
      <fieldset class="restore-modes" aria-label="What to do">
        {modes.map((name) => (
          <button key={name} type="button" aria-pressed={mode.value === name} onClick={() => mode.set(name)}>
            {titles[name]}
          </button>
        ))}
      </fieldset>
      {reason || !currentPart.value ? (
        <div class="split">
          <Sources />
          <Misfit reason={reason ?? "There is no picture yet."} />
        </div>
      ) : mode.value === "denoise" ? (
        <DenoiseMode picture={currentPart.value} sources={<Sources />} />
      ) : mode.value === "fill" ? (
        <FillMode picture={currentPart.value} sources={<Sources />} />
      ) : (
        <CompressMode picture={currentPart.value} sources={<Sources />} />
      )}
    </>
  );
}

/** What is restored, and with which dictionary. */
function Sources() {
  const learns = source.value === "learn" && mode.value !== "compress";
  return (
    <div class="side restore-sources">
      <PictureChooser />
      <PartChooser />
      {!learns && <DictionaryChooser />}
    </div>
  );
}
