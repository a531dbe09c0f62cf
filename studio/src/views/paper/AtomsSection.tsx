/** Figure 3: the 2-D atoms of both constructions, and an atom that the border of a patch crops. */

import { useMemo, useRef } from "preact/hooks";
import { addressed, integer, oneOf } from "../../app/address";
import type { AxisChoice } from "../../engine/paper/planeAtomTasks";
import { coarsest, figureSize, patchSize, wholeSize } from "../../engine/paper/settings";
import { Choice } from "../../parts/Choice";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { greyPixels, type Pixels, signedPixels } from "../../parts/pixels";
import { Slider } from "../../parts/Slider";
import { AtomGrid } from "./AtomGrid";
import { Equation, Sub, V } from "./math";
import { Section } from "./Section";
import { useTask } from "./useTask";

const atom = addressed("atom", 5, integer(0, figureSize ** 2 - 1));
const waveletNames = ["haar", "db2", "sym4", "sym8"] as const;
const wavelet = addressed("wavelet2d", "sym4", oneOf(waveletNames));
const constructions = ["separable", "horizontal", "vertical", "diagonal"] as const;
const construction = addressed("atoms", "separable", oneOf(constructions));
const scaleDown = addressed("down", 4, integer(1, coarsest));
const scaleAcross = addressed("across", 3, integer(1, coarsest));
const atDown = addressed("y", 32, integer(0, wholeSize - 1));
const atAcross = addressed("x", 16, integer(0, wholeSize - 1));

const constructionTexts = {
  separable: "separable: any two scales",
  horizontal: "usual: wavelet across",
  vertical: "usual: wavelet down",
  diagonal: "usual: wavelet both ways",
};

export function AtomsSection() {
  return (
    <Section
      id="atoms"
      title="Separable and usual atoms"
      source="§III-B · figure 3"
      text={
        <>
          <p>
            In two dimensions an atom is the product of two 1-D ones, one down and one across. The usual
            transform takes both from the same scale, so its atoms are square. The paper takes every pair:
          </p>
          <Equation
            parts={[
              <>
                <Sub of={<V>Φ</V>} by={<mn>2</mn>} />
                <mo>=</mo>
                <Sub of={<V>Φ</V>} by={<mn>1</mn>} />
                <mo>⊗</mo>
                <Sub of={<V>Φ</V>} by={<mn>1</mn>} />
              </>,
            ]}
          />
          <p>
            That adds long, thin atoms, and applying Φ becomes two small matrix products instead of one large
            one. Pick a place below: the same coefficient, its atom in both constructions.
          </p>
        </>
      }
    >
      <HaarAtoms />
      <div class="prose">
        <p>
          Cropped wavelets are wavelets of a larger square. The patch keeps what falls inside and scales it to
          unit norm. Push an atom over the border and watch: its inside never changes shape, it is only cut.
        </p>
      </div>
      <CroppedAtom />
    </Section>
  );
}

/** Tiles of all atoms, each scaled by its own largest value. */
function tilesOf(atoms: Float32Array): Pixels {
  const [magnify, gap] = [4, 4];
  const tile = figureSize * magnify + gap;
  const side = figureSize * tile + gap;
  const shades = new Float32Array(side * side).fill(Number.NaN);
  const n = figureSize * figureSize;
  for (let a = 0; a < n; a++) {
    const picture = signedPixels(figureSize, figureSize, atoms.subarray(a * n, (a + 1) * n));
    const [top, left] = [Math.floor(a / figureSize) * tile + gap, (a % figureSize) * tile + gap];
    for (let i = 0; i < (figureSize * magnify) ** 2; i++) {
      const [r, c] = [Math.floor(i / (figureSize * magnify)), i % (figureSize * magnify)];
      const from = Math.floor(r / magnify) * figureSize + Math.floor(c / magnify);
      shades[(top + r) * side + left + c] = picture.data[4 * from];
    }
  }
  const pixels = greyPixels(side, side, shades);
  for (let i = 0; i < shades.length; i++) if (Number.isNaN(shades[i])) pixels.data[4 * i + 3] = 0;
  return pixels;
}

