/** The notices, below the bar. */

import { dismiss, notices } from "./notices";

export function NoticeList() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text }) => (
        <p key={id} class={`notice ${kind}`}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label={`Dismiss: ${text}`} onClick={() => dismiss(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
