/**
 * The build of the studio: static files in dist/studio, which work from any folder of any host. The page imports
 * `trainlets` as its users do, from the built package.
 */

import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { isolationHeaders } from "../src/cli/studio/headers.ts";
import { licences, packagesOf } from "../tools/licences.mjs";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Modules of the page and of its workers, which are bundled first. */
const modules: string[] = [];

const noteModules = (): Plugin => ({
  name: "note-modules",
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle)) if (part.type === "chunk") modules.push(...part.moduleIds);
  },
});

/** The licences of everything in the bundle, beside it. */
const emitLicences = (): Plugin => ({
  name: "emit-licences",
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: licences(packagesOf(modules)) });
  },
});

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
  plugins: [noteModules(), emitLicences()],
  worker: { format: "es", plugins: () => [noteModules()] },
  server: { headers: isolationHeaders },
  preview: { headers: isolationHeaders },
});
