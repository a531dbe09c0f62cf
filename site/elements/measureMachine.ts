/**
 * `<measure-machine published isolation>`: measures the reader's GPU and CPU in a worker, and draws the rates beside the
 * published ones. Before the first measurement it shows the published ones alone.
 */

import { reloadsIsolated } from "../../studio/src/app/isolation.js";
import { type Job, jobs } from "../measure/jobs.js";
import type { PublishedRow } from "../measure/publishedRows.js";
import engine from "./engine.ts?worker&url";
import type { Report } from "./protocol.js";

interface Bar {
  readonly label: string;
  readonly rate: number;
  readonly kind: "own" | "ours" | "other";
}

export class MeasureMachine extends HTMLElement {
  readonly #button = element("button", "primary", "Measure this machine");
  readonly #large = element("input", "");
  readonly #copy = element("button", "", "Copy as Markdown");
  readonly #status = element("p", "status");
  readonly #charts = element("div", "charts");
  readonly #devices = new Map<string, string>();
  readonly #own = new Map<string, Bar[]>();
  #published: readonly PublishedRow[] = [];
  #worker: Worker | undefined;

  connectedCallback(): void {
    void reloadsIsolated(this.getAttribute("isolation") ?? "isolation.js");
    this.#published = JSON.parse(this.getAttribute("published") ?? "[]") as PublishedRow[];
    this.#button.onclick = () => (this.#worker ? this.#end("Stopped.") : this.#measure());
    this.#copy.onclick = () => void navigator.clipboard.writeText(this.#markdown());
    this.#copy.hidden = true;
    this.#large.type = "checkbox";
    const label = element("label", "");
    label.append(this.#large, " also 32×32 patches (1 GB of memory, a minute or more)");
    this.#status.setAttribute("role", "status");
    this.#status.textContent = globalThis.crossOriginIsolated
      ? ""
      : "This page cannot share memory between threads here, so the CPU is measured with one thread.";
    const controls = element("div", "controls");
    controls.append(this.#button, this.#copy, label);
    this.replaceChildren(controls, this.#status, this.#charts);
    this.#draw();
  }

  disconnectedCallback(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #measure(): void {
    this.#own.clear();
    this.#devices.clear();
    this.#button.textContent = "Stop";
    this.#status.textContent = "Opening the devices …";
    this.dataset.state = "running";
    this.#draw();
    this.#worker = new Worker(engine, { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<Report>) => this.#take(data);
    this.#worker.onerror = ({ message }) => this.#end(`The measurement was not loaded: ${message}`);
    this.#worker.postMessage({ jobs: this.#chosen().map(({ name }) => name) });
  }

  #chosen(): readonly Job[] {
    return jobs.filter(({ onRequest }) => !onRequest || this.#large.checked);
  }

  #take(message: Report): void {
    if ("done" in message) this.#end([...this.#devices.values()].join(" · "));
    if (!("device" in message)) return;
    if ("description" in message) {
      this.#devices.set(message.device, message.description);
    } else if ("missing" in message) {
      this.#devices.set(message.device, `No ${message.device.toUpperCase()}: ${message.missing}`);
    } else if ("patchesPerSecond" in message) {
      const label = `this machine, ${this.#devices.get(message.device)}`;
      const bar: Bar = { label, rate: message.patchesPerSecond, kind: "own" };
      this.#own.set(message.job, [...(this.#own.get(message.job) ?? []), bar]);
      this.#draw();
    } else if ("failed" in message) {
      this.#devices.set(`${message.device} ${message.job}`, `${message.job}: ${message.failed}`);
    } else {
      const title = jobs.find(({ name }) => name === message.job)?.title.toLowerCase();
      this.#status.textContent = `Measuring ${this.#devices.get(message.device)}: ${title} …`;
    }
  }

  #end(words: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#status.textContent = words;
    this.#button.textContent = "Measure again";
    this.#copy.hidden = this.#own.size === 0;
    this.dataset.state = "done";
  }

  #bars({ name }: Job): Bar[] {
    const published = this.#published
      .filter(({ job }) => job === name)
      .map(
        ({ label, patchesPerSecond, ours }): Bar => ({
          label,
          rate: patchesPerSecond,
          kind: ours ? "ours" : "other",
        }),
      );
    return [...published, ...(this.#own.get(name) ?? [])].sort((a, b) => b.rate - a.rate);
  }

  #draw(): void {
    this.#charts.replaceChildren(...jobs.map((job) => this.#chart(job)));
  }

  #chart(job: Job): HTMLElement {
    const figure = element("figure", "");
    const caption = element("figcaption", "");
    caption.append(element("strong", "", job.title), ` ${job.about}; patches per second`);
    const list = element("ul", "bars");
    const bars = this.#bars(job);
    for (const { label, rate, kind } of bars) {
      const item = element("li", kind);
      const bar = element("span", "bar");
      bar.style.inlineSize = `${(100 * rate) / bars[0].rate}%`;
      const track = element("span", "track");
      track.append(bar);
      item.append(element("span", "label", label), track, element("span", "rate", rateText(rate)));
      list.append(item);
    }
    figure.append(caption, list);
    return figure;
  }

  #markdown(): string {
    const rows = jobs.flatMap((job) =>
      this.#bars(job).map(({ label, rate }) => `| ${job.title} | ${label} | ${rateText(rate)} |`),
    );
    return `| job | by | patches/s |\n| --- | --- | ---: |\n${rows.join("\n")}\n`;
  }
}

/** Three digits that count. */
function rateText(rate: number): string {
  return Number(rate.toPrecision(3)).toLocaleString("en-US");
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  if (text !== "") made.textContent = text;
  if (made instanceof HTMLButtonElement) made.type = "button";
  return made;
}