function HaarAtoms() {
  const result = useTask("paperPlacedAtoms", "haar", () => ({ wavelet: "haar" }));
  const tiles = useMemo(
    () => result && { separable: tilesOf(result.separable), usual: tilesOf(result.usual) },
    [result],
  );
  if (!result || !tiles) return <div class="haar" />;
  const n = figureSize ** 2;
  const at = atom.value;
  const gridOf = (name: "separable" | "usual", title: string) => (
    <figure class="haar-side">
      <AtomGrid
        pixels={tiles[name]}
        columns={figureSize}
        rows={figureSize}
        gap={4}
        at={at}
        label={`${title} Haar atoms of 8×8 patches; the arrow keys choose one.`}
        onMove={(tile) => atom.set(tile)}
      />
      <figcaption>
        <PixelCanvas
          class="chosen"
          crisp
          pixels={signedPixels(figureSize, figureSize, result[name].subarray(at * n, (at + 1) * n))}
          label={`The chosen ${name} atom`}
        />
        <span>
          <strong>{title}</strong>
          <span data-extent={name}>{extentOf(result[name].subarray(at * n, (at + 1) * n))}</span>
        </span>
      </figcaption>
    </figure>
  );
  return (
    <div class="haar">
      {gridOf("separable", "Separable")}
      {gridOf("usual", "Usual")}
    </div>
  );
}

/** How large the support of an atom is. */
function extentOf(values: Float32Array): string {
  const used = [...values.keys()].filter((i) => Math.abs(values[i]) > 1e-6);
  const rows = new Set(used.map((i) => Math.floor(i / figureSize))).size;
  const columns = new Set(used.map((i) => i % figureSize)).size;
  return `${rows} high, ${columns} wide`;
}

function CroppedAtom() {
  const usual = construction.value !== "separable";
  const axis = (level: number, scaling: boolean, at: number): AxisChoice => ({ level, scaling, at });
  const down = axis(scaleDown.value, construction.value === "horizontal", atDown.value);
  const across = axis(
    usual ? scaleDown.value : scaleAcross.value,
    construction.value === "vertical",
    atAcross.value,
  );
  const input = { wavelet: wavelet.value, down, across };
  const result = useTask("paperCroppedAtom", JSON.stringify(input), () => input);
  const grip = useRef<{ x: number; y: number; left: number; top: number }>(undefined);
  const scale = (value: number) => `${value}: ${2 ** value} px`;
  return (
    <div class="crop-toy">
      <div class="crop-pictures">
        <figure>
          <div
            class="whole"
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              grip.current = { x: event.clientX, y: event.clientY, left: atAcross.value, top: atDown.value };
            }}
            onPointerMove={(event) => {
              const { current: start } = grip;
              if (!start || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
              const samplesPerPixel = wholeSize / event.currentTarget.clientWidth;
              atAcross.set(within(start.left + (event.clientX - start.x) * samplesPerPixel));
              atDown.set(within(start.top + (event.clientY - start.y) * samplesPerPixel));
            }}
          >
            {result && (
              <PixelCanvas
                crisp
                pixels={signedPixels(wholeSize, wholeSize, result.whole)}
                label="The atom before it is cropped, with the patch as a frame"
              />
            )}
            <span class="patch-frame" />
          </div>
          <figcaption>An atom of 64×64, and the patch. Drag it.</figcaption>
        </figure>
        <figure>
          {result && (
            <PixelCanvas
              crisp
              class="cropped"
              pixels={signedPixels(patchSize, patchSize, result.cropped)}
              label="The cropped atom"
            />
          )}
          <figcaption>
            {result && result.kept > 0 ? (
              <>
                What the patch keeps: <span data-kept>{(100 * result.kept).toFixed(0)} %</span> of its energy,
                scaled to unit norm.
              </>
            ) : (
              <>Nothing falls inside: this atom is left out of Φ.</>
            )}
          </figcaption>
        </figure>
      </div>
      <div class="side">
        <Choice
          label="Wavelet"
          value={wavelet.value}
          options={waveletNames.map((value) => ({ value, text: value }))}
          onChange={(value) => wavelet.set(value)}
        />
        <Choice
          label="Construction"
          value={construction.value}
          options={constructions.map((value) => ({ value, text: constructionTexts[value] }))}
          onChange={(value) => construction.set(value)}
        />
        <Slider
          label={usual ? "Scale" : "Scale down"}
          min={1}
          max={coarsest}
          value={scaleDown.value}
          shown={scale(scaleDown.value)}
          onChange={(value) => scaleDown.set(value)}
        />
        {!usual && (
          <Slider
            label="Scale across"
            min={1}
            max={coarsest}
            value={scaleAcross.value}
            shown={scale(scaleAcross.value)}
            onChange={(value) => scaleAcross.set(value)}
          />
        )}
        <Slider
          label="Place down"
          min={0}
          max={wholeSize - 1}
          value={atDown.value}
          onChange={(value) => atDown.set(value)}
        />
        <Slider
          label="Place across"
          min={0}
          max={wholeSize - 1}
          value={atAcross.value}
          onChange={(value) => atAcross.set(value)}
        />
      </div>
    </div>
  );
}

function within(value: number): number {
  return Math.min(wholeSize - 1, Math.max(0, Math.round(value)));
}
