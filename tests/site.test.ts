/**
 * The site: how its pages are made from those of the repository, isolation by its service worker, and, of a site that
 * is built (`npm run site -- --check`), programs that run in pages, the measurement and the search.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Measurements } from "../bench/measurements.js";
import { lineOf } from "../site/elements/lineOf.js";
import { jobs } from "../site/measure/jobs.js";
import { publishedRows } from "../site/measure/publishedRows.js";
import { brokenLinks } from "../site/pages/checkLinks.js";
import { contentsOf } from "../site/pages/contents.js";
import { llmsFullText, llmsText } from "../site/pages/llms.js";
import { rewriteLinks } from "../site/pages/markdown.js";
import { runnableIn, withButtons } from "../site/pages/runnable.js";
import { filePath, linkBetween, pagePath } from "../site/pages/sitePaths.js";
import { baseCols, createBase } from "../src/dictionaries/base.js";
import { seriousFindings } from "./browser/axe.js";
import { launchChromium, requireChromium } from "./browser/chromium.js";
import { type FolderSite, serveFolder } from "./browser/serveFolder.js";
import { alike } from "./docs/examples.js";
import { exists, listFiles, read } from "./sources.js";

const chromium = requireChromium();
const pages = listFiles("docs").filter((path) => path.endsWith(".md"));

describe("pages", () => {
  it("lists every page of docs in the contents, and nothing that is not there", () => {
    const listed = contentsOf(read("docs/README.md")).flatMap((chapter) => chapter.pages);
    const expected = pages.filter((path) => !/README|decisions\//.test(path));
    expect(listed.filter(({ path }) => !exists(path))).toEqual([]);
    expect(expected.filter((path) => !listed.some((entry) => entry.path === path))).toEqual([]);
  });

  it("reads titles and what pages are about from tables and lists", () => {
    const text =
      "**New?** The [tutorial](tutorial.md): in ten minutes.\n\n## How to …\n\n| task | page |\n| --- | --- |\n| remove noise | [Denoise](how-to/denoise.md) |\n\n## More\n\n- [A](a.md) and [B](../B.md): for\n  some.\n";
    expect(contentsOf(text)).toEqual([
      { title: "Start", pages: [{ path: "docs/tutorial.md", title: "Tutorial", about: "in ten minutes" }] },
      {
        title: "How to",
        pages: [{ path: "docs/how-to/denoise.md", title: "Denoise", about: "remove noise" }],
      },
      {
        title: "More",
        pages: [
          { path: "docs/a.md", title: "A", about: "" },
          { path: "B.md", title: "B", about: "for some" },
        ],
      },
    ]);
  });

  it("has a page for every Markdown file of docs, each at a place of its own", () => {
    const places = ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", ...pages].map(pagePath);
    expect(places).not.toContain(undefined);
    expect(new Set(places).size).toBe(places.length);
    expect(pagePath("docs/how-to/denoise.md")).toBe("how-to/denoise.md");
    expect(filePath("src/core/errors.ts")).toBe("source/src/core/errors.ts.txt");
    expect(filePath("bench/results/fig1.json")).toBe("bench/results/fig1.json");
  });

  it("rewrites relative links, and neither code nor other addresses", () => {
    const text =
      '[a\nb](../notation.md#x "t"), `[c](d.md)`, [e](https://f.g), [h](#i), ![j](../images/k.png)\n\n```md\n[l](m.md)\n```\n\n[n](../decisions/)\n<!-- [o](p.md) -->\n';
    const seen: string[] = [];
    const rewritten = rewriteLinks(text, "docs/how-to/x.md", (path, anchor) => {
      seen.push(path);
      return linkBetween("how-to/x.md", pagePath(path) ?? filePath(path), anchor);
    });
    expect(seen).toEqual(["docs/notation.md", "docs/images/k.png", "docs/decisions"]);
    expect(rewritten).toBe(
      text.replace("../decisions/", "../source/docs/decisions.txt").replace("../images", "../images"),
    );
  });

  it("writes llms.txt as llmstxt.org has it", () => {
    const chapters = [
      { title: "How to", pages: [{ title: "Denoise", address: "/x.md", about: "remove noise" }] },
      { title: "More", pages: [{ title: "A", address: "/a.md", about: "" }] },
    ];
    expect(llmsText("trainlets", "Learns.", chapters)).toBe(
      "# trainlets\n\n> Learns.\n\n## How to\n\n- [Denoise](/x.md): remove noise\n\n## More\n\n- [A](/a.md)\n",
    );
    expect(llmsFullText([{ address: "/a.md", text: "# A\n\nb\n" }])).toBe("<!-- /a.md -->\n\n# A\n\nb\n");
  });

  it("finds links to files and anchors that are missing", () => {
    const folder = mkdtempSync(join(tmpdir(), "trainlets-links-"));
    const write = (name: string, html: string) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), html);
    };
    write(
      "index.html",
      '<a href="a/b.html#here"></a><a href="/x/a/"></a><a href="https://elsewhere"></a><a href="#top"></a>',
    );
    write(
      "a/b.html",
      '<p id="here"><img src="../no.png"><a href="../index.html"></a><a href="/other/"></a></p>',
    );
    const { pages, links, broken } = brokenLinks(folder, "/x/");
    rmSync(folder, { recursive: true });
    expect([pages, links]).toEqual([2, 6]);
    expect(broken.sort()).toEqual([
      "a/b.html: ../no.png: there is no such file",
      "a/b.html: /other/: outside /x/",
      "index.html: #top: there is no such anchor",
      "index.html: /x/a/: there is no such file",
    ]);
  });
});

it("takes the colours of the studio", () => {
  const [own, studio] = ["site/.vitepress/theme/site.css", "studio/src/style/studio.css"].map((path) =>
    [...read(path).matchAll(/^(?::root|\.dark|:root\[data-theme="dark"\]) \{([^}]*)\}/gm)].map(
      ([, block]) =>
        new Map(
          [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, ...pair]) => pair as [string, string]),
        ),
    ),
  );
  expect(own.length).toBe(2);
  for (const [i, palette] of own.entries())
    for (const [name, colour] of palette)
      if (name !== "other") expect(colour, name).toBe(studio[i].get(name));
});

describe("programs in pages", () => {
  it("get a button if they import what runs in a browser", () => {
    const text =
      '```ts\nimport { code } from "trainlets";\nconsole.log(1);\n```\n\n```text\n1\n```\n\n```js\nimport { train } from "trainlets/node";\n```\n\n```js\nimport { train } from "trainlets";\ndocument.body;\n```\n\n```sh\ntrainlets atoms\n```\n';
    const button = (name: string, where: string) =>
      `\n\n<run-example name="${name}" where="${where}"></run-example>`;
    expect(runnableIn(text, "how-to/x.md")).toMatchObject([
      { name: "how-to-x-1", needsPage: false, prints: "1\n" },
      { name: "how-to-x-3", needsPage: true, prints: undefined },
    ]);
    expect(withButtons(text, "how-to/x.md")).toBe(
      text
        .replace("(1);\n```", `(1);\n\`\`\`${button("how-to-x-1", "worker")}`)
        .replace("body;\n```", `body;\n\`\`\`${button("how-to-x-3", "page")}`),
    );
    expect(pages.flatMap((path) => runnableIn(read(path), path)).length).toBeGreaterThan(8);
  });

  it("print values as Node does", () => {
    for (const value of ["text", 3, [1, 2], ["a", 1.5], { a: 1, b: [true] }, null, undefined, [], {}])
      expect(lineOf(value)).toBe(format(value));
    expect(lineOf(Float32Array.of(1, 2))).toBe("Float32Array(2) [ 1, 2 ]");
  });
});

describe("published rows of the page that measures", () => {
  const stored = (name: string) => JSON.parse(read(`bench/results/${name}.json`)) as Measurements;
  const rows = publishedRows({ "peers-2core-epyc": stored("peers-2core-epyc"), h200: stored("h200") });

  it("are those of the files, for every job", () => {
    for (const { name } of jobs) expect(rows.filter(({ job, ours }) => job === name && ours)).not.toEqual([]);
    for (const { job, file, patchesPerSecond } of rows.filter(({ file }) => file !== "h200"))
      expect(read(`bench/results/${file}.json`), job).toContain(`"${patchesPerSecond}"`);
    expect(rows.every(({ patchesPerSecond }) => Number.isFinite(patchesPerSecond))).toBe(true);
    expect(new Set(rows.map(({ job, label }) => `${job} ${label}`)).size).toBe(rows.length);
  });

  it("are of jobs whose words give the sizes of the problem", () => {
    for (const { problem, about, title } of jobs) {
      const atoms = baseCols(createBase("cropped:sym8", problem.patch)) * problem.redundancy;
      expect(about).toContain(`${atoms.toLocaleString("en-US")} atoms`);
      expect(title).toContain(problem.name);
    }
  });
});

/** Open an address, and count how often the page itself is loaded. */
async function open(browser: Browser, address: string): Promise<{ page: Page; loads: () => number }> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(120_000);
  let loads = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) loads++;
  });
  await page.goto(address);
  return { page, loads: () => loads };
}

