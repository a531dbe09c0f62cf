/** The race that is running, or the last one: its curves and pictures. It continues while other views are shown. */

import { signal } from "@preact/signals";
import type { Item } from "../../app/library";
import { notifyOf } from "../../app/notices";
import { Engine } from "../../engine/client";
import type { RaceNews } from "../../engine/paper/raceTasks";
import type { Racer } from "../../engine/paper/settings";
import { type Pixels, picturePixels } from "../../parts/pixels";
import { windowOf } from "./currentPicture";

/** A worker of its own: the others stay free. */
const track = new Engine();

export interface Lane {
  readonly learner: Racer;
  readonly points: readonly (readonly [seconds: number, testRmse: number])[];
  readonly examples: number;
  readonly picture?: Pixels | undefined;
}

export const lanes = signal<readonly Lane[]>([]);
export const racing = signal(false);

export interface RaceSettings {
  readonly side: number;
  readonly learners: readonly Racer[];
  readonly share: number;
  readonly examples: number;
  readonly seconds: number;
}

/** The most pixels along a side of the part of a picture that is learned from. */
const mostSide = 1024;

export async function startRace(item: Item, settings: RaceSettings): Promise<void> {
  if (racing.value) return;
  racing.value = true;
  lanes.value = settings.learners.map((learner) => ({ learner, points: [], examples: 0 }));
  try {
    const shape = item.shape.slice(0, 2).map((size) => Math.min(size, mostSide));
    const data = windowOf(item, 0, 0, shape[0], shape[1]);
    await track.run("paperRace", { shape, data, ...settings }, { onProgress: note, transfer: [data.buffer] });
  } catch (error) {
    notifyOf(error);
  } finally {
    racing.value = false;
    track.stop(); // its memory
  }
}

export function stopRace(): void {
  track.stop();
}

function note({ learner, seconds, examples, testRmse, picture }: RaceNews): void {
  lanes.value = lanes.value.map((lane) =>
    lane.learner === learner
      ? {
          learner,
          points: [...lane.points, [seconds, testRmse] as const],
          examples,
          picture: picture ? picturePixels(picture) : lane.picture,
        }
      : lane,
  );
}
