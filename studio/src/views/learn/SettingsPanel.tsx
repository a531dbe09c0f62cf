/** The settings of a run, each with the line of `trainlets train --help`. */

import { useRef } from "preact/hooks";
import { type DeviceName, trainDefaults } from "trainlets";
import { optionWords } from "trainlets/parts";
import { currentItem } from "../../app/library";
import { notifyOf } from "../../app/notices";
import { choosesAtoms, patchFrom } from "../../engine/learn/learnOptions";
import { Choice } from "../../parts/Choice";
import { PictureChooser } from "../../parts/Choosers";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { Slider } from "../../parts/Slider";
import { NumberField, TextField } from "./fields";
import { changeSparsity, isActive, run } from "./session";
import { baseName, deviceName, learnerName, learners, patchText, setNumber, settings } from "./settings";
import { startChoices, startDictionary, startFrom } from "./startFrom";
import { thumbnailOf } from "./thumbnail";
import { count, sentence } from "./words";

const bases = [
  ...["cropped:sym8", "cropped:db4", "cropped:haar", "separable:sym8", "wavelet:sym8"],
  ...["contourlet", "cropped-contourlet", "odct:2", "identity"],
];
const devices: readonly DeviceName[] = ["auto", "gpu", "cpu"];

export function SettingsPanel() {
  const chosen = settings.value;
  return (
    <section class="side panel" aria-label="Settings">
      <PictureChooser />
      <Thumbnail />
      {chosen && (
        <>
          <PatchField />
          <SparsityField />
          <AtomFields />
          <LearnerField />
          <details class="more">
            <summary>More settings</summary>
            <div class="side">
              <StartField />
              <LengthFields />
              <DeviceField />
            </div>
          </details>
        </>
      )}
    </section>
  );
}

function Thumbnail() {
  const item = currentItem.value;
  if (!item) return null;
  const pixels = thumbnailOf(item);
  return (
    <figure class="thumbnail">
      <div class="thumbnail-picture">
        {pixels && <PixelCanvas pixels={pixels} label={item.name} />}
        {item.shape.length === 2 && <PatchSquare shape={item.shape} />}
      </div>
      <figcaption>{item.shape.map(count).join(" × ")} samples</figcaption>
    </figure>
  );
}

/** A patch in its true size. */
function PatchSquare({ shape }: { readonly shape: readonly number[] }) {
  const { patch } = settings.value ?? {};
  if (patch?.length !== 2) return null;
  const [height, width] = patch.map((size, axis) => `${Math.min(100, (100 * size) / shape[axis])}%`);
  return <span class="patch-square" style={{ width, height }} title="A patch" />;
}

function PatchField() {
  const { patch } = settings.value ?? {};
  const shape = currentItem.value?.shape ?? [];
  const given = patchText.value;
  const isWrong = given !== "" && patchFrom(given, shape) === undefined;
  return (
    <TextField
      label="Patch"
      value={given === "" ? (patch ?? []).join("x") : given}
      help={sentence(optionWords.patch)}
      problem={isWrong ? `Not a patch size: ${given}` : undefined}
      disabled={startDictionary.value !== undefined}
      onChange={(text) => patchText.set(text.trim())}
    />
  );
}

/** Changing it during a run is a new run from the current atoms. */
function SparsityField() {
  const timer = useRef(0);
  const { sparsity, patch = [] } = settings.value as { sparsity: number; patch: readonly number[] };
  const n = patch.reduce((product, size) => product * size, 1);
  const change = (value: number): void => {
    setNumber("sparsity", value);
    clearTimeout(timer.current);
    if (isActive.value)
      timer.current = setTimeout(() => void changeSparsity(value).catch(notifyOf), 300) as unknown as number;
  };
  const before = run.value?.before.length ?? 0;
  const now = isActive.value ? " A change during a run starts a new one from the current atoms." : "";
  return (
    <>
      <Slider
        label="Sparsity: atoms per patch"
        value={sparsity}
        min={1}
        max={Math.max(sparsity, Math.min(64, Math.ceil(n / 8)))}
        help={`${sentence(optionWords.sparsity)}${now}`}
        onChange={change}
      />
      {before > 0 && isActive.value && (
        <p class="help now">This run continues from the atoms of the one before, with the new sparsity.</p>
      )}
    </>
  );
}

function AtomFields() {
  const { atoms, atomSparsity, learner, patch } = settings.value as NonNullable<typeof settings.value>;
  const start = startDictionary.value;
  const n = patch.reduce((product, size) => product * size, 1);
  return (
    <>
      {choosesAtoms(learner) && (
        <NumberField
          label="Atoms"
          value={start?.facts.atoms ?? atoms}
          min={1}
          help={sentence(optionWords.atoms)}
          disabled={start !== undefined}
          onChange={(value) => setNumber("atoms", value)}
        />
      )}
      {learner.hasAtomSparsity && (
        <Slider
          label="Non-zeros per atom"
          value={start?.facts.atomSparsity ?? atomSparsity}
          min={1}
          max={Math.max(atomSparsity, n)}
          help={sentence(optionWords.atomSparsity)}
          disabled={start !== undefined}
          onChange={(value) => setNumber("atomSparsity", value)}
        />
      )}
    </>
  );
}

function LearnerField() {
  const { learner, patch } = settings.value as NonNullable<typeof settings.value>;
  const fitting = bases.filter((name) => patch.length === 2 || !name.includes("contourlet"));
  const usual = trainDefaults.base;
  const current = baseName.value === "" ? usual : baseName.value;
  const names = fitting.includes(current) ? fitting : [...fitting, current];
  return (
    <>
      <Choice
        label="Learner"
        value={learner.name}
        options={learners.value.map(({ name }) => ({ value: name, text: name }))}
        help={sentence(learner.summary)}
        onChange={(name) => learnerName.set(name)}
      />
      <Choice
        label="Base"
        value={current}
        options={names.map((name) => ({ value: name, text: name }))}
        help={sentence(optionWords.base)}
        disabled={startDictionary.value !== undefined}
        onChange={(name) => baseName.set(name === usual ? "" : name)}
      />
    </>
  );
}

function StartField() {
  const choices = startChoices.value;
  return (
    <Choice
      label="Start"
      value={String(startDictionary.value?.id ?? 0)}
      options={[
        { value: "0", text: "as the learner does" },
        ...choices.map(({ id, name }) => ({ value: String(id), text: name })),
      ]}
      help={sentence(optionWords.start)}
      onChange={(id) => startFrom(choices.find((one) => one.id === Number(id)))}
    />
  );
}

function LengthFields() {
  const { examples, epochs, batch, seed } = settings.value as NonNullable<typeof settings.value>;
  const fields = { examples, epochs, batch, seed };
  const labels = { examples: "Patches per epoch", epochs: "Epochs", batch: "Mini-batch", seed: "Seed" };
  return (
    <>
      {(Object.keys(fields) as (keyof typeof fields)[]).map((name) => (
        <NumberField
          key={name}
          label={labels[name]}
          value={fields[name]}
          min={name === "seed" ? 0 : 1}
          help={sentence(optionWords[name])}
          onChange={(value) => setNumber(name, value)}
        />
      ))}
    </>
  );
}

function DeviceField() {
  return (
    <Choice
      label="Device"
      value={deviceName.value}
      options={devices.map((name) => ({ value: name, text: name }))}
      help={sentence(optionWords.device)}
      onChange={(name) => deviceName.set(name)}
    />
  );
}
