/** OMP on a patch of the current picture, one atom after the other. */

import { useMemo, useRef } from "preact/hooks";
import { addressed, integer } from "../../app/address";
import { currentDictionary, type Item } from "../../app/library";
import type { PursuitResult } from "../../engine/paper/pursuitTasks";
import { PictureChooser } from "../../parts/Choosers";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { greyPixels, signedPixels } from "../../parts/pixels";
import { currentPicture, isPicture, thumbnailOf, windowOf } from "./currentPicture";
import { Arg, Equation, Fence, Norm, Sub, V } from "./math";
import { Plot } from "./Plot";
import { Section } from "./Section";
import { useTask } from "./useTask";

/** Atoms at most, and patches where no dictionary fits. */
const most = 12;
const baseUsed = { base: "cropped:sym8", shape: [12, 12] };
/** More atoms have a Gram matrix that takes too long to make while one waits. */
const mostAtoms = 4000;

const patchTop = addressed("top", 96, integer(0, 100_000));
const patchLeft = addressed("left-edge", 96, integer(0, 100_000));
const step = addressed("step", 3, integer(0, most));

/** The current dictionary, if it codes patches of this picture. */
function usableDictionary(picture: Item) {
  const dictionary = currentDictionary.value;
  if (!dictionary) return undefined;
  const { shape, atoms } = dictionary.facts;
  const fits = shape.length === 2 && shape.every((size, axis) => size <= picture.shape[axis]);
  return fits && atoms <= mostAtoms ? dictionary : undefined;
}

export function OmpSection() {
  return (
    <Section
      id="omp"
      title="OMP, step by step"
      source="§I, §IV-D"
      text={
        <>
          <p>
            Given the dictionary, which few atoms make a patch <strong>y</strong>? Orthogonal matching pursuit
            is greedy. It compares what is left, the residual, with all atoms, takes the one most like it, and
            fits the coefficients of all atoms taken so far anew:
          </p>
          <Equation
            parts={[
              <>
                <mi>j</mi>
                <mo>=</mo>
                <Arg of="max" over={<mi>i</mi>} />
                <mspace width="0.2em" />
                <Fence>|</Fence>
                <Fence>⟨</Fence>
                <V>r</V>
                <mo>,</mo>
                <Sub of={<V>d</V>} by={<mi>i</mi>} />
                <Fence>⟩</Fence>
                <Fence>|</Fence>
              </>,
              <>
                {" "}
                <V>x</V>
                <mo>=</mo>
                <Arg of="min" over={<mtext>atoms taken</mtext>} />
                <mspace width="0.2em" />
                <Norm by="2">
                  <V>y</V>
                  <mo>−</mo>
                  <V>D</V>
                  <V>x</V>
                </Norm>
              </>,
            ]}
          />
          <p>Move the patch over the picture, then take one step at a time.</p>
        </>
      }
    >
      <Pursuit />
    </Section>
  );
}

function Pursuit() {
  const picture = currentPicture();
  const dictionary = picture && usableDictionary(picture);
  const [height, width] = dictionary?.facts.shape ?? baseUsed.shape;
  const isLarge = picture !== undefined && picture.shape[0] >= height && picture.shape[1] >= width;
  const top = isLarge ? Math.min(patchTop.value, picture.shape[0] - height) : 0;
  const left = isLarge ? Math.min(patchLeft.value, picture.shape[1] - width) : 0;
  const version = dictionary?.facts.meta.examplesSeen; // a dictionary that learns keeps its number
  const key = isLarge ? [picture.id, dictionary?.id, version, top, left].join() : undefined;
  const result = useTask("paperPursuit", key, () => ({
    dictionary: dictionary?.id ?? baseUsed,
    patch: windowOf(picture as Item, top, left, height, width),
    most,
  }));
  if (!picture || !isLarge) return <p>The picture is smaller than a patch of {`${height}×${width}`}.</p>;
  return (
    <div class="omp">
      <div class="side">
        <PatchPicker picture={picture} top={top} left={left} height={height} width={width} />
        <PictureChooser fits={isPicture} />
        <p class="help">
          {dictionary ? `Dictionary: ${dictionary.name}.` : `Base: ${baseUsed.base}, ${height}×${width}.`}{" "}
          {dictionary && `${dictionary.facts.atoms.toLocaleString("en-GB")} atoms.`}
        </p>
      </div>
      {result && <Steps result={result} />}
    </div>
  );
}

interface PatchPickerProps {
  readonly picture: Item;
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

const keySteps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** The picture, with the patch as a frame that can be moved. */
function PatchPicker({ picture, top, left, height, width }: PatchPickerProps) {
  const held = useRef(false);
  const [rows, columns] = picture.shape;
  const place = (row: number, column: number) => {
    patchTop.set(Math.round(Math.min(rows - height, Math.max(0, row))));
    patchLeft.set(Math.round(Math.min(columns - width, Math.max(0, column))));
  };
  const follow = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    place(
      ((event.clientY - box.top) / box.height) * rows - height / 2,
      ((event.clientX - box.left) / box.width) * columns - width / 2,
    );
  };
  return (
    <button
      type="button"
      class="tiles picker"
      aria-label={`The patch in the picture: row ${top}, column ${left}. The arrow keys move it.`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        held.current = true;
        follow(event);
      }}
      onPointerMove={(event) => held.current && follow(event)}
      onPointerUp={() => {
        held.current = false;
      }}
      onPointerCancel={() => {
        held.current = false;
      }}
      onKeyDown={(event) => {
        const move = keySteps[event.key];
        if (!move) return;
        event.preventDefault();
        place(top + move[0], left + move[1]);
      }}
    >
      <PixelCanvas pixels={thumbnailOf(picture)} label="" />
      <span
        class="mark"
        style={{
          left: `${(100 * left) / columns}%`,
          top: `${(100 * top) / rows}%`,
          width: `${(100 * width) / columns}%`,
          height: `${(100 * height) / rows}%`,
        }}
      />
    </button>
  );
}

