/** Double sparsity: one column of A in hand, its atom beside it, and the numbers that a dictionary needs. */

import { useMemo } from "preact/hooks";
import { addressed, addressOf, integer, type Kind } from "../../app/address";
import { smallShape } from "../../engine/paper/settings";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { picturePixels, signedPixels } from "../../parts/pixels";
import { Slider } from "../../parts/Slider";
import { AtomGrid } from "./AtomGrid";
import { Equation, Fence, Norm, Sub, V } from "./math";
import { Section } from "./Section";
import { useTask } from "./useTask";

interface Entry {
  readonly atom: number;
  readonly value: number;
}

const mostEntries = 8;

/** `30:0.8,45:-0.5`: base atoms and coefficients. */
const entryList: Kind<readonly Entry[]> = {
  read: (text) => {
    if (text === "") return [];
    const found = text.split(",").map((part) => /^(\d{1,3}):(-?[\d.]{1,5})$/.exec(part));
    const entries = found.flatMap((match) =>
      match ? [{ atom: Number(match[1]), value: Number(match[2]) }] : [],
    );
    const fits = entries.every(({ atom, value }) => atom < 196 && Math.abs(value) <= 1);
    const distinct = new Set(entries.map(({ atom }) => atom)).size === entries.length;
    return entries.length === found.length && fits && distinct ? entries.slice(0, mostEntries) : undefined;
  },
  write: (entries) => entries.map(({ atom, value }) => `${atom}:${Number(value.toFixed(2))}`).join(","),
};

const column = addressed<readonly Entry[]>(
  "column",
  [
    { atom: 99, value: -1 },
    { atom: 21, value: 0.99 },
    { atom: 2, value: 0.69 },
    { atom: 28, value: -0.67 },
  ],
  entryList,
);
const k = addressed("k", 4, integer(1, mostEntries));
const cursor = addressed("base", 99, integer(0, 195));
const side = addressed("side", 64, integer(4, 64));

export function SparsitySection() {
  return (
    <Section
      id="sparsity"
      title="Double sparsity"
      source="§II"
      text={
        <>
          <p>
            A dictionary D that is learned number by number is large and slow to apply. Here every atom is a
            mixture of a few base atoms. Φ is fixed and fast; only the sparse matrix A is learned, with at
            most <em>k</em> non-zeros per column:
          </p>
          <Equation
            number="(3)"
            parts={[
              <>
                <munder>
                  <mi>min</mi>
                  <mrow>
                    <V>A</V>
                    <mo>,</mo>
                    <V>X</V>
                  </mrow>
                </munder>
                <mspace width="0.3em" />
                <mfrac>
                  <mn>1</mn>
                  <mn>2</mn>
                </mfrac>
                <msubsup>
                  <mrow>
                    <Fence>‖</Fence>
                    <V>Y</V>
                    <mo>−</mo>
                    <V>Φ</V>
                    <V>A</V>
                    <V>X</V>
                    <Fence>‖</Fence>
                  </mrow>
                  <mi>F</mi>
                  <mn>2</mn>
                </msubsup>
              </>,
              <>
                <mtext>such that</mtext>
                <mspace width="0.6em" />{" "}
                <Norm by="0">
                  <Sub of={<V>x</V>} by={<mi>i</mi>} />
                </Norm>
                <mo>≤</mo>
                <mi>p</mi>
                <mo>,</mo>
                <mspace width="0.6em" />
                <Norm by="0">
                  <Sub of={<V>a</V>} by={<mi>j</mi>} />
                </Norm>
                <mo>=</mo>
                <mi>k</mi>
              </>,
            ]}
          />
          <p>
            The four below make a slanted edge, which no atom of Φ is. Mix others. With more than <em>k</em>,
            the smallest are dropped: that is the projection 𝒫<sub>k</sub> of the learning algorithm.
          </p>
        </>
      }
    >
      <Column />
      <Counts />
    </Section>
  );
}

