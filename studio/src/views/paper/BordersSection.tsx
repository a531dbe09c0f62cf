/** Figures 1 and 2: a signal with ends that can be moved, and what M wavelets make of it under four border treatments. */

import { addressed, integer, oneOf } from "../../app/address";
import type { BorderResult, TreatmentResult } from "../../engine/paper/borderTasks";
import {
  borderSamples,
  borderTreatments,
  samples,
  shownBeyond,
  signalNames,
} from "../../engine/paper/settings";
import { Choice } from "../../parts/Choice";
import { Slider } from "../../parts/Slider";
import { currentPicture, greyAt } from "./currentPicture";
import { Arg, Equation, Norm, Sub, Sup, V } from "./math";
import { Plot, pathOf } from "./Plot";
import { Section } from "./Section";
import { SignalEditor } from "./SignalEditor";
import { useTask } from "./useTask";

const chosenSignal = addressed("signal", "smooth", oneOf(signalNames));
const left = addressed("left", 0, integer(-300, 300));
const right = addressed("right", 0, integer(-300, 300));
const row = addressed("row", 0, integer(0, 100_000));
const waveletNames = ["haar", "db2", "sym4", "sym8", "db13"] as const;
const wavelet = addressed("wavelet", "sym8", oneOf(waveletNames));
const terms = addressed("terms", 5, integer(1, 32));

const signalTexts = {
  smooth: "Smooth, as in figure 1",
  jump: "With a jump",
  ramp: "A ramp",
  row: "A row of the picture",
};

const names: Record<TreatmentResult["border"], string> = {
  periodic: "Periodic",
  symmetric: "Symmetric",
  zero: "Zero",
  cropped: "Cropped wavelets",
};

const about: Record<TreatmentResult["border"], string> = {
  periodic: "The signal repeats: its end meets its start.",
  symmetric: "The signal is mirrored: its slope breaks.",
  zero: "Nothing outside: the signal falls to zero.",
  cropped: "Free outside: whatever suits the wavelets.",
};

/** Samples of a row of the current picture, from the middle of it. */
function rowOf(number: number): number[] | undefined {
  const picture = currentPicture();
  if (!picture || picture.shape[1] < samples) return undefined;
  const start = Math.floor((picture.shape[1] - samples) / 2);
  const at = Math.min(number, picture.shape[0] - 1);
  return Array.from({ length: samples }, (_, i) => greyAt(picture, at, start + i));
}

export function BordersSection() {
  const picked = chosenSignal.value === "row" ? rowOf(row.value) : undefined;
  const input = {
    signal: chosenSignal.value,
    row: picked,
    left: left.value / 100,
    right: right.value / 100,
    wavelet: wavelet.value,
    terms: terms.value,
  };
  const result = useTask("paperBorders", JSON.stringify(input), () => input);
  return (
    <Section id="borders" title="Borders" source="§III-A · figures 1 and 2" text={<BordersText />}>
      <div class="border-top">
        <div>
          {result && (
            <SignalEditor
              signal={result.signal}
              border={borderSamples}
              ends={{
                left: result.unmoved.left + left.value / 100,
                right: result.unmoved.right + right.value / 100,
              }}
              onMove={(end, value) => {
                const offset = end === "left" ? left : right;
                offset.set(Math.round(100 * (value - result.unmoved[end])));
              }}
            />
          )}
          <p class="help">
            Drag the two ends, or move them with the arrow keys. 64 samples, without their mean.
          </p>
        </div>
        <div class="side">
          <Choice
            label="Signal"
            value={chosenSignal.value}
            options={signalNames.map((value) => ({ value, text: signalTexts[value] }))}
            onChange={(value) => {
              left.set(0);
              right.set(0);
              chosenSignal.set(value);
            }}
          />
          {chosenSignal.value === "row" && !picked && (
            <p class="help">The picture is narrower than {samples} pixels.</p>
          )}
          {picked && (
            <Slider
              label="Row"
              min={0}
              max={(currentPicture()?.shape[0] ?? 1) - 1}
              value={Math.min(row.value, (currentPicture()?.shape[0] ?? 1) - 1)}
              onChange={(value) => row.set(value)}
            />
          )}
          <Choice
            label="Wavelet"
            value={wavelet.value}
            options={waveletNames.map((value) => ({ value, text: value }))}
            onChange={(value) => wavelet.set(value)}
          />
          <Slider
            label="Wavelets kept, M"
            min={1}
            max={32}
            value={terms.value}
            onChange={(value) => terms.set(value)}
          />
        </div>
      </div>
      {result && <Treatments result={result} />}
    </Section>
  );
}