function Steps({ result }: { readonly result: PursuitResult }) {
  const { steps, shape, patch, mean, pictures } = result;
  const at = Math.min(step.value, steps.length - 1);
  const { atoms, coefficients, residual, norm, correlations } = steps[at];
  const next = steps[at + 1]?.atoms[at];
  const [height, width] = shape;
  const made = patch.map((value, i) => value - residual[i]);
  const start = steps[0].norm || 1;
  return (
    <div class="omp-steps">
      <div class="row">
        <button
          type="button"
          class="primary"
          disabled={at + 1 >= steps.length}
          onClick={() => step.set(at + 1)}
        >
          Step
        </button>
        <button type="button" disabled={at === 0} onClick={() => step.set(at - 1)}>
          Back
        </button>
        <button type="button" disabled={at === 0} onClick={() => step.set(0)}>
          Reset
        </button>
        <p class="status" role="status">
          {at === 0 ? "No atom yet" : at === 1 ? "1 atom" : `${at} atoms`}, residual{" "}
          <span data-norm>{norm.toFixed(2)}</span>, {((100 * norm) / start).toFixed(0)} % of the patch
        </p>
      </div>
      <div class="omp-pictures">
        <figure>
          <PixelCanvas pixels={greyPixels(width, height, patch)} label="The patch" crisp />
          <figcaption>patch y</figcaption>
        </figure>
        <figure>
          <PixelCanvas pixels={greyPixels(width, height, made)} label="Its approximation" crisp />
          <figcaption>mean {mean === 0 ? "" : mean.toFixed(0)} + Dx</figcaption>
        </figure>
        <figure>
          <PixelCanvas
            pixels={greyPixels(
              width,
              height,
              residual.map((value) => 127.5 + value),
            )}
            label="The residual"
            crisp
          />
          <figcaption>residual r</figcaption>
        </figure>
        <figure class="next">
          {next !== undefined && (
            <PixelCanvas
              pixels={signedPixels(width, height, pictures[at])}
              label="The atom that is taken next"
              crisp
            />
          )}
          <figcaption data-next={next}>
            {next === undefined ? "nothing more to take" : `next: atom ${next}`}
          </figcaption>
        </figure>
      </div>
      <Correlations values={correlations} winner={next} />
      <div class="omp-bottom">
        <Coefficients
          atoms={atoms}
          coefficients={coefficients}
          former={steps[at - 1]?.coefficients ?? []}
          pictures={pictures}
          shape={shape}
        />
        <Plot
          label="The norm of the residual after each step"
          x={[0, Math.max(1, steps.length - 1)]}
          y={[0, start]}
          xLabel="atoms taken"
          yLabel="‖r‖"
          height={200}
          lines={[
            { class: "line-rest", points: steps.map((one, i) => [i, one.norm] as const), dashed: true },
            {
              class: "line-cropped",
              points: steps.slice(0, at + 1).map((one, i) => [i, one.norm] as const),
              dot: true,
            },
          ]}
        />
      </div>
    </div>
  );
}

/** |⟨r, d⟩| of all atoms as bars, with the largest marked. */
function Correlations({
  values,
  winner,
}: {
  readonly values: Float32Array;
  readonly winner: number | undefined;
}) {
  const [width, height] = [1000, 120];
  const { path, largest } = useMemo(() => {
    const largest = values.reduce((most, value) => Math.max(most, value), 0) || 1;
    const step = width / values.length;
    let path = "";
    values.forEach((value, i) => {
      path += `M${((i + 0.5) * step).toFixed(2)} ${height}V${(height - (value / largest) * (height - 6)).toFixed(1)}`;
    });
    return { path, largest };
  }, [values]);
  return (
    <figure class="correlations">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="The correlations of the residual with all atoms"
      >
        <path d={path} style={{ "--bar": Math.min(6, (0.7 * width) / values.length) }} />
        {winner !== undefined && (
          <path
            class="winner"
            d={`M${((winner + 0.5) * width) / values.length} ${height}V${height - (values[winner] / largest) * (height - 6)}`}
          />
        )}
      </svg>
      <figcaption>
        |⟨r, d⟩| for each of the {values.length.toLocaleString("en-GB")} atoms. The highest is taken next.
      </figcaption>
    </figure>
  );
}

interface CoefficientsProps {
  readonly atoms: readonly number[];
  readonly coefficients: readonly number[];
  /** Before the last step. */
  readonly former: readonly number[];
  readonly pictures: readonly Float32Array[];
  readonly shape: readonly number[];
}

function Coefficients({ atoms, coefficients, former, pictures, shape }: CoefficientsProps) {
  const [height, width] = shape;
  const shown = (value: number) => value.toFixed(1).replace("-", "−");
  return (
    <div class="coefficients">
      <p class="help">Atoms taken, and their coefficients before and after the last fit</p>
      {atoms.length === 0 && <p class="faint">Take a step.</p>}
      <ol>
        {atoms.map((atom, i) => (
          <li key={atom} data-taken={atom}>
            <PixelCanvas pixels={signedPixels(width, height, pictures[i])} label={`Atom ${atom}`} crisp />
            <span class="number">{shown(coefficients[i])}</span>
            <span class="former">{former[i] === undefined ? "new" : shown(former[i])}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
