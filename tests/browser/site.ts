/**
 * A small web site with the test page and the example of docs/how-to/browser.md, bundled as a
 * web developer would: the package by its name, through its `exports`, with its dependencies,
 * minified.
 *
 * The first part of a path chooses the headers: everything below `/isolated/` has the
 * headers of `isolated`.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { listenLocally } from "./listenLocally.js";

/** Headers that let a page share memory between threads. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

const variants = {
  plain: {},
  isolated: isolation,
  /** Shared memory, but no workers from blob URLs. */
  "no-blobs": {
    ...isolation,
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
  },
  "no-wasm": { "Content-Security-Policy": "default-src 'self'" },
} as const satisfies Record<string, Record<string, string>>;

export type Variant = keyof typeof variants;

export interface Site {
  url(variant: Variant): string;
  close(): Promise<void>;
}

/** Bundle the pages and serve them on a free port of this machine; `example` is the script of `example.html`. */
export async function openSite(example: string): Promise<Site> {
  const script = readFileSync(new URL("page.ts", import.meta.url), "utf8");
  const files: Record<string, { readonly type: string; readonly text: string }> = {
    "": { type: "text/html", text: page('<script type="module" src="page.js"></script>') },
    "page.js": { type: "text/javascript", text: await bundle("page.ts", script) },
    "example.html": { type: "text/html", text: page("<canvas></canvas>") },
    "example.js": { type: "text/javascript", text: await bundle("example.js", example) },
  };
  const { origin, close } = await listenLocally((request, response) => {
    const [, variant = "", name = ""] = request.url!.split("/");
    const file = Object.hasOwn(variants, variant) ? files[name] : undefined;
    if (!file) return response.writeHead(404).end();
    const headers = { "Content-Type": `${file.type}; charset=utf-8`, ...variants[variant as Variant] };
    return response.writeHead(200, headers).end(file.text);
  });
  return { url: (variant) => `${origin}/${variant}/`, close };
}

function page(body: string): string {
  return `<!doctype html><title>trainlets</title><body>${body}</body>`;
}

/** Bundle a script as if it were a file of this name in this folder. */
async function bundle(name: string, script: string): Promise<string> {
  const entry = fileURLToPath(new URL(name, import.meta.url));
  const build = await rolldown({
    input: entry,
    platform: "browser",
    resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) => (id === entry ? script : null),
      },
    ],
  });
  const { output } = await build.generate({ format: "esm", minify: true, codeSplitting: false });
  await build.close();
  return output[0].code;
}
