/** What an atom is made of: the base atoms of its column of A, largest first, adding up as a slider moves. */

import { useState } from "preact/hooks";
import type { AtomDetail } from "../../engine/explore/exploreTasks";
import { Slider } from "../../parts/Slider";
import { AtomPicture } from "./AtomPicture";
import { grouped, percent, signed } from "./atomWords";
import { allTerms, terms as chosenTerms } from "./exploreState";
import { TilePicture } from "./TilePicture";

/** Tiles that are shown at first, and more with each press of a button. */
const pageOfTiles = 24;

export interface AtomTermsProps {
  readonly detail: AtomDetail;
  readonly shape: readonly number[];
  readonly largest: number;
  readonly slice: number;
}

export function AtomTerms({ detail, shape, largest, slice }: AtomTermsProps) {
  const { terms, samples } = detail;
  if (!terms)
    return (
      <section>
        <h3>Made of</h3>
        <p class="help">
          This dictionary has no base: its atoms are stored as they are. There is no column of A to show.
        </p>
      </section>
    );
  const count = terms.rows.length;
  const shown = Math.min(chosenTerms.value, count);
  const sum = terms.sums.subarray(shown * samples.length, (shown + 1) * samples.length);
  const choose = (t: number) => chosenTerms.set(t >= count ? allTerms : t);
  return (
    <section>
      <h3>Made of</h3>
      <p class="help">
        {grouped(terms.nonZeros)} base {terms.nonZeros === 1 ? "atom" : "atoms"}, the column of A, largest
        first.{terms.nonZeros > count && ` The first ${grouped(count)} are shown.`}
      </p>
      <Slider
        label="Terms added up"
        value={shown}
        min={0}
        max={count}
        shown={`${grouped(shown)} of ${grouped(count)}`}
        disabled={count === 0}
        onChange={choose}
      />
      <div class="term-sum">
        <AtomPicture
          shape={shape}
          samples={sum}
          largest={largest}
          slice={slice}
          label={`The sum of ${shown} of ${count} base atoms`}
        />
        <div>
          <dl class="facts">
            <div>
              <dt>Relative error</dt>
              <dd data-error={terms.errors[shown]}>{percent(terms.errors[shown])}</dd>
            </div>
          </dl>
          <ErrorCurve errors={terms.errors} shown={shown} />
        </div>
      </div>
      <TermTiles detail={detail} shown={shown} onChoose={choose} />
    </section>
  );
}

/** The relative errors after 0, 1, … terms, and where the slider is. */
function ErrorCurve({ errors, shown }: { readonly errors: Float64Array; readonly shown: number }) {
  const [width, height] = [200, 72];
  const x = (t: number) => (errors.length > 1 ? (width * t) / (errors.length - 1) : 0);
  const y = (t: number) => 4 + (height - 8) * (1 - Math.min(1, errors[t]));
  const step = Math.max(1, Math.floor(errors.length / 400));
  const line: string[] = [];
  for (let t = 0; t < errors.length; t += step)
    line.push(`${t === 0 ? "M" : "L"}${x(t).toFixed(1)} ${y(t).toFixed(1)}`);
  line.push(`L${x(errors.length - 1).toFixed(1)} ${y(errors.length - 1).toFixed(1)}`);
  return (
    <svg class="error-curve" viewBox={`-5 0 ${width + 10} ${height}`} aria-hidden="true">
      <path class="trace-zero" d={`M0 ${height - 4}H${width}`} />
      <path class="trace-line" d={line.join("")} />
      <circle cx={x(shown)} cy={y(shown)} r={4.5} />
    </svg>
  );
}

interface TermTilesProps {
  readonly detail: AtomDetail;
  readonly shown: number;
  readonly onChoose: (terms: number) => void;
}

function TermTiles({ detail, shown, onChoose }: TermTilesProps) {
  const [limit, setLimit] = useState(pageOfTiles);
  const { terms } = detail;
  if (!terms) return null;
  const count = terms.rows.length;
  const listed = Array.from({ length: Math.min(limit, count) }, (_, t) => t);
  return (
    <>
      <ol class="tile-list" aria-label="Base atoms, largest coefficient first">
        {listed.map((t) => (
          <li key={t}>
            <button
              type="button"
              class={t < shown ? "tile-button in" : "tile-button"}
              title={`Base atom ${grouped(terms.rows[t] + 1)}: add up the first ${grouped(t + 1)}`}
              onClick={() => onChoose(t + 1)}
            >
              <TilePicture tiles={terms.tiles} index={t} label={`base atom ${terms.rows[t] + 1}`} />
              <span>{signed(terms.coefficients[t])}</span>
            </button>
          </li>
        ))}
      </ol>
      {count > limit && (
        <button type="button" class="more" onClick={() => setLimit(limit + 4 * pageOfTiles)}>
          Show more of {grouped(count)}
        </button>
      )}
    </>
  );
}
