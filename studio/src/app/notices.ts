/** Lines for the person at the page: errors and news, read aloud by screen readers. */

import { signal } from "@preact/signals";

export interface Notice {
  readonly id: number;
  readonly kind: "error" | "news";
  readonly text: string;
}

export const notices = signal<readonly Notice[]>([]);
let next = 1;

/** The most lines at a time. */
const most = 3;

export function notify(text: string, kind: Notice["kind"] = "news"): void {
  notices.value = [
    ...notices.value.filter((notice) => notice.text !== text),
    { id: next++, kind, text },
  ].slice(-most);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Show what went wrong, unless it was cancelled. */
export function notifyOf(error: unknown): void {
  const { name, kind, message } = error as { name?: string; kind?: string; message?: string };
  if (name === "AbortError" || kind === "AbortError") return;
  notify(message ?? String(error), "error");
}
