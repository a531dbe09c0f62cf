/**
 * All atoms of a dictionary, in an order: thousands of tiles, of which the visible ones are drawn. A list box for screen
 * readers and the keyboard: arrow keys, Home, End, Page Up and Page Down move the selection, Enter opens it, + and −
 * zoom, as do a pinch and the wheel with Ctrl. A click selects, another one opens.
 */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { AtomTiles } from "../../engine/explore/exploreTasks";
import { atomWords } from "./atomWords";
import { GalleryPainter } from "./GalleryPainter";
import { cornerOf, type GalleryLayout, layOut, positionAt, tileSizes, usualSize } from "./galleryLayout";
import { useThemeChange } from "./useThemeChange";
import { useZoomGestures } from "./useZoomGestures";

export interface GalleryProps {
  readonly tiles: AtomTiles;
  readonly order: Uint32Array;
  readonly selected: number;
  /** About the side of a tile; 0: as it suits. */
  readonly size: number;
  readonly onSelect: (atom: number) => void;
  readonly onOpen: () => void;
  readonly onSize: (size: number) => void;
}

/** One step of the zoom. */
export const zoomStep = 1.25;

export function clampSize(size: number): number {
  return Math.round(Math.min(tileSizes.most, Math.max(tileSizes.least, size)));
}

export function Gallery({ tiles, order, selected, size, onSelect, onOpen, onSize }: GalleryProps) {
  const frame = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const painter = useRef<GalleryPainter | undefined>(undefined);
  const [room, setRoom] = useState({ width: 0, height: 0 });
  const count = order.length;
  const shownSize = size || usualSize(count, room.width || 800, room.height || 600);
  const layout = useMemo(
    () => layOut(tiles.look, count, Math.max(60, room.width), shownSize),
    [tiles, count, room.width, shownSize],
  );
  const positions = useMemo(() => positionsIn(order), [order]);
  const position = positions[selected];
  const anchor = useRef<Anchor | undefined>(undefined);
  const before = useRef<{ readonly order: Uint32Array; readonly layout: GalleryLayout } | undefined>(
    undefined,
  );

  useLayoutEffect(() => {
    const { current: window } = frame;
    if (!window || !layer.current) return;
    const measure = () => setRoom({ width: window.clientWidth, height: window.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(window);
    measure();
    painter.current = new GalleryPainter(window, layer.current);
    return () => {
      observer.disconnect();
      painter.current?.close();
    };
  }, []);
  useLayoutEffect(() => {
    const { current: window } = frame;
    if (!window || room.width === 0) return;
    if (!before.current) scrollTo(window, layout, position);
    else if (before.current.order !== order) window.scrollTop = 0;
    else keepInPlace(window, layout, anchor.current ?? anchorAt(window, before.current.layout, 0));
    before.current = { order, layout };
    anchor.current = undefined;
    painter.current?.show({ tiles, order, layout });
  }, [tiles, order, layout]);
  useEffect(() => {
    if (frame.current) scrollTo(frame.current, layout, position);
  }, [selected]);
  useThemeChange(() => painter.current?.repaint());

  const zoom = (factor: number, y = room.height / 2) => {
    const { current: window } = frame;
    const next = clampSize(shownSize * factor);
    if (!window || next === shownSize) return;
    anchor.current = anchorAt(window, layout, y);
    onSize(next);
  };
  useZoomGestures(frame, zoom);

  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoom(zoomStep);
    else if (event.key === "-") zoom(1 / zoomStep);
    else if (event.key === "Enter") onOpen();
    else {
      const next = nextPosition(event.key, position, layout, room.height);
      if (next === undefined) return;
      onSelect(order[next]);
    }
    event.preventDefault();
  };
  const pick = (event: MouseEvent) => {
    const { current: window } = frame;
    if (!window) return;
    const box = window.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - window.clientLeft, event.clientY - box.top - window.clientTop];
    const at = positionAt(layout, x, y + window.scrollTop);
    if (at === undefined) return;
    if (order[at] === selected) onOpen();
    else onSelect(order[at]);
  };
  const corner = cornerOf(layout, position);
  const id = `atom-${selected + 1}`;
  return (
    <div
      ref={frame}
      class="gallery"
      role="listbox"
      tabIndex={0}
      aria-label={`Atoms: ${count}. Arrow keys move, Enter opens, plus and minus zoom.`}
      aria-activedescendant={id}
      onScroll={() => painter.current?.paint()}
      onKeyDown={keys}
      onClick={pick}
    >
      <div class="gallery-sheet" style={{ height: `${layout.height}px` }}>
        <div ref={layer} class="gallery-layer" aria-hidden="true" />
        <div
          key={id}
          id={id}
          class="gallery-mark"
          role="option"
          tabIndex={-1}
          aria-selected="true"
          aria-setsize={count}
          aria-posinset={position + 1}
          aria-label={atomWords(selected, count, tiles.uses)}
          style={{
            left: `${corner.left}px`,
            top: `${corner.top}px`,
            width: `${layout.tileWidth}px`,
            height: `${layout.tileHeight}px`,
          }}
        />
      </div>
    </div>
  );
}

/** A tile that stays where it is while the layout changes: `y` pixels below the top of the window. */
interface Anchor {
  readonly position: number;
  readonly y: number;
}

function anchorAt(window: HTMLElement, layout: GalleryLayout, y: number): Anchor {
  const row = Math.floor((window.scrollTop + y) / (layout.tileHeight + layout.gap));
  const position = Math.min(layout.count - 1, Math.max(0, row * layout.columns));
  return { position, y: cornerOf(layout, position).top - window.scrollTop };
}

function keepInPlace(window: HTMLElement, layout: GalleryLayout, { position, y }: Anchor): void {
  window.scrollTop = cornerOf(layout, position).top - y;
}

/** Scroll as little as it takes to see a tile. */
function scrollTo(window: HTMLElement, layout: GalleryLayout, position: number): void {
  const { top } = cornerOf(layout, position);
  const margin = 6;
  if (top - margin < window.scrollTop) window.scrollTop = top - margin;
  const bottom = top + layout.tileHeight + margin - window.clientHeight;
  if (bottom > window.scrollTop) window.scrollTop = bottom;
}

/** Where each atom is in an order. */
function positionsIn(order: Uint32Array): Uint32Array {
  const positions = new Uint32Array(order.length);
  order.forEach((atom, position) => {
    positions[atom] = position;
  });
  return positions;
}

/** The position that a key leads to; undefined for other keys. */
function nextPosition(
  key: string,
  position: number,
  { columns, count, tileHeight, gap }: GalleryLayout,
  height: number,
): number | undefined {
  const page = columns * Math.max(1, Math.floor(height / (tileHeight + gap)) - 1);
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -page,
    PageDown: page,
  };
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = steps[key];
  if (step === undefined) return undefined;
  const next = position + step;
  if (Math.abs(step) === columns && columns > 1 && (next < 0 || next >= count)) return position;
  return Math.min(count - 1, Math.max(0, next));
}
