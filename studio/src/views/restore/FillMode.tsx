/** Holes made in a picture, by hand or at random, and filled. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { TaskProgress } from "trainlets/parts";
import { notifyOf } from "../../app/notices";
import type { PicturePart } from "../../app/picturePart";
import { helper } from "../../engine/client";
import type { Damage } from "../../engine/restore/restoreMask";
import type { DamageResult, Restored } from "../../engine/restore/restoreTasks";
import type { Pixels } from "../../parts/pixels";
import { psnrOf, psnrText } from "../../parts/psnrText";
import { isCrisp, rangedPixels } from "../../parts/rangedPixels";
import { Slider } from "../../parts/Slider";
import { Wipe } from "../../parts/Wipe";
import { wipePlace } from "../../parts/wipePlace";
import { HolePainter } from "./HolePainter";
import { MethodFields, methodOf } from "./MethodFields";
import type { ModeProps } from "./modeProps";
import { restore } from "./restorer";
import { brush, drop, holes, holesText, patch, scratches, seed, source, step } from "./restoreSettings";
import { SaveButton } from "./SaveButton";
import { progressText, TaskBar } from "./TaskBar";
import { useTask } from "./useTask";

type Damaged = DamageResult & { readonly picture: PicturePart };

/** The missing samples, found again when the damage or the picture change. */
function useDamage(picture: PicturePart, damage: Damage, from: number): Damaged | undefined {
  const [found, setFound] = useState<Damaged>();
  const { scratches: lines, drop: percent } = damage;
  useEffect(() => {
    let isCurrent = true;
    const { width, height, data, range } = picture;
    helper
      .run("damagePicture", { picture: { width, height, data, range }, damage, seed: from })
      .then((result) => isCurrent && setFound({ ...result, picture }), notifyOf);
    return () => {
      isCurrent = false;
    };
  }, [picture, holesText(), lines, percent, from]);
  return found?.picture === picture ? found : undefined;
}

/** A colour that pictures seldom have. */
const [red, green, blue] = [214, 62, 122];

function damagedPixels({ picture, missing }: Damaged): Pixels {
  const pixels = rangedPixels(picture.width, picture.height, picture.data, picture.range);
  const { data } = pixels;
  for (let i = 0; i < missing.length; i++) {
    if (!missing[i]) continue;
    data[4 * i] = red;
    data[4 * i + 1] = green;
    data[4 * i + 2] = blue;
  }
  return pixels;
}

export function FillMode({ picture, sources }: ModeProps) {
  const damage = { strokes: holes.value, scratches: scratches.value, drop: drop.value };
  const damaged = useDamage(picture, damage, seed.value);
  const method = methodOf(picture);
  const task = useTask<Restored & { filledRmse: number }, TaskProgress>([
    picture,
    holesText(),
    scratches.value,
    drop.value,
    seed.value,
    source.value,
    patch.value,
    method.needed,
    step().value,
  ]);
  const { width, height, data, range } = picture;
  const start = () =>
    task.start((signal, onProgress) =>
      restore(
        "fillPicture",
        {
          picture: { width, height, data, range },
          damage,
          seed: seed.value,
          dictionary: method.dictionary,
          step: method.step,
        },
        method.needed,
        { signal, onProgress: onProgress as never },
      ),
    );
  const before = useMemo(() => damaged && damagedPixels(damaged), [damaged]);
  const { result } = task;
  const after = useMemo(() => result && rangedPixels(width, height, result.data, range), [result]);
  return (
    <div class="split">
      <div class="side">
        {sources}
        <HoleFields picture={picture} />
        <MethodFields />
        <TaskBar
          action="Fill"
          isRunning={task.isRunning}
          whole={task.progress?.whole}
          now={progressText(task.progress)}
          failure={task.failure}
          disabled={!damaged || damaged.count === 0}
          onStart={start}
          onCancel={task.cancel}
        />
      </div>
      <div class="restore-main">
        <div class="restore-picture" style={{ "--ratio": width / height }}>
          {before && after ? (
            <Wipe
              left={{ pixels: before, label: "With holes" }}
              right={{ pixels: after, label: "Filled" }}
              place={wipePlace}
              crisp={isCrisp(picture)}
            />
          ) : (
            before && <HolePainter pixels={before} crisp={isCrisp(picture)} />
          )}
        </div>
        <div class="restore-about">
          <FillFacts picture={picture} damaged={damaged} result={result} />
          {result && (
            <div class="row">
              <SaveButton
                picture={() => ({ width, height, data: result.data, range })}
                name={`${picture.name}-filled`}
              />
              <button type="button" onClick={task.clear}>
                Paint more
              </button>
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

/** How the holes are made. Everything can be done without a pointer. */
function HoleFields({ picture: { width, height } }: { readonly picture: PicturePart }) {
  const addHole = () => {
    const n = holes.value.length + 1; // spread evenly over the picture: multiples of the golden ratio
    const x = Math.round(((n * 0.618034) % 1) * (width - 1));
    const y = Math.round(((n * 0.754878) % 1) * (height - 1));
    holes.set([...holes.value, { radius: brush.value, points: [x, y] }]);
  };
  return (
    <>
      <Slider
        label="Brush"
        value={brush.value}
        min={1}
        max={60}
        shown={`${2 * brush.value} px`}
        help="Paint on the picture, or add holes with the button."
        onChange={(value) => brush.set(value)}
      />
      <div class="row">
        <button type="button" onClick={addHole}>
          Add a hole
        </button>
        <button
          type="button"
          disabled={holes.value.length === 0}
          onClick={() => holes.set(holes.value.slice(0, -1))}
        >
          Undo
        </button>
        <button type="button" disabled={holes.value.length === 0} onClick={() => holes.set([])}>
          Clear
        </button>
      </div>
      <Slider
        label="Scratches"
        value={scratches.value}
        min={0}
        max={40}
        onChange={(value) => scratches.set(value)}
      />
      <Slider
        label="Missing pixels"
        value={drop.value}
        min={0}
        max={100}
        shown={`${drop.value} %`}
        onChange={(value) => drop.set(value)}
      />
    </>
  );
}

interface FactsProps {
  readonly picture: PicturePart;
  readonly damaged: Damaged | undefined;
  readonly result: (Restored & { filledRmse: number }) | undefined;
}

function FillFacts({ picture, damaged, result }: FactsProps) {
  const peak = picture.range[1] - picture.range[0];
  const share = damaged ? (100 * damaged.count) / (picture.width * picture.height) : 0;
  const hasHoles = damaged !== undefined && damaged.count > 0;
  return (
    <dl class="facts">
      <div>
        <dt>Missing</dt>
        <dd data-fact="missing">{share.toFixed(1)} %</dd>
      </div>
      <div>
        <dt>PSNR of holes as the mean</dt>
        <dd data-fact="before">{hasHoles ? psnrText(psnrOf(damaged.rmse, peak)) : "–"}</dd>
      </div>
      <div>
        <dt>PSNR of filled pixels</dt>
        <dd data-fact="after">{result ? psnrText(psnrOf(result.filledRmse, peak)) : "–"}</dd>
      </div>
      <div>
        <dt>PSNR of the picture</dt>
        <dd data-fact="whole">{result ? psnrText(psnrOf(result.rmse, peak)) : "–"}</dd>
      </div>
    </dl>
  );
}
