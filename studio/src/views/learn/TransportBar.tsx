/** Learn, pause, step, stop, continue; and how far the run is. */

import { currentItem } from "../../app/library";
import { notifyOf } from "../../app/notices";
import type { Beginning } from "../../engine/learn/learnRun";
import {
  go,
  isActive,
  learn,
  type Phase,
  pause,
  phase,
  plan,
  progress,
  resume,
  run,
  step,
  stop,
} from "./session";
import { deviceName, settings } from "./settings";
import { startDictionary } from "./startFrom";
import { count } from "./words";

const words: Record<Phase, string> = {
  idle: "Ready",
  starting: "Starting …",
  learning: "Learning",
  paused: "Paused",
  stopping: "Stopping …",
  stopped: "Stopped",
  finished: "Finished",
};

export function TransportBar() {
  const now = phase.value;
  const { examples } = progress.value;
  const total = plan.value?.total ?? 0;
  return (
    <section class="transport" aria-label="Learning">
      <div class="row">
        <MainButton />
        <StepButton />
        <button
          type="button"
          disabled={!isActive.value || now === "stopping"}
          onClick={() => void stop().catch(notifyOf)}
        >
          Stop
        </button>
        {(isActive.value || now === "stopped" || now === "finished") && <AgainButton />}
        <p class="transport-state">
          <strong role="status">{words[now]}</strong>
          {total > 0 && (
            <span>
              {count(examples)} of {count(total)} patches
            </span>
          )}
        </p>
      </div>
      <progress max={Math.max(1, total)} value={examples} aria-label="Patches learned from" />
    </section>
  );
}

/** One mini-batch; of a new run where none is under way. */
function StepButton() {
  const now = phase.value;
  const isOpen = now === "paused" || now === "learning";
  return (
    <button
      type="button"
      disabled={!isOpen && (now !== "idle" || !settings.value)}
      title="One mini-batch"
      onClick={() => (isOpen ? step() : start("one step"))}
    >
      Step
    </button>
  );
}

/** The button that one presses next. */
function MainButton() {
  const now = phase.value;
  if (now === "learning")
    return (
      <button type="button" class="primary large" onClick={() => void pause().catch(notifyOf)}>
        Pause
      </button>
    );
  if (now === "paused")
    return (
      <button type="button" class="primary large" onClick={go}>
        Continue
      </button>
    );
  if (now === "stopped")
    return (
      <button type="button" class="primary large" onClick={() => void resume().catch(notifyOf)}>
        Continue
      </button>
    );
  const isBusy = now === "starting" || now === "stopping";
  return (
    <button type="button" class="primary large" disabled={isBusy || !settings.value} onClick={() => start()}>
      {now === "finished" ? "Learn again" : "Learn"}
    </button>
  );
}

/** A run with the settings of now, where they are others than those of the run. */
function AgainButton() {
  const now = settings.value;
  const current = run.value;
  const isSame =
    now !== undefined &&
    current !== undefined &&
    JSON.stringify({ ...now, sparsity: 0 }) === JSON.stringify({ ...current.settings, sparsity: 0 }) &&
    deviceName.value === current.device &&
    current.item.id === currentItem.value?.id &&
    (isActive.value || now.sparsity === current.settings.sparsity);
  if (phase.value === "finished" || phase.value === "starting") return null;
  if (isSame && phase.value !== "stopped") return null;
  return (
    <button type="button" onClick={() => start()}>
      {isSame ? "Learn again" : "Learn with the new settings"}
    </button>
  );
}

function start(begins: Beginning = "going"): void {
  const item = currentItem.peek();
  const chosen = settings.peek();
  if (!item || !chosen) return;
  const from = startDictionary.peek();
  learn({ item, settings: chosen, device: deviceName.value, start: from, begins }).catch(notifyOf);
}
