/** Light, dark, or as the system has it; kept for the next visit. */

import { effect, signal } from "@preact/signals";

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const signs: Record<Theme, string> = { auto: "◐", light: "☀", dark: "☾" };

function stored(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem("theme")) ?? "auto";
  } catch {
    return "auto"; // storage may be forbidden
  }
}

const theme = signal<Theme>(stored());

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  try {
    localStorage.setItem("theme", theme.value);
  } catch {
    // the choice lasts as long as the page
  }
});

export function ThemeButton() {
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length];
  return (
    <button
      type="button"
      class="quiet theme"
      aria-label={`Colours: ${theme.value}. Change to ${next}.`}
      title={`Colours: ${theme.value}`}
      onClick={() => {
        theme.value = next;
      }}
    >
      {signs[theme.value]}
    </button>
  );
}
