import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineChart } from "../charts/lineChart.js";
import { dataUrl, htmlPage, type PageSection } from "./htmlPage.js";

const pageOf = (...sections: PageSection[]): string => htmlPage({ title: "Title", sections });

const table = {
  kind: "table",
  header: ["name", "RMSE", "PSNR", "remark"],
  rows: [
    ["wavelets", 12.5, "25.98 dB", "–"],
    ["learned", -3, "1.2e−5", "good"],
  ],
} as const;

/** The classes of the cells of each column, header and rows. */
function classesOf(html: string, columns: number): Set<string>[] {
  const cells = [...html.matchAll(/<t[hd]( class="number")?[ >]/g)].map(([, name]) => name ?? "");
  return Array.from({ length: columns }, (_, c) => new Set(cells.filter((_, i) => i % columns === c)));
}

describe("htmlPage", () => {
  it("is one self-contained document with a language, a title and a main part", () => {
    const html = htmlPage({
      title: "Title",
      lead: "Lead",
      sections: [{ heading: "Part", kind: "text", paragraphs: ["One", "Two"] }],
      footer: "End",
    });
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    for (const part of [
      "<title>Title<",
      "<h1>Title<",
      ">Lead<",
      "<h2>Part<",
      "<p>One<",
      "<p>Two<",
      ">End<",
    ]) {
      expect(html).toContain(part);
    }
    expect(html.match(/<main>/g)).toHaveLength(1);
    expect(html).toContain("prefers-color-scheme: dark");
    expect(html).not.toMatch(/<link|<script|@import|url\(|https?:/);
  });

  it("makes browsers reload it only if it is going to change", () => {
    expect(htmlPage({ title: "Title", sections: [], refresh: 15 })).toContain(
      '<meta http-equiv="refresh" content="15">',
    );
    expect(htmlPage({ title: "Title", sections: [] })).not.toContain("refresh");
    expect(() => htmlPage({ title: "Title", sections: [], refresh: 0 })).toThrow(
      "htmlPage: refresh must be an integer of at least 1, got 0",
    );
  });

  it("shows facts with their names, and charts side by side", () => {
    const svg = lineChart({
      title: "Chart",
      x: { label: "x" },
      y: { label: "y" },
      series: [{ label: "", points: [{ x: 1, y: 2 }] }],
      look: "page",
    });
    const html = pageOf(
      { kind: "facts", entries: [["RMSE", "<6.5>"]] },
      { kind: "charts", svgs: [svg, svg] },
      { kind: "image", src: "a.png", alt: "Atoms", pixelated: true },
    );
    expect(html).toContain('<dl class="facts"><div><dt>RMSE</dt><dd>&lt;6.5&gt;</dd></div></dl>');
    expect(html.split(`<figure>${svg}</figure>`).length).toBe(3);
    expect(html).toContain('<img src="a.png" alt="Atoms" class="pixelated">');
  });

  it("shows pictures with captions that link to themselves, and links to files beside it alone", () => {
    const html = pageOf(
      { kind: "pictures", pictures: [{ src: "fig 1/a.svg", caption: '"A"' }] },
      { kind: "links", links: [{ href: "javascript:alert(1)", text: "<all>" }] },
    );
    expect(html).toContain(
      '<figure><a href="fig%201/a.svg"><img src="fig%201/a.svg" alt="&quot;A&quot;"></a><figcaption>&quot;A&quot;<',
    );
    expect(html).toContain('<p><a href="javascript%3Aalert(1)">&lt;all&gt;</a></p>');
  });

  it("links pictures and charts to their files, but not pictures that it holds itself", () => {
    const svg = '<svg width="640" height="420"></svg>';
    const html = pageOf(
      { kind: "svg", svg, href: "javascript:a.svg", caption: "A" },
      { kind: "image", src: "data:image/png;base64,AA==", alt: "B" },
      { kind: "image", src: "b.png", alt: "B" },
    );
    expect(html).toContain(
      `<figure style="--least: 480px"><a href="javascript%3Aa.svg">${svg}</a><figcaption>A<`,
    );
    expect([...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      "javascript%3Aa.svg",
      "b.png",
    ]);
  });

  it("shows a claim with its outcome in words, what was measured, and the paper's words if there are any", () => {
    const claim = { text: "a < b", source: "§V", paper: "far <below>", measured: "1 & 2", holds: true };
    const html = pageOf({ kind: "claims", claims: [claim, { ...claim, paper: "", holds: false }] });
    const items = html.split("<li>").slice(1);
    expect(items).toHaveLength(2);
    expect(items[0]).toMatch(/^<p class="outcome holds">holds<.*a &lt; b.*§V.*1 &amp; 2.*far &lt;below&gt;/);
    expect(items[1]).toMatch(/^<p class="outcome fails">does not hold</);
    expect(items[1]).not.toContain("the paper");
  });

  it("links cells of tables to headings of the page and to files", () => {
    const html = pageOf(
      {
        ...{ kind: "table", header: ["name"] },
        rows: [[{ text: "<1>", id: 'a"b' }], [{ text: "2", href: "javascript:x" }]],
      },
      { heading: "Part", id: 'a"b', kind: "list", items: ["<one>", "two"] },
    );
    expect(html).toContain('<a href="#a&quot;b">&lt;1&gt;</a>');
    expect(html).toContain('<a href="javascript%3Ax">2</a>');
    expect(html).toContain('<h2 id="a&quot;b">Part</h2>');
    expect(html).toContain("<ul><li>&lt;one&gt;</li>\n<li>two</li></ul>");
  });

  it("escapes all text", () => {
    const hostile = `<img src=x onerror="alert('1')">&`;
    const html = htmlPage({
      title: hostile,
      lead: hostile,
      sections: [
        { heading: hostile, kind: "text", paragraphs: [hostile] },
        { kind: "table", header: [hostile], rows: [[hostile]], caption: hostile },
        { kind: "image", src: hostile, alt: hostile, caption: hostile },
        { kind: "settings", entries: [[hostile, hostile]] },
      ],
      footer: hostile,
    });
    expect(html.match(/<img/g)).toHaveLength(1);
    expect(html.replaceAll(/"[^"]*"/g, "")).not.toContain("onerror=alert");
    expect(html.split("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;").length - 1).toBe(14);
  });

  it("aligns columns of numbers to the right, and no others", () => {
    const [name, rmse, psnr, remark] = classesOf(pageOf(table), 4);
    expect([name, remark]).toEqual([new Set([""]), new Set([""])]);
    expect([rmse, psnr]).toEqual([new Set([' class="number"']), new Set([' class="number"'])]);
  });

  it("names columns and rows, and writes numbers with a proper minus", () => {
    const html = pageOf(table);
    expect(html.match(/scope="col"/g)).toHaveLength(4);
    expect(html.match(/scope="row"/g)).toHaveLength(2);
    expect(html).toContain(">−3<");
    const spread = pageOf({ ...table, rows: [["a-1", "-0.15 ± 0.02", "1:12", "from -1e-4 to 2"]] });
    expect(classesOf(spread, 4).map((one) => [...one])).toEqual([
      [""],
      [' class="number"'],
      [' class="number"'],
      [""],
    ]);
    for (const text of ["a-1", "−0.15 ± 0.02", "from −1e−4 to 2"]) expect(spread).toContain(`>${text}<`);
    expect(pageOf({ ...table, rows: [["a", NaN, 1, 2]] })).toContain(">–<");
  });

  it("marks the best row by a word as well as by its colour", () => {
    const html = pageOf({ ...table, best: 1 });
    expect(html).toMatch(/<tr class="best"><th[^>]*>learned <span class="mark">best<\/span>/);
    expect(html.match(/class="best"/g)).toHaveLength(1);
  });

  it("shows pictures, charts and settings", () => {
    const svg = lineChart({
      title: "chart",
      x: { label: "x" },
      y: { label: "y" },
      series: [{ label: "a", points: [{ x: 1, y: 1 }] }],
    });
    const html = pageOf(
      { kind: "image", src: "atoms.png", alt: "the atoms", caption: "Atoms" },
      { kind: "svg", svg },
      {
        kind: "settings",
        entries: [
          ["seed", 1],
          ["resume", false],
        ],
      },
    );
    expect(html).toContain('<img src="atoms.png" alt="the atoms"></a><figcaption>Atoms</figcaption>');
    expect(html).toContain(`>${svg}</figure>`);
    expect(html).toMatch(/<dt>seed<\/dt><dd>1<\/dd>\s*<dt>resume<\/dt><dd>false<\/dd>/);
  });

  it("rejects content that does not fit", () => {
    expect(() => pageOf({ ...table, rows: [["a"]] })).toThrow(
      "htmlPage: row 0 of a table must have 4 cells, got 1",
    );
    expect(() => pageOf({ ...table, best: 2 })).toThrow(
      "htmlPage: best must be an integer from 0 to 1, got 2",
    );
    expect(() => pageOf({ kind: "svg", svg: "<b>no</b>" })).toThrow(
      'htmlPage: svg must be the text of one svg element, got "<b>no</b>"',
    );
    expect(() => pageOf({ kind: "verse" } as unknown as PageSection)).toThrow(
      'htmlPage: unknown kind "verse"; known: text, list, facts, table, claims, image, pictures, links, svg, charts, settings',
    );
  });
});

describe("dataUrl", () => {
  it("holds the given bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const [head, tail] = dataUrl(bytes).split(",");
        expect(head).toBe("data:image/png;base64");
        expect([...Buffer.from(tail, "base64")]).toEqual([...bytes]);
      }),
    );
  });

  it("holds more bytes than one piece of base64", () => {
    const bytes = Uint8Array.from({ length: 100_001 }, (_, i) => (i * 31) & 255);
    expect(dataUrl(bytes, "image/webp")).toBe(
      `data:image/webp;base64,${Buffer.from(bytes).toString("base64")}`,
    );
  });
});
