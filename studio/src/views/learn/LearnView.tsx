/** Learn a dictionary from a picture, and watch its atoms change. */

import "./learn.css";
import { signal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { addressedView } from "../../app/address";
import { firstPicture } from "../../app/builtIn";
import { currentItem, items, selectItem } from "../../app/library";
import { notify, notifyOf } from "../../app/notices";
import { openSession } from "../../app/session";
import { learner } from "../../engine/client";
import { AtomsPanel } from "./AtomsPanel";
import { CommandPanel } from "./CommandPanel";
import { CurvesPanel } from "./CurvesPanel";
import { EarlierRuns } from "./EarlierRuns";
import { OpenedDictionary } from "./OpenedDictionary";
import { SettingsPanel } from "./SettingsPanel";
import { earlier, findEarlier, learn, phase } from "./session";
import {
  deviceName,
  isPlainAddress,
  pictureName,
  recallAddress,
  rememberAddress,
  settings,
} from "./settings";
import { TransportBar } from "./TransportBar";

export default function LearnView() {
  useEffect(() => {
    recallAddress();
    wanted = pictureName.value;
    void begin();
  }, []);
  useSignalEffect(rememberAddress);
  useSignalEffect(followPicture);
  return (
    <div class="learn">
      <header class="learn-head">
        <h1>Watch a dictionary learn</h1>
        <p class="lead">
          Each tile is an atom. Every patch of the picture is written as a sum of a few of them, and the atoms
          change until that works well.
        </p>
      </header>
      <EarlierRuns />
      <OpenedDictionary />
      <div class="split wide-side">
        <div class="learn-main">
          <TransportBar />
          <div class="learn-stage">
            <AtomsPanel />
            <CurvesPanel />
          </div>
          <CommandPanel />
        </div>
        <SettingsPanel />
      </div>
    </div>
  );
}

/** The picture that the address names, until it is there. */
let wanted = "";
/** Whether everything is there that was named on the command line. */
const isComplete = signal(false);

/** The picture of the address is shown, once it is there; later, the address names the one that is shown. */
function followPicture(): void {
  const all = items.value;
  const item = currentItem.value;
  if (!item || (addressedView.peek() !== "learn" && addressedView.peek() !== "")) return;
  const found = all.find(({ name }) => name === wanted);
  if (wanted !== "" && !found && !isComplete.value) return;
  if (wanted !== "" && !found) notify(`The link names the picture ${wanted}: open it to learn from it.`);
  wanted = "";
  if (found) selectItem(found.id);
  else pictureName.set(item.name === firstPicture ? "" : item.name);
}

let hasBegun = false;

/** On the first visit learning starts by itself, unless the address has settings or motion is not wanted. */
async function begin(): Promise<void> {
  if (hasBegun) return;
  hasBegun = true;
  const isPlain = isPlainAddress();
  learner.run("openDevice", { device: deviceName.value }).catch(() => {}); // a run says what is wrong
  await Promise.all([findEarlier().catch(notifyOf), openSession().catch(() => {})]); // errors were shown
  isComplete.value = true;
  const wantsLess = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!isPlain || wantsLess || earlier.peek().length > 0) return;
  const end = settings.subscribe((now) => {
    const item = currentItem.peek();
    if (!item || !now) return;
    queueMicrotask(() => end());
    if (phase.peek() === "idle") learn({ item, settings: now, device: deviceName.value }).catch(notifyOf);
  });
}
