/** Pixels on a canvas, scaled by the style sheet. A new object of pixels is drawn; the canvas stays. */

import { useEffect, useRef } from "preact/hooks";
import type { Pixels } from "./pixels";

export interface PixelCanvasProps {
  readonly pixels: Pixels;
  /** What it shows, for those who cannot see it; empty if something around it says so. */
  readonly label: string;
  readonly class?: string;
  /** Large pixels, as they are, instead of smooth ones. */
  readonly crisp?: boolean;
}

export function PixelCanvas({ pixels, label, class: name = "", crisp = false }: PixelCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { width, height, data } = pixels;
    canvas.current?.getContext("2d")?.putImageData(new ImageData(data, width, height), 0, 0);
  }, [pixels]);
  return (
    <canvas
      ref={canvas}
      role={label ? "img" : undefined}
      aria-label={label || undefined}
      aria-hidden={label === ""}
      class={crisp ? `${name} crisp` : name}
      width={pixels.width}
      height={pixels.height}
    />
  );
}
