/**
 * The state of a view in the address, so that a link shows the same: `#/explore?sort=use&atom=17`. Values are texts; a
 * value that is the default is left out. What does not fit is replaced by the default.
 */

import { computed, type ReadonlySignal, signal } from "@preact/signals";

const hash = signal(location.hash);
addEventListener("hashchange", () => {
  clearTimeout(writing);
  writing = undefined;
  hash.value = location.hash;
});

let writing: ReturnType<typeof setTimeout> | undefined;

/** Write the address soon: browsers refuse more than some hundred changes in ten seconds, and sliders move faster. */
function writeSoon(): void {
  writing ??= setTimeout(() => {
    writing = undefined;
    history.replaceState(null, "", hash.peek());
  }, 150);
}

const parts = computed(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?");
  return { view: path, values: new URLSearchParams(query) };
});

/** The name of the view that the address asks for. */
export const addressedView: ReadonlySignal<string> = computed(() => parts.value.view);

/** The address of a view, for links. */
export function addressOf(view: string, values: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(values).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

/** Take a value out of the address, which no longer shows it; undefined if there is no such value. */
export function takeFromAddress(name: string): string | undefined {
  const { view, values } = parts.peek();
  const found = values.get(name);
  if (found === null) return undefined;
  const rest = new URLSearchParams(values);
  rest.delete(name);
  history.replaceState(null, "", addressOf(view, Object.fromEntries(rest)));
  hash.value = location.hash;
  return found;
}

/** A value of the address: its name, its default, and how it is read and written. */
export interface Setting<T> {
  readonly value: T;
  set(value: T): void;
}

/** How texts become values; `read` returns undefined for a text that does not fit. */
export interface Kind<T> {
  read(text: string): T | undefined;
  write(value: T): string;
}

export const text: Kind<string> = { read: (value) => value, write: (value) => value };

/** An integer from `least` to `most`. */
export const integer = (least: number, most: number): Kind<number> => ({
  read: (value) => {
    const number = Number(value);
    return /^-?\d+$/.test(value) && number >= least && number <= most ? number : undefined;
  },
  write: String,
});

/** One of some words. */
export const oneOf = <T extends string>(words: readonly T[]): Kind<T> => ({
  read: (value) => words.find((word) => word === value),
  write: String,
});

/**
 * A value in the address of the current view. Changing it replaces the entry in the history of the browser: the back
 * button leads to the view before, not to every position of a slider.
 */
export function addressed<T>(name: string, initial: T, kind: Kind<T>): Setting<T> {
  const current = computed(() => {
    const found = parts.value.values.get(name);
    return (found === null ? undefined : kind.read(found)) ?? initial;
  });
  return {
    get value() {
      return current.value;
    },
    set(value) {
      const { view, values } = parts.peek();
      const next = new URLSearchParams(values);
      if (kind.write(value) === kind.write(initial)) next.delete(name);
      else next.set(name, kind.write(value));
      const query = next.toString();
      hash.value = `#/${view}${query ? `?${query}` : ""}`;
      writeSoon();
    },
  };
}
