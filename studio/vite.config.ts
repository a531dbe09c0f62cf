/**
 * The build of the studio: static files in dist/studio, which work from any folder of any host. The page imports
 * `trainlets` as its users do, from the built package.
 */

import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Headers that let a page share memory between threads. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

export default defineConfig({
  root: at("."),
  base: "./",
  resolve: {
    alias: [
      { find: /^trainlets$/, replacement: at("../dist/index.js") },
      { find: /^trainlets\/parts$/, replacement: at("../dist/parts.js") },
    ],
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: at("../dist/studio"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0, // a content security policy need not allow data: addresses
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
  },
  worker: { format: "es" },
  server: { headers: isolation },
  preview: { headers: isolation },
});
