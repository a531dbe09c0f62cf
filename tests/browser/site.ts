/**
 * A small web site with the test page, bundled as a web developer would: the package
 * by its name, through its `exports`, with its dependencies, minified.
 *
 * The first part of a path chooses the headers: `/isolated/` is the page with those of
 * `isolated`, and so is everything it loads.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** What lets a page share memory between threads. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

const variants = {
  plain: {},
  isolated: isolation,
  /** Shared memory, but no workers that are made on the spot. */
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

/** Bundle the page and serve it on a free port of this machine. */
export async function openSite(): Promise<Site> {
  const files: Record<string, { readonly type: string; readonly text: string }> = {
    "": {
      type: "text/html",
      text: '<!doctype html><title>trainlets</title><script type="module" src="page.js"></script>',
    },
    "page.js": { type: "text/javascript", text: await bundlePage() },
  };
  const server = createServer((request, response) => {
    const [, variant = "", name = ""] = request.url!.split("/");
    const file = Object.hasOwn(variants, variant) ? files[name] : undefined;
    if (!file) return response.writeHead(404).end();
    const headers = { "Content-Type": `${file.type}; charset=utf-8`, ...variants[variant as Variant] };
    return response.writeHead(200, headers).end(file.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (variant) => `http://localhost:${port}/${variant}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bundlePage(): Promise<string> {
  const input = fileURLToPath(new URL("page.ts", import.meta.url));
  const bundle = await rolldown({
    input,
    platform: "browser",
    resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
  });
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}