describe.skipIf(chromium.path === undefined)(`isolation by a service worker${chromium.note}`, () => {
  const studio = fileURLToPath(new URL("../dist/studio", import.meta.url));
  let browser: Browser;
  const sites: FolderSite[] = [];
  beforeAll(async () => {
    browser = await launchChromium(chromium.path!, "none");
  });
  afterAll(async () => {
    await browser?.close();
    for (const site of sites) await site.close();
  });

  async function openStudioFrom(replaced: Readonly<Record<string, string>>) {
    const site = await serveFolder(studio, "/below/a/path/", replaced);
    sites.push(site);
    const opened = await open(browser, site.url);
    await opened.page.locator(".device", { hasText: /WebAssembly SIMD, \d+ threads?/ }).waitFor();
    const isolated = await opened.page.evaluate(() => crossOriginIsolated);
    return { ...opened, isolated };
  }

  it("isolates the studio on a host that sets no headers, after one reload", async () => {
    const { page, loads, isolated } = await openStudioFrom({});
    expect(isolated).toBe(true);
    expect(loads()).toBe(2);
    const headers = await page.evaluate(async () => {
      const { headers } = await fetch("./index.html");
      return ["opener", "embedder"].map((name) => headers.get(`cross-origin-${name}-policy`));
    });
    expect(headers).toEqual(["same-origin", "require-corp"]);
    await page.reload();
    await page.waitForSelector("main[data-view]");
    expect(loads()).toBe(3); // the second visit needs no other reload
    await page.context().close();
  });

  it.each([
    ["is missing", "", 1],
    ["adds no headers", "// nothing", 2],
  ])(
    "lets the studio work on one thread if it %s, and never loads it again and again",
    async (_, script, expected) => {
      const { page, loads, isolated } = await openStudioFrom({ "isolation.js": script });
      expect(isolated).toBe(false);
      await page.waitForSelector("main[data-view]");
      expect(loads()).toBe(expected);
      await page.context().close();
    },
  );
});

