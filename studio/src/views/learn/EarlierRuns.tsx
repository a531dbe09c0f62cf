/** Runs of earlier visits that were not finished, or not saved. */

import { notifyOf } from "../../app/notices";
import type { StoredRun } from "../../engine/learn/learnStore";
import { continueEarlier, discardEarlier, earlier, isActive } from "./session";
import { count } from "./words";

export function EarlierRuns() {
  if (earlier.value.length === 0) return null;
  return (
    <section class="earlier" aria-label="Earlier runs">
      {earlier.value.map((stored) => (
        <EarlierRun key={stored.key} stored={stored} />
      ))}
    </section>
  );
}

function EarlierRun({ stored }: { readonly stored: StoredRun }) {
  const { key, name, settings, examples, total } = stored;
  const isFinished = examples >= total;
  return (
    <p class="earlier-run">
      <span>
        {isFinished ? "Learned before: " : "Continue where you stopped: "}
        <strong>
          {isFinished ? `${count(total)} patches` : `${count(examples)} of ${count(total)} patches`}
        </strong>{" "}
        of {name}, {settings.patch.join("×")}, {settings.learner.name}
      </span>
      <span class="row">
        <button
          type="button"
          class="primary"
          disabled={isActive.value}
          onClick={() => void continueEarlier(stored).catch(notifyOf)}
        >
          {isFinished ? "Open" : "Continue"}
        </button>
        <button type="button" class="quiet" onClick={() => void discardEarlier(key).catch(notifyOf)}>
          Discard
        </button>
      </span>
    </p>
  );
}