function BordersText() {
  return (
    <>
      <p>
        A wavelet transform wants an endless signal. A patch ends. So one has to say what comes after the last
        sample: the signal again, its mirror image, or zeros. Each choice makes a jump or a kink that is not
        in the data, and wavelets are spent on it.
      </p>
      <p>
        The paper says nothing about the outside. It takes the wavelets of a longer signal, W<sub>s</sub>,
        cuts out the rows of the patch, P<sup>T</sup>, and looks for few atoms <em>g</em> that make the
        inside:
      </p>
      <Equation
        number="(6)"
        parts={[
          <>
            <Sub of={<V>g</V>} by={<mi>w</mi>} />
            <mo>=</mo>
            <Arg of="min" over={<V>g</V>} />
            <mspace width="0.3em" />
            <Norm by="0">
              <V>g</V>
            </Norm>
          </>,
          <>
            <mtext>such that</mtext>
            <mspace width="0.8em" /> <Sup of={<V>P</V>} by={<mi>T</mi>} />
            <Sub of={<V>W</V>} by={<mi>s</mi>} />
            <V>g</V>
            <mo>=</mo>
            <V>f</V>
          </>,
        ]}
      />
      <p>
        The outside is then whatever these atoms happen to do there. Move the ends apart and compare the four
        ways with the same number of wavelets.
      </p>
    </>
  );
}

function Treatments({ result }: { readonly result: BorderResult }) {
  const { signal, treatments } = result;
  const worst = Math.max(...treatments.flatMap(({ atBorder, inside }) => [atBorder, inside]), 1e-9);
  const highestError = Math.max(...treatments.flatMap(({ errors }) => [...errors]), 1e-6);
  const cropped = treatments.find(({ border }) => border === "cropped");
  const best = treatments
    .filter(({ border }) => border !== "cropped")
    .reduce((least, one) => (one.atBorder < least.atBorder ? one : least));
  return (
    <>
      <div class="treatments">
        {treatments.map((one) => (
          <figure key={one.border} class={`treatment line-${one.border}`}>
            <Extension signal={signal} result={one} />
            <figcaption>
              <strong>{names[one.border]}</strong>
              <span>{about[one.border]}</span>
            </figcaption>
            <dl class="errors">
              <ErrorBar
                label="at the borders"
                name={`${one.border}-border`}
                value={one.atBorder}
                of={worst}
              />
              <ErrorBar label="inside" name={`${one.border}-inside`} value={one.inside} of={worst} />
            </dl>
          </figure>
        ))}
      </div>
      {cropped && (
        <p class="verdict" aria-live="polite">
          {verdict(cropped, best)}
        </p>
      )}
      <figure>
        <Plot
          label="The error of each sample under the four border treatments"
          x={[0, samples - 1]}
          y={[0, 1.08 * highestError]}
          xLabel="sample"
          yLabel="|error|"
          bands={[
            [0, borderSamples - 0.5],
            [samples - borderSamples - 0.5, samples - 1],
          ]}
          height={220}
          lines={treatments.map(({ border, errors }) => ({
            class: `line-${border}`,
            points: Array.from(errors, (value, i) => [i, value] as const),
          }))}
        />
        <figcaption class="legend">
          {borderTreatments.map((border) => (
            <span key={border} class={`line-${border}`}>
              {names[border]}
            </span>
          ))}
        </figcaption>
      </figure>
    </>
  );
}

function verdict(cropped: TreatmentResult, best: TreatmentResult): string {
  const name = names[best.border].toLowerCase();
  if (Math.max(best.atBorder, cropped.atBorder) < 1e-6) return "Here nothing is left at the borders.";
  const ratio = best.atBorder / cropped.atBorder;
  if (ratio > 1.05) {
    const times = ratio < 100 ? ratio.toPrecision(2) : ratio.toFixed(0);
    return `At the borders, the best of the others (${name}) leaves ${times} times the error of cropped wavelets.`;
  }
  const [all, other] = [cropped.overall.toFixed(3), best.overall.toFixed(3)];
  return `Here the ${name} extension suits the borders as well or better. Over all samples it leaves ${other}, cropped wavelets ${all}.`;
}

function ErrorBar(props: {
  readonly label: string;
  readonly name: string;
  readonly value: number;
  readonly of: number;
}) {
  const { label, name, value, of } = props;
  return (
    <div>
      <dt>{label}</dt>
      <dd data-error={name}>{value.toFixed(4)}</dd>
      <span class="bar-room" aria-hidden="true">
        <span style={{ width: `${(100 * value) / of}%` }} />
      </span>
    </div>
  );
}

/** The signal, its extension past the borders, and the approximation of both. */
function Extension({ signal, result }: { readonly signal: Float64Array; readonly result: TreatmentResult }) {
  const [width, height, view] = [280, 150, 1.75];
  const total = samples + 2 * shownBeyond;
  const px = (i: number) => (i / (total - 1)) * width;
  const py = (value: number) => height / 2 - (value / view) * (height / 2);
  const points = (values: Float64Array, from = 0, to = values.length) =>
    Array.from(values.subarray(from, to), (value, i) => [from + i, value] as const);
  const [first, last] = [shownBeyond, shownBeyond + samples - 1];
  return (
    <svg
      class="extension"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${names[result.border]}: the signal, its extension, and the approximation`}
    >
      <rect class="outside" x={0} y={0} width={px(first)} height={height} />
      <rect class="outside" x={px(last)} y={0} width={width - px(last)} height={height} />
      <path class="given" d={pathOf(points(result.extended, 0, first + 1), px, py)} />
      <path class="given" d={pathOf(points(result.extended, last), px, py)} />
      <path
        class="truth"
        d={pathOf(
          Array.from(signal, (value, i) => [first + i, value] as const),
          px,
          py,
        )}
      />
      <path class="curve" d={pathOf(points(result.approximation), px, py)} />
    </svg>
  );
}