const built = process.env.TRAINLETS_SITE;
const whyNot = built ? "" : " (skipped: it takes a minute; npm run site -- --check builds and tests it)";

describe.skipIf(!built || chromium.path === undefined)(`the built site${whyNot}`, () => {
  const base = `/${(process.env.TRAINLETS_SITE_BASE ?? "").replace(/^\/+|\/+$/g, "")}/`.replace("//", "/");
  let browser: Browser;
  let site: FolderSite;
  beforeAll(async () => {
    site = await serveFolder(built!, base);
    browser = await launchChromium(chromium.path!, "none");
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const examples = pages.flatMap((path) =>
    runnableIn(read(path), pagePath(path)!).map((example) => ({ ...example, page: pagePath(path)! })),
  );

  it.each(examples)(
    "runs $name and prints what the page says",
    async ({ name, page: path, needsPage, prints }) => {
      const { page } = await open(browser, `${site.url}${path.replace(/\.md$/, ".html")}`);
      const example = page.locator(`run-example[name="${name}"]`);
      await example.getByRole("button").click();
      await page.waitForSelector(
        `run-example[name="${name}"]:is([data-state="done"], [data-state="failed"])`,
      );
      const printed = (await example.locator("pre").textContent()) ?? "";
      if (prints !== undefined) expect(alike(printed, prints), printed).toBe(true);
      if (needsPage) await page.frameLocator("run-example iframe").locator("img").waitFor();
      expect(await example.getAttribute("data-state")).toBe("done");
      await page.context().close();
    },
  );

  it("measures this machine on threads, beside published rows", async () => {
    const { page } = await open(browser, `${site.url}measure.html`);
    await page.waitForFunction(() => crossOriginIsolated);
    await page.getByRole("button", { name: "Measure this machine" }).click();
    await page.waitForSelector('measure-machine[data-state="done"]');
    const own = await page.locator("measure-machine .own").allTextContents();
    expect(own.length).toBe(jobs.filter(({ onRequest }) => !onRequest).length);
    for (const text of own) expect(text).toMatch(/^this machine, WebAssembly SIMD, \d+ threads?.*\d/);
    expect(await page.locator("measure-machine .ours").count()).toBeGreaterThan(4);
    await page.context().close();
  });

  it("searches without a server, and opens the studio", async () => {
    const { page } = await open(browser, site.url);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("orthogonal matching pursuit");
    await page.locator(".VPLocalSearchBox .result").first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".doors").getByRole("link", { name: "Studio" }).click();
    await page.waitForSelector("main[data-view]");
    await page.context().close();
  });

  it.each(["index.html", "measure.html", "how-to/encode.html", "api/index.html", "claims.html"])(
    "has no serious findings of axe in %s, in light and dark",
    async (path) => {
      for (const colorScheme of ["light", "dark"] as const) {
        const { page } = await open(browser, `${site.url}${path}`);
        if (path === "measure.html") await page.waitForFunction(() => crossOriginIsolated);
        await page.emulateMedia({ colorScheme });
        expect(await seriousFindings(page, "#app")).toEqual([]);
        await page.context().close();
      }
    },
  );

  it("fits a phone: tables and code scroll by themselves", async () => {
    const { page } = await open(browser, site.url);
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ["index", "measure", "results", "reference/library", "bench/index", "how-to/encode"]) {
      await page.goto(`${site.url}${path}.html`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(`${path} ${width}`).toBe(`${path} 390`);
    }
    await page.context().close();
  });

  it("names every page of the contents in llms.txt, each with its Markdown", async () => {
    const text = await (await fetch(`${site.url}llms.txt`)).text();
    const addresses = [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1]);
    expect(addresses.length).toBeGreaterThan(20);
    for (const address of addresses) {
      const { pathname } = new URL(address, site.url); // `--url` names the host to come
      const answer = await fetch(new URL(pathname, site.url));
      expect(`${address} ${answer.status}`).toBe(`${address} 200`);
      expect(await answer.text()).toMatch(/^# /);
    }
  });
});
