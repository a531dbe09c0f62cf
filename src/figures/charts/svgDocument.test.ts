import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeMarkup } from "../pages/markup.js";
import { SvgDocument, type SvgElement, svgNamespace } from "./svgDocument.js";

const document = new SvgDocument();
const create = (name: string): SvgElement => document.createElementNS(svgNamespace, name);

describe("SvgDocument", () => {
  it("writes elements with attributes, styles and children, in order", () => {
    const group = create("g");
    group.setAttribute("id", "a");
    group.setAttribute("r", 1.5);
    group.style.setProperty("fill", "red");
    group.appendChild(create("path"));
    group.append("text");
    group.insertBefore(create("rect"), null);
    expect(group.serialize()).toBe('<g id="a" r="1.5" style="fill: red"><path></path>text<rect></rect></g>');
  });

  it("inserts before a child", () => {
    const group = create("g");
    const last = group.appendChild(create("b"));
    group.insertBefore(create("a"), last);
    expect(group.serialize()).toBe("<g><a></a><b></b></g>");
  });

  it("drops what is removed, and the children that text replaces", () => {
    const text = create("text");
    text.setAttribute("x", 1);
    text.removeAttribute("x");
    text.style.setProperty("fill", "red");
    text.style.removeProperty("fill");
    text.appendChild(create("tspan"));
    text.textContent = "new";
    expect([text.hasAttribute("x"), text.getAttribute("x"), text.textContent]).toEqual([false, null, "new"]);
    expect(text.serialize()).toBe("<text>new</text>");
  });

  it("escapes text and attributes", () => {
    const text = create("text");
    text.setAttribute("title", `"a" & 'b'`);
    text.textContent = "<x> & y";
    expect(text.serialize()).toBe('<text title="&quot;a&quot; &amp; &#39;b&#39;">&lt;x&gt; &amp; y</text>');
  });
});

describe("escapeMarkup", () => {
  it("leaves no character that could end text or an attribute", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."<>&\"';#ab\u0000é") }), (text) => {
        expect(escapeMarkup(text)).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/);
      }),
    );
  });

  it("shows control characters, replaces others that XML forbids, and keeps the rest", () => {
    expect(escapeMarkup("a\u0000b\u001b[2Jc\u202ed\ufffe")).toBe("a\\x00b\\x1b[2Jc\\u202ed\ufffd");
    expect(escapeMarkup("Φ ≤ 32×32\n😀")).toBe("Φ ≤ 32×32\n😀");
  });
});
