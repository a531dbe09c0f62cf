/** Zoom by the wheel with Ctrl, which is also how browsers report a pinch on a touch pad, and by a pinch of two fingers. */

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** `zoom` is called with a factor, and where on the element it happened. */
export function useZoomGestures(
  element: RefObject<HTMLElement | null>,
  zoom: (factor: number, y: number) => void,
): void {
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const { current: target } = element;
    if (!target) return;
    const call = (factor: number, clientY: number) =>
      latest.current(factor, clientY - target.getBoundingClientRect().top);
    const wheel = wheelZoom(call);
    const pinch = pinchZoom(call);
    target.addEventListener("wheel", wheel, { passive: false });
    target.addEventListener("touchmove", pinch.move, { passive: false });
    target.addEventListener("touchend", pinch.end);
    return () => {
      target.removeEventListener("wheel", wheel);
      target.removeEventListener("touchmove", pinch.move);
      target.removeEventListener("touchend", pinch.end);
    };
  }, []);
}

type Call = (factor: number, clientY: number) => void;

/** Small factors are gathered: a zoom changes at least a few percent, once per frame at most. */
const leastFactor = 1.04;

function gatherer(call: Call): Call {
  let factor = 1;
  let frame = 0;
  return (next, clientY) => {
    factor *= next;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      if (Math.max(factor, 1 / factor) < leastFactor) return;
      call(factor, clientY);
      factor = 1;
    });
  };
}

function wheelZoom(call: Call): (event: WheelEvent) => void {
  const gather = gatherer(call);
  return (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    gather(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 200), event.clientY);
  };
}

function pinchZoom(call: Call) {
  const gather = gatherer(call);
  let distance: number | undefined;
  return {
    move(event: TouchEvent) {
      if (event.touches.length !== 2) return;
      event.preventDefault();
      const [a, b] = [event.touches[0], event.touches[1]];
      const now = Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY));
      if (distance !== undefined) gather(now / distance, (a.clientY + b.clientY) / 2);
      distance = now;
    },
    end() {
      distance = undefined;
    },
  };
}
