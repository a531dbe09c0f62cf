/** `<run-example name where>`: a button that runs a program of the page, and what the program prints. */

import engine from "./engine.ts?worker&url";
import type { Report } from "./protocol.js";

export class RunExample extends HTMLElement {
  readonly #button = document.createElement("button");
  readonly #output = document.createElement("pre");
  #stop: (() => void) | undefined;

  connectedCallback(): void {
    this.#button.type = "button";
    this.#button.textContent = "Run";
    this.#button.onclick = () => (this.#stop ? this.#end("stopped") : this.#run());
    this.#output.setAttribute("role", "status");
    this.#output.hidden = true;
    this.replaceChildren(this.#button, this.#output);
  }

  disconnectedCallback(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #run(): void {
    this.#output.textContent = "";
    this.#output.hidden = false;
    this.#button.textContent = "Stop";
    this.dataset.state = "running";
    const name = this.getAttribute("name") ?? "";
    this.#stop = this.getAttribute("where") === "page" ? this.#runInFrame(name) : this.#runInWorker(name);
  }

  #take(message: Report): void {
    if ("line" in message) this.#output.append(`${message.line}\n`);
    else if ("failed" in message && !("device" in message)) this.#end(message.failed);
    else if ("done" in message) this.#end();
  }

  #end(problem?: string): void {
    if (this.getAttribute("where") !== "page") this.#stop?.();
    this.#stop = undefined;
    if (problem) this.#output.append(`${problem}\n`);
    this.#output.hidden = this.#output.textContent === "";
    this.#button.textContent = "Run again";
    this.dataset.state = problem ? "failed" : "done";
  }

  #runInWorker(name: string): () => void {
    const worker = new Worker(engine, { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Report>) => this.#take(data);
    worker.onerror = ({ message }) => this.#end(`the program was not loaded: ${message}`);
    worker.postMessage({ example: name });
    return () => worker.terminate();
  }

  /** The program has a page of its own below the button, which stays when the program ends. */
  #runInFrame(name: string): () => void {
    const frame = document.createElement("iframe");
    frame.title = "The page of the program";
    const take = ({ source, data }: MessageEvent<Report>) => {
      if (source !== frame.contentWindow) return;
      this.#take(data);
      const { scrollHeight = 0 } = frame.contentDocument?.documentElement ?? {};
      frame.style.height = `${scrollHeight + 8}px`;
    };
    frame.onload = () => {
      const page = frame.contentDocument;
      if (!page) return;
      page.documentElement.dataset.example = name;
      const script = page.createElement("script");
      script.type = "module";
      script.src = new URL(engine, location.href).href;
      page.head.append(script);
    };
    frame.srcdoc =
      "<!doctype html><title>example</title><style>body{margin:0}canvas,img{max-width:100%;margin:0 8px 8px 0}</style><canvas></canvas>";
    addEventListener("message", take);
    this.querySelector("iframe")?.remove();
    this.append(frame);
    return () => {
      removeEventListener("message", take);
      frame.remove();
    };
  }
}
