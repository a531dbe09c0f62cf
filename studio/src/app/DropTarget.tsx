/** The whole page takes files that are dropped or pasted. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { takeFiles } from "./files";

const over = signal(false);

export function DropTarget({ children }: { readonly children: ComponentChildren }) {
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent) => {
      if (clipboardData && clipboardData.files.length > 0) void takeFiles(clipboardData.files);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, []);
  const dragged = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    over.value = true;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be chosen with a button as well
    <div
      class={over.value ? "page over" : "page"}
      onDragEnter={dragged}
      onDragOver={dragged}
      onDragLeave={(event) => {
        if (event.relatedTarget === null) over.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        over.value = false;
        if (event.dataTransfer) void takeFiles(event.dataTransfer.files);
      }}
    >
      {children}
      {over.value && <p class="drop-hint">Drop a picture, an array (.npy) or a dictionary (.npz)</p>}
    </div>
  );
}
