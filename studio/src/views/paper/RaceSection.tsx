/** Figure 5 live: learners that race on the current picture. */

import { addressed, integer, type Kind } from "../../app/address";
import { type Racer, racers } from "../../engine/paper/settings";
import { Choice } from "../../parts/Choice";
import { PictureChooser } from "../../parts/Choosers";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { Slider } from "../../parts/Slider";
import { currentPicture, isPicture } from "./currentPicture";
import { Equation, Fence, Sub, Sup, V } from "./math";
import { Plot } from "./Plot";
import { type Lane, lanes, racing, startRace, stopRace } from "./raceState";
import { Section } from "./Section";

const chosen: Kind<readonly Racer[]> = {
  read: (text) => {
    const found = racers.filter((racer) => text.split(",").includes(racer));
    return found.length > 0 ? found : undefined;
  },
  write: (names) => names.join(","),
};
const learners = addressed<readonly Racer[]>("learners", ["osdl", "sparse-ksvd", "odl"], chosen);
const side = addressed("race-patch", 12, integer(8, 20));
const shares = [5, 10, 25];
const share = addressed("race-share", 5, integer(1, 50));
const examples = addressed("race-examples", 10_000, integer(500, 100_000));
const seconds = addressed("race-seconds", 10, integer(1, 120));

const names: Record<Racer, string> = {
  osdl: "OSDL",
  "sparse-odl": "Sparse ODL",
  "sparse-ksvd": "Sparse K-SVD",
  odl: "ODL",
  niht: "NIHT",
};

const about: Record<Racer, string> = {
  osdl: "Algorithm 2: sparse, online",
  "sparse-odl": "sparse, online; not in the paper",
  "sparse-ksvd": "sparse, all patches at a time",
  odl: "dense, online",
  niht: "Algorithm 1: sparse, atom by atom",
};

export function RaceSection() {
  return (
    <Section
      id="race"
      title="Online learning"
      source="§IV · figure 5"
      text={
        <>
          <p>
            Older methods code every example before they change one atom. OSDL takes a handful of patches,
            takes one step downhill with all atoms they used, keeps the <em>k</em> largest entries per column,
            and continues with the next handful:
          </p>
          <Equation
            number="(12)"
            parts={[
              <>
                <Sup
                  of={<V>A</V>}
                  by={
                    <>
                      <mi>t</mi>
                      <mo>+</mo>
                      <mn>1</mn>
                    </>
                  }
                />
                <mo>=</mo>
                <Sub of={<mi>𝒫</mi>} by={<mi>k</mi>} />
                <Fence>[</Fence>
                <Sup of={<V>A</V>} by={<mi>t</mi>} />
                <mo>−</mo>
                <Sup of={<mi>η</mi>} by={<mi>t</mi>} />
                <mo>∇</mo>
                <mi>f</mi>
                <Fence>(</Fence>
                <Sup of={<V>A</V>} by={<mi>t</mi>} />
                <Fence>)</Fence>
                <Fence>]</Fence>
              </>,
            ]}
          />
          <p>
            Let learners race on your picture. All start from the same cropped wavelets, see the same patches,
            and are tested on the same other patches. They take turns in one worker: the one that has used the
            least time is next. The clock of each runs only while it learns itself: not while it is set up,
            tested or drawn.
          </p>
        </>
      }
    >
      <Race />
    </Section>
  );
}

