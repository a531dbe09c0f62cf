/** The button that starts a task, or its progress with a button that cancels it. */

import type { TaskProgress } from "trainlets/parts";

export interface TaskBarProps {
  readonly action: string;
  readonly isRunning: boolean;
  /** From 0 to 1. */
  readonly whole: number | undefined;
  /** What is done now. */
  readonly now: string | undefined;
  readonly failure: string | undefined;
  readonly disabled?: boolean;
  readonly onStart: () => void;
  readonly onCancel: () => void;
}

export function TaskBar(props: TaskBarProps) {
  const { action, isRunning, whole, now, failure, disabled, onStart, onCancel } = props;
  return (
    <div class="restore-task">
      {isRunning ? (
        <>
          <progress value={whole ?? 0} aria-label={action} />
          <p class="restore-now">
            <span>{now ?? "starting …"}</span>
            <button type="button" onClick={onCancel}>
              Cancel
            </button>
          </p>
        </>
      ) : (
        <button type="button" class="primary" disabled={disabled} onClick={onStart}>
          {action}
        </button>
      )}
      <p class="restore-failure" role="status">
        {failure}
      </p>
    </div>
  );
}

/** Progress in words. */
export function progressText(progress: TaskProgress | undefined): string | undefined {
  if (!progress) return undefined;
  const { stage, pass, passes, whole } = progress;
  const verb = stage === "learning" ? "learning a dictionary" : "coding patches";
  return `${verb}${passes > 1 ? `, ${pass} of ${passes}` : ""} · ${Math.floor(100 * whole)} %`;
}