function Column() {
  const base = useTask("paperSmallBase", "small", () => undefined);
  const entries = column.value;
  const input = { entries, k: k.value };
  const result = useTask("paperColumn", JSON.stringify(input), () => input);
  const gallery = useMemo(() => base && picturePixels(base.gallery), [base]);
  if (!base || !gallery || !result) return <div class="mix" />;
  const n = smallShape[0] * smallShape[1];
  const tile = (atom: number) =>
    signedPixels(smallShape[1], smallShape[0], base.atoms.subarray(atom * n, (atom + 1) * n));
  const change = (atom: number, value: number) =>
    column.set(entries.map((entry) => (entry.atom === atom ? { atom, value } : entry)));
  const take = (atom: number) => {
    if (entries.some((entry) => entry.atom === atom)) {
      column.set(entries.filter((entry) => entry.atom !== atom));
    } else if (entries.length < mostEntries) column.set([...entries, { atom, value: 0.7 }]);
  };
  const kept = new Set(result.kept);
  return (
    <div class="mix">
      <figure class="mix-base">
        <AtomGrid
          pixels={gallery}
          columns={base.perAxis}
          rows={base.count / base.perAxis}
          gap={base.gap}
          at={Math.min(cursor.value, base.count - 1)}
          taken={entries.map(({ atom }) => atom)}
          label="Base atoms Φ; the arrow keys choose one, Enter takes it or puts it back."
          onMove={(atom) => cursor.set(atom)}
          onTake={take}
        />
        <figcaption>
          <strong>Φ</strong> {base.count} cropped wavelets of 8×8. Click to take one, or to put it back.
        </figcaption>
      </figure>
      <span class="sign" aria-hidden="true">
        ×
      </span>
      <div class="mix-column">
        <Slider
          label="Non-zeros, k"
          min={1}
          max={mostEntries}
          value={k.value}
          onChange={(value) => k.set(value)}
        />
        {entries.map(({ atom, value }) => (
          <div key={atom} class={kept.has(atom) ? "entry" : "entry dropped"}>
            <PixelCanvas pixels={tile(atom)} label="" crisp />
            <Slider
              label={kept.has(atom) ? `atom ${atom}` : `atom ${atom}, dropped`}
              min={-1}
              max={1}
              step={0.01}
              value={value}
              shown={value.toFixed(2).replace("-", "−")}
              onChange={(to) => change(atom, to)}
            />
            <button
              type="button"
              class="quiet"
              aria-label={`Put base atom ${atom} back`}
              onClick={() => take(atom)}
            >
              ×
            </button>
          </div>
        ))}
        <p class="help">
          <strong>a</strong> one column of A: {kept.size} of {base.count} numbers are not zero.
        </p>
      </div>
      <span class="sign" aria-hidden="true">
        =
      </span>
      <figure class="mix-atom">
        <PixelCanvas
          pixels={signedPixels(smallShape[1], smallShape[0], result.atom)}
          label="The atom that the column of A makes"
          crisp
        />
        <figcaption>
          <strong>d = Φa</strong> one atom of the dictionary.
        </figcaption>
      </figure>
    </div>
  );
}

function Counts() {
  const counts = useTask("paperCounts", String(side.value), () => ({ side: side.value }));
  if (!counts) return <div class="counts" />;
  const { n, m } = counts;
  const sparse = Math.round(2 * Math.sqrt(n)); // the default of the library
  const whole = (value: number) => value.toLocaleString("en-GB");
  return (
    <div class="counts panel">
      <Slider
        label="Patch"
        min={4}
        max={64}
        value={side.value}
        shown={`${side.value}×${side.value}`}
        help={`n = ${whole(n)} samples, m = ${whole(m)} atoms, k = ${whole(sparse)} non-zeros`}
        onChange={(value) => side.set(value)}
      />
      <dl>
        <div>
          <dt>D, number by number: n · m</dt>
          <dd data-count="explicit">{whole(n * m)}</dd>
          <span class="bar-room" aria-hidden="true">
            <span style={{ width: "100%" }} />
          </span>
        </div>
        <div>
          <dt>A, by its non-zeros: k · m</dt>
          <dd data-count="sparse">{whole(sparse * m)}</dd>
          <span class="bar-room" aria-hidden="true">
            <span style={{ width: `${(100 * sparse) / n}%` }} />
          </span>
        </div>
      </dl>
      <p>
        {whole(Math.round(n / sparse))} times fewer numbers to learn.{" "}
        <a href={addressOf("explore")}>See how the atoms of a dictionary are mixed, in Explore.</a>
      </p>
    </div>
  );
}