function Race() {
  const picture = currentPicture();
  const fits = picture?.shape.slice(0, 2).every((size) => size >= 2 * side.value) ?? false;
  const toggle = (racer: Racer) => {
    const has = learners.value.includes(racer);
    const next = racers.filter((one) => (one === racer ? !has : learners.value.includes(one)));
    if (next.length > 0) learners.set(next);
  };
  return (
    <div class="race">
      <div class="side">
        <PictureChooser fits={isPicture} />
        <fieldset disabled={racing.value}>
          <legend>Learners</legend>
          {racers.map((racer) => (
            <label key={racer} class={`check line-${racer}`}>
              <input
                type="checkbox"
                checked={learners.value.includes(racer)}
                onChange={() => toggle(racer)}
              />
              <span>
                {names[racer]} <small>{about[racer]}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <Choice
          label="Patch"
          value={String(side.value)}
          disabled={racing.value}
          options={[8, 12, 16, 20].map((size) => ({ value: String(size), text: `${size}×${size}` }))}
          onChange={(value) => side.set(Number(value))}
        />
        <Choice
          label="Non-zeros per atom, k"
          value={String(share.value)}
          disabled={racing.value}
          options={[...new Set([...shares, share.value])].map((percent) => ({
            value: String(percent),
            text: `${percent} % of the pixels: ${Math.max(1, Math.round((percent * side.value ** 2) / 100))}`,
          }))}
          onChange={(value) => share.set(Number(value))}
        />
        <Choice
          label="Patches to learn from"
          value={String(examples.value)}
          disabled={racing.value}
          options={[...new Set([1000, 10_000, 50_000, examples.value])].map((count) => ({
            value: String(count),
            text: count.toLocaleString("en-GB"),
          }))}
          onChange={(value) => examples.set(Number(value))}
        />
        <Slider
          label="Seconds each"
          min={1}
          max={60}
          value={seconds.value}
          disabled={racing.value}
          onChange={(value) => seconds.set(value)}
        />
        {racing.value ? (
          <button type="button" onClick={stopRace}>
            Stop
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            disabled={!fits}
            onClick={() => {
              if (!picture) return;
              void startRace(picture, {
                side: side.value,
                learners: learners.value,
                share: share.value,
                examples: examples.value,
                seconds: seconds.value,
              });
            }}
          >
            Start the race
          </button>
        )}
        <p class="help" role="status">
          {racing.value
            ? "Racing."
            : lanes.value.some(({ points }) => points.length > 0)
              ? "Ended."
              : "Ready."}
        </p>
      </div>
      <RaceResult />
    </div>
  );
}

function RaceResult() {
  const shown = lanes.value;
  const all = shown.flatMap(({ points }) => points);
  const errors = all.map(([, error]) => error);
  const [least, most] = [Math.min(...errors), Math.max(...errors)];
  const last = Math.max(0.5, ...all.map(([time]) => time));
  const first = shown[0]?.points[0]?.[1];
  return (
    <div class="race-result">
      <Plot
        label="The test error of each learner against its seconds"
        x={[0, last]}
        y={all.length > 1 ? [least - 0.05 * (most - least || 1), most + 0.02 * (most - least || 1)] : [0, 1]}
        xLabel="seconds of its own"
        yLabel="test error"
        height={320}
        lines={shown.map(({ learner, points }) => ({ class: `line-${learner}`, points, dot: true }))}
      />
      {first === undefined && (
        <p class="help">The error on patches that no learner has seen, root mean square, in grey levels.</p>
      )}
      <div class="lanes">
        {shown.map((lane) => (
          <LaneCard key={lane.learner} lane={lane} />
        ))}
      </div>
    </div>
  );
}

function LaneCard({ lane }: { readonly lane: Lane }) {
  const { learner, points, examples: seen, picture } = lane;
  const last = points[points.length - 1];
  return (
    <figure class={`lane line-${learner}`}>
      {picture ? (
        <PixelCanvas pixels={picture} label={`The most used atoms of ${names[learner]}`} crisp />
      ) : (
        <div class="empty" />
      )}
      <figcaption>
        <strong>{names[learner]}</strong>
        {last && (
          <span data-lane={learner} data-tests={points.length}>
            <b>{last[1].toFixed(2)}</b> after {last[0].toFixed(1)} s, {seen.toLocaleString("en-GB")} patches
          </span>
        )}
      </figcaption>
    </figure>
  );
}
