/** One tile of a gallery on its own: a small picture or a small trace. */

import { useMemo } from "preact/hooks";
import type { Tiles } from "../../engine/explore/exploreAtoms";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { TracePicture } from "./AtomPicture";
import { tileAt, tileImage } from "./tileImage";

export interface TilePictureProps {
  readonly tiles: Tiles;
  readonly index: number;
  readonly label: string;
  /** Black for white. */
  readonly negated?: boolean;
}

export function TilePicture({ tiles, index, label, negated = false }: TilePictureProps) {
  const shown = useMemo(() => {
    if (!negated) return { tiles, index };
    const bytes = tileAt(tiles, index).map((shade) => Math.min(255, 256 - shade));
    return { tiles: { look: tiles.look, bytes }, index: 0 };
  }, [tiles, index, negated]);
  const pixels = useMemo(
    () => (tiles.look.kind === "picture" ? tileImage(shown.tiles, shown.index) : undefined),
    [shown],
  );
  if (pixels) return <PixelCanvas class="tile" crisp pixels={pixels} label={label} />;
  const values = Array.from(tileAt(shown.tiles, shown.index), (shade) => (shade - 128) / 127);
  return <TracePicture values={values} label={label} zero />;
}
