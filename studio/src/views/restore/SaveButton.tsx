/** Save a picture as PNG. */

import { notifyOf } from "../../app/notices";
import { helper } from "../../engine/client";
import type { GreyPicture } from "../../engine/look/lookTasks";
import { saveFile } from "../../parts/saveFile";

export function SaveButton({
  picture,
  name,
}: {
  readonly picture: () => GreyPicture;
  readonly name: string;
}) {
  const save = async () => {
    const png = await helper.run("toPng", picture());
    saveFile(`${fileName(name)}.png`, png as Uint8Array<ArrayBuffer>, "image/png");
  };
  return (
    <button type="button" onClick={() => void save().catch(notifyOf)}>
      Save as PNG
    </button>
  );
}

/** A name without the extension of the picture, and without what file systems refuse. */
export function fileName(name: string): string {
  return name.replace(/\.(png|jpe?g|webp|npy|gif|bmp|avif)(?=-|$)/i, "").replace(/[^\p{L}\p{N}._-]+/gu, "-");
}
