/**
 * The small part of the DOM that Observable Plot and d3-selection need to draw SVG
 * without a browser: elements are created, given attributes, styles and children,
 * and finally written out as text. Nothing is parsed, searched or rendered, and
 * there are no events.
 */

import { escapeMarkup } from "../pages/markup.js";

export const svgNamespace = "http://www.w3.org/2000/svg";

const fontFamily = "Helvetica, Arial, 'DejaVu Sans', sans-serif";

/** The text of what Plot drew, with the attributes of a standalone file; `ink` is the colour of its text. */
export function svgText(svg: SvgElement, ink: string): string {
  svg.setAttribute("xmlns", svgNamespace);
  svg.setAttribute("role", "img");
  svg.setAttribute("color", ink);
  svg.setAttribute("font-family", fontFamily);
  return svg.serialize();
}

/** A substitute for `document`: pass it to Plot as `document: svgDocument as unknown as Document`. */
export class SvgDocument {
  readonly documentElement: SvgElement = new SvgElement(this, svgNamespace, "svg");

  createElementNS(namespace: string, name: string): SvgElement {
    return new SvgElement(this, namespace, name);
  }
}

export class SvgElement {
  readonly ownerDocument: SvgDocument;
  readonly namespaceURI: string;
  readonly tagName: string;
  readonly style = new SvgStyle();
  readonly #attributes = new Map<string, string>();
  #children: (SvgElement | string)[] = [];

  constructor(document: SvgDocument, namespace: string, name: string) {
    this.ownerDocument = document;
    this.namespaceURI = namespace;
    this.tagName = name;
  }

  setAttribute(name: string, value: unknown): void {
    this.#attributes.set(name, String(value));
  }

  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.#attributes.has(name);
  }

  removeAttribute(name: string): void {
    this.#attributes.delete(name);
  }

  append(...children: (SvgElement | string)[]): void {
    this.#children.push(...children);
  }

  appendChild(child: SvgElement): SvgElement {
    return this.insertBefore(child, null);
  }

  /** Insert before `next`, a child of this element, or at the end if it is null. */
  insertBefore(child: SvgElement, next: SvgElement | null): SvgElement {
    const index = next === null ? this.#children.length : this.#children.indexOf(next);
    this.#children.splice(index, 0, child);
    return child;
  }

  get textContent(): string {
    return this.#children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }

  set textContent(text: unknown) {
    this.#children = [String(text)];
  }

  /** The element as SVG text. */
  serialize(): string {
    const attributes = [...this.#attributes];
    const style = this.style.serialize();
    if (style !== "") attributes.push(["style", style]);
    const opening = [this.tagName, ...attributes.map(([name, value]) => `${name}="${escapeMarkup(value)}"`)];
    const children = this.#children.map((child) =>
      typeof child === "string" ? escapeMarkup(child) : child.serialize(),
    );
    return `<${opening.join(" ")}>${children.join("")}</${this.tagName}>`;
  }
}

/** `element.style`, as far as d3 uses it. */
class SvgStyle {
  readonly #properties = new Map<string, string>();

  setProperty(name: string, value: unknown): void {
    this.#properties.set(name, String(value));
  }

  removeProperty(name: string): void {
    this.#properties.delete(name);
  }

  serialize(): string {
    return [...this.#properties].map(([name, value]) => `${name}: ${value}`).join("; ");
  }
}
