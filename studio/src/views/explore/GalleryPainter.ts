/**
 * Draws the part of a gallery that is visible. The sheet of all tiles is as high as it needs to be, and the browser
 * scrolls it; blocks of rows have canvases of their own, which are drawn when they come near the window and given to
 * other blocks when they leave it. Drawing stops after a few milliseconds and continues in the next frame.
 */

import type { Tiles } from "../../engine/explore/exploreAtoms";
import { cornerOf, type GalleryLayout } from "./galleryLayout";
import { addTrace, TileScaler, tileAt } from "./tileImage";

export interface GalleryContent {
  readonly tiles: Tiles;
  readonly order: ArrayLike<number>;
  readonly layout: GalleryLayout;
}

/** Milliseconds of drawing per frame: while one scrolls, and when all is new. */
const frameBudget = 8;
const firstBudget = 12;
/** Pixels beyond the window that are drawn before they are seen. */
const ahead = 900;

export class GalleryPainter {
  readonly #window: HTMLElement;
  readonly #layer: HTMLElement;
  readonly #drawn = new Map<number, HTMLCanvasElement>();
  readonly #free: HTMLCanvasElement[] = [];
  #content: GalleryContent | undefined;
  #colours = { line: "", panel: "", accent: "" };
  #frame = 0;
  /** The pixels of a row of tiles, kept while its size is the same. */
  #row: ImageData | undefined;

  /** `window`: what scrolls; `layer`: where the canvases go, as high as the sheet. */
  constructor(window: HTMLElement, layer: HTMLElement) {
    this.#window = window;
    this.#layer = layer;
  }

  /** Show something else. */
  show(content: GalleryContent): void {
    this.#content = content;
    const style = getComputedStyle(this.#window);
    const colour = (name: string) => style.getPropertyValue(name);
    this.#colours = { line: colour("--line"), panel: colour("--panel"), accent: colour("--accent") };
    for (const canvas of this.#drawn.values()) this.#free.push(canvas);
    this.#drawn.clear();
    this.paint(firstBudget);
    for (const canvas of this.#free.splice(0)) canvas.remove();
  }

  /** Draw again, in other colours. */
  repaint(): void {
    if (this.#content) this.show(this.#content);
  }

  /** Draw what has come into the window: as much as there is time for now, the rest in the next frames. */
  paint(budget = frameBudget): void {
    cancelAnimationFrame(this.#frame);
    const started = performance.now();
    const missing = this.#missing();
    for (const [i, block] of missing.entries()) {
      this.#draw(block);
      if (performance.now() - started < budget || i === missing.length - 1) continue;
      this.#frame = requestAnimationFrame(() => this.paint());
      return;
    }
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#layer.replaceChildren();
  }

  /** Blocks that should be drawn and are not, the visible ones first; frees those that are far away. */
  #missing(): number[] {
    if (!this.#content) return [];
    const { rows, rowsPerBlock, tileHeight, gap } = this.#content.layout;
    const blockHeight = rowsPerBlock * (tileHeight + gap);
    const last = Math.ceil(rows / rowsPerBlock) - 1;
    const { scrollTop, clientHeight } = this.#window;
    const blockAt = (y: number) => Math.min(last, Math.max(0, Math.floor(y / blockHeight)));
    const [from, to] = [blockAt(scrollTop - ahead), blockAt(scrollTop + clientHeight + ahead)];
    for (const [block, canvas] of this.#drawn)
      if (block < from || block > to) {
        this.#drawn.delete(block);
        this.#free.push(canvas);
      }
    const middle = (scrollTop + clientHeight / 2) / blockHeight - 0.5;
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
      .filter((block) => !this.#drawn.has(block))
      .sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  }

  #draw(block: number): void {
    if (!this.#content) return;
    const { layout, order } = this.#content;
    const { columns, rows, rowsPerBlock, tileHeight, gap, width, count } = layout;
    const first = block * rowsPerBlock;
    const drawnRows = Math.min(rowsPerBlock, rows - first);
    const height = drawnRows * (tileHeight + gap);
    const scale = devicePixelRatio || 1;
    const canvas = this.#free.pop() ?? this.#layer.appendChild(document.createElement("canvas"));
    resize(canvas, Math.round(width * scale), Math.round(height * scale));
    canvas.style.cssText = `top:${first * (tileHeight + gap)}px;width:${width}px;height:${height}px`;
    this.#drawn.set(block, canvas);
    const context = canvas.getContext("2d");
    if (!context) return;
    const start = first * columns;
    const atoms = Array.from(
      { length: Math.min(count - start, drawnRows * columns) },
      (_, i) => order[start + i],
    );
    if (this.#content.tiles.look.kind === "trace") this.#drawTraces(context, atoms, scale);
    else this.#drawPictures(context, atoms, scale);
  }

  /** Row by row, without a call of the canvas for each tile: it would cost more than its pixels. */
  #drawPictures(context: CanvasRenderingContext2D, atoms: readonly number[], scale: number): void {
    const { tiles, layout } = this.#content as GalleryContent;
    const { columns, tileWidth, tileHeight, gap } = layout;
    const [width, height] = [Math.round(tileWidth * scale), Math.round(tileHeight * scale)];
    const scaler = new TileScaler(tiles.look, width, height);
    const gapShade = pixelOf(context, this.#colours.line); // a white tile has a border, too
    for (let first = 0; first < atoms.length; first += columns) {
      const shown = Math.min(columns, atoms.length - first);
      const lefts = Array.from({ length: shown }, (_, i) => Math.round(cornerOf(layout, i).left * scale));
      const image = this.#rowOf(lefts[shown - 1] + width, height + Math.round(gap * scale));
      const pixels = new Int32Array(image.data.buffer).fill(gapShade);
      lefts.forEach((at, i) => {
        scaler.draw(tiles.bytes, atoms[first + i], { pixels, at, line: image.width });
      });
      context.putImageData(image, 0, Math.round(cornerOf(layout, first).top * scale));
    }
  }

  #rowOf(width: number, height: number): ImageData {
    if (this.#row?.width !== width || this.#row.height !== height) this.#row = new ImageData(width, height);
    return this.#row;
  }

  #drawTraces(context: CanvasRenderingContext2D, atoms: readonly number[], scale: number): void {
    const { tiles, layout } = this.#content as GalleryContent;
    const { tileWidth: width, tileHeight: height } = layout;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = this.#colours.panel;
    const [zero, lines] = [new Path2D(), new Path2D()];
    for (const [i, atom] of atoms.entries()) {
      const { left, top } = cornerOf(layout, i);
      context.fillRect(left, top, width, height);
      zero.moveTo(left, top + height / 2);
      zero.lineTo(left + width, top + height / 2);
      addTrace(lines, tileAt(tiles, atom), { left, top, width, height });
    }
    context.lineWidth = 1;
    context.strokeStyle = this.#colours.line;
    context.stroke(zero);
    context.lineWidth = Math.min(2, Math.max(1, width / 60));
    context.lineJoin = "round";
    context.strokeStyle = this.#colours.accent;
    context.stroke(lines);
  }
}

/** An empty canvas of this size. */
function resize(canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  else {
    const context = canvas.getContext("2d");
    context?.setTransform(1, 0, 0, 1, 0, 0);
    context?.clearRect(0, 0, width, height);
  }
}

/** A colour as a pixel. */
function pixelOf(context: CanvasRenderingContext2D, colour: string): number {
  context.fillStyle = colour;
  const text = String(context.fillStyle); // #rrggbb
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
  return 0xff000000 | (blue << 16) | (green << 8) | red;
}
