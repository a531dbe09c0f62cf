/** The frame around the views: tabs, device, theme, notices, and a page that takes files anywhere. */

import { signal, useSignalEffect } from "@preact/signals";
import type { ComponentType } from "preact";
import { addressedView, addressOf } from "./address";
import { DropTarget } from "./DropTarget";
import { deviceLine, slowerBecause } from "./device";
import { NoticeList } from "./NoticeList";
import { notifyOf } from "./notices";
import { ThemeButton } from "./ThemeButton";
import { type View, views } from "./views";

const shown = signal<{ readonly view: View; readonly Content: ComponentType } | undefined>(undefined);

function viewOf(name: string): View {
  return views.find((view) => view.name === name) ?? views[0];
}

export function App() {
  useSignalEffect(() => {
    const view = viewOf(addressedView.value);
    view.load().then(
      ({ default: Content }) => {
        if (viewOf(addressedView.peek()) === view) shown.value = { view, Content };
        document.title = `${view.title} · trainlets studio`;
      },
      (error: unknown) => notifyOf(error),
    );
  });
  const { view, Content } = shown.value ?? {};
  return (
    <DropTarget>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the view
      </button>
      <header class="bar">
        <a class="brand" href={addressOf("learn")}>
          trainlets <span>studio</span>
        </a>
        <nav aria-label="Views">
          {views.map(({ name, title }) => (
            <a key={name} href={addressOf(name)} aria-current={name === view?.name ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <p class="device" title={["Where the page computes", ...slowerBecause.value].join("; ")}>
          {deviceLine.value}
        </p>
        <ThemeButton />
      </header>
      <NoticeList />
      <main id="main" tabIndex={-1} data-view={view?.name}>
        {Content ? <Content /> : <p class="loading">Loading …</p>}
      </main>
      <footer class="foot">Everything computes in this page. Nothing is uploaded.</footer>
    </DropTarget>
  );
}
