/** The command line that learns the same, to copy. */

import { useSignal } from "@preact/signals";
import { makeNpy, writeNpy } from "trainlets";
import { currentItem } from "../../app/library";
import { notify } from "../../app/notices";
import { saveFile } from "../../parts/saveFile";
import { commandOf } from "./command";
import { commands, run } from "./session";
import { deviceName, settings } from "./settings";
import { dataFile } from "./shellWords";

export function CommandPanel() {
  const isCopied = useSignal(false);
  const item = run.value?.item ?? currentItem.value;
  if (!item || !settings.value) return null;
  const lines = commands.value.length > 0 ? commands.value : [planned(item.name)];
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(`${lines.join("\n")}\n`);
      isCopied.value = true;
      setTimeout(() => {
        isCopied.value = false;
      }, 2000);
    } catch {
      notify("The browser does not let the page copy: select the text instead.");
    }
  };
  const save = (): void => {
    const { shape, data } = item;
    saveFile(
      dataFile(item.name).replace(/\.\w+$/, ".npy"),
      writeNpy(makeNpy(shape, data)) as Uint8Array<ArrayBuffer>,
    );
  };
  const isPicture = !/\.npy$/i.test(dataFile(item.name));
  return (
    <section class="command" aria-label="Command line">
      <div class="row">
        <h2>The same on the command line</h2>
        <button type="button" onClick={() => void copy()}>
          {isCopied.value ? "Copied" : "Copy"}
        </button>
        <button type="button" class="quiet" onClick={save}>
          Save the samples (.npy)
        </button>
      </div>
      <pre>
        <code>
          {lines.map((line) => (
            <Command key={line} line={line} />
          ))}
        </code>
      </pre>
      {isPicture && (
        <p class="help">
          Decoders of pictures differ a little. With the samples of this page (.npy) instead of {item.name},
          the command writes the same bytes on the same device.
        </p>
      )}
    </section>
  );
}

/** Broken between flags, not within them. */
function Command({ line }: { readonly line: string }) {
  const parts = line.split(/ (?=-)/);
  return (
    <span class="line">
      {parts.map((part, i) => (
        <span key={part} class="flag">
          {i < parts.length - 1 ? `${part} ` : part}
        </span>
      ))}
      {"\n"}
    </span>
  );
}

/** The command of the run that the settings describe. */
function planned(name: string): string {
  const chosen = settings.value;
  return chosen
    ? commandOf({ data: name, settings: chosen, device: deviceName.value, output: "dict.npz" })
    : "";
}
