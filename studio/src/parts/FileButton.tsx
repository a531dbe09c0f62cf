/** A button that opens the file chooser. */

import { useRef } from "preact/hooks";
import { acceptedFiles, takeFiles } from "../app/files";

export function FileButton({ label = "Choose files …" }: { readonly label?: string }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={acceptedFiles}
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files) void takeFiles([...files]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}
