/** The settings of VitePress. What the sidebar shows is made by pages/writePages.ts. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { licences, packagesOf } from "../../tools/licences.mjs";
import { slugOf } from "../pages/markdown";
import type { SiteSettings } from "../pages/writePages";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const settings = JSON.parse(readFileSync(at("../.pages/site.json"), "utf8")) as SiteSettings;

/** Modules of the pages and of their worker, which is bundled first. */
const modules: string[] = [];

const noteModules = () => ({
  name: "note-modules",
  generateBundle(_: unknown, bundle: Record<string, { type: string; moduleIds?: string[] }>) {
    for (const part of Object.values(bundle)) modules.push(...(part.moduleIds ?? []));
  },
});

/** The licences of everything in the bundle, beside it. */
const emitLicences = () => ({
  name: "emit-licences",
  generateBundle(this: { emitFile(file: { type: "asset"; fileName: string; source: string }): void }) {
    const folders = ["node_modules", "site/node_modules"];
    const source = licences(packagesOf(modules), folders, { brief: true });
    this.emitFile({ type: "asset", fileName: "LICENSES.txt", source });
  },
});

export default defineConfig({
  title: "trainlets",
  description: "Dictionary learning in high dimensions",
  lang: "en",
  base: settings.base,
  srcDir: ".pages",
  cacheDir: "../.cache/vitepress",
  metaChunk: true,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${settings.base}icon.svg` }]],
  ignoreDeadLinks: [/\/studio\//],
  markdown: {
    attrs: { disable: true }, // braces are mathematics
    languageAlias: { octave: "matlab" },
    config: ({ renderer: { rules } }) => {
      const written = rules.code_inline;
      rules.code_inline = (tokens, i, ...rest) => {
        if (tokens[i].content.length < 30) tokens[i].attrJoin("class", "short"); // `--patch 8` stays on one line
        return written?.(tokens, i, ...rest) ?? "";
      };
    },
    anchor: { slugify: slugOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-default" },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag.includes("-") } } },
  themeConfig: {
    nav: [
      { text: "Start", link: "/tutorial" },
      { text: "Documentation", link: "/documentation" },
      { text: "Studio", link: "/studio/", target: "_self" },
      { text: "Measure", link: "/measure" },
      { text: "API", link: "/api/" },
    ],
    sidebar: settings.sidebar as never,
    outline: { level: [2, 3], label: "On this page" },
    docFooter: { prev: false, next: false },
    search: { provider: "local" },
  },
  vite: {
    resolve: {
      alias: [
        { find: /^trainlets$/, replacement: at("../../dist/index.js") },
        { find: /^trainlets\/parts$/, replacement: at("../../dist/parts.js") },
        { find: /^site-examples$/, replacement: at("../.pages/examples/index.ts") },
      ],
    },
    build: { target: "es2022", chunkSizeWarningLimit: 3000 },
    plugins: [noteModules(), emitLicences()] as never,
    worker: { format: "es", plugins: () => [noteModules()] as never },
  },
});
