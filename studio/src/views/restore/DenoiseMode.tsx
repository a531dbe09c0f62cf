/** Noise added to a picture and removed again. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { TaskProgress } from "trainlets/parts";
import { notifyOf } from "../../app/notices";
import type { PicturePart } from "../../app/picturePart";
import { helper } from "../../engine/client";
import type { NoiseResult, Restored } from "../../engine/restore/restoreTasks";
import { Choice } from "../../parts/Choice";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { psnrOf, psnrText } from "../../parts/psnrText";
import { isCrisp, rangedPixels } from "../../parts/rangedPixels";
import { Slider } from "../../parts/Slider";
import { Wipe } from "../../parts/Wipe";
import { wipePlace } from "../../parts/wipePlace";
import { MethodFields, methodOf } from "./MethodFields";
import type { ModeProps } from "./modeProps";
import { restore } from "./restorer";
import { level, levels, patch, seed, sigma, source, step } from "./restoreSettings";
import { SaveButton } from "./SaveButton";
import { progressText, TaskBar } from "./TaskBar";
import { useTask } from "./useTask";

/** σ of a slider from 0 to 100 is in units of pictures from 0 to 255. */
function inSamples({ range: [low, high] }: PicturePart): number {
  return (sigma.value * (high - low)) / 255;
}

/** The picture with noise, made again when noise or picture change. */
function useNoise(picture: PicturePart): (NoiseResult & { readonly picture: PicturePart }) | undefined {
  const [noise, setNoise] = useState<NoiseResult & { readonly picture: PicturePart }>();
  const [amount, from] = [inSamples(picture), seed.value];
  useEffect(() => {
    let isCurrent = true;
    const { width, height, data, range } = picture;
    helper
      .run("addNoise", { picture: { width, height, data, range }, sigma: amount, seed: from })
      .then((result) => isCurrent && setNoise({ ...result, picture }), notifyOf);
    return () => {
      isCurrent = false;
    };
  }, [picture, amount, from]);
  return noise?.picture === picture ? noise : undefined;
}

export function DenoiseMode({ picture, sources }: ModeProps) {
  const noise = useNoise(picture);
  const method = methodOf(picture);
  const task = useTask<Restored & { sigma: number }, TaskProgress>([
    picture,
    sigma.value,
    seed.value,
    source.value,
    patch.value,
    method.needed,
    step().value,
    level.value,
  ]);
  const { width, height, data, range } = picture;
  const start = () =>
    task.start((signal, onProgress) =>
      restore(
        "removeNoise",
        {
          picture: { width, height, data, range },
          sigma: inSamples(picture),
          seed: seed.value,
          level: sigma.value > 0 ? level.value : "estimated",
          dictionary: method.dictionary,
          step: method.step,
        },
        method.needed,
        { signal, onProgress: onProgress as never },
      ),
    );
  const noisy = useMemo(() => noise && rangedPixels(width, height, noise.data, range), [noise]);
  const { result } = task;
  const clean = useMemo(() => result && rangedPixels(width, height, result.data, range), [result]);
  return (
    <div class="split">
      <div class="side">
        {sources}
        <Slider
          label="Noise added"
          value={sigma.value}
          min={0}
          max={100}
          shown={sigma.value === 0 ? "none" : `σ = ${sigma.value}`}
          help={sigma.value === 0 ? "The picture is denoised as it is." : "White, normal, from a seed."}
          onChange={(value) => sigma.set(value)}
        />
        {sigma.value > 0 && (
          <Choice
            label="Noise level"
            value={level.value}
            options={levels.map((value) => ({ value, text: levelNames[value] }))}
            onChange={(value) => level.set(value)}
          />
        )}
        <MethodFields />
        <TaskBar
          action="Denoise"
          isRunning={task.isRunning}
          whole={task.progress?.whole}
          now={progressText(task.progress)}
          failure={task.failure}
          onStart={start}
          onCancel={task.cancel}
        />
      </div>
      <div class="restore-main">
        <div class="restore-picture" style={{ "--ratio": width / height }}>
          {noisy && clean ? (
            <Wipe
              left={{ pixels: noisy, label: "Noisy" }}
              right={{ pixels: clean, label: "Denoised" }}
              place={wipePlace}
              crisp={isCrisp(picture)}
            />
          ) : (
            noisy && <PixelCanvas pixels={noisy} label="The noisy picture" crisp={isCrisp(picture)} />
          )}
        </div>
        <div class="restore-about">
          <DenoiseFacts picture={picture} noise={noise} result={result} />
          {result && (
            <SaveButton
              picture={() => ({ width, height, data: result.data, range })}
              name={`${picture.name}-denoised`}
            />
          )}
        </div>
      </div>
    </div>
  );
}

const levelNames: Record<(typeof levels)[number], string> = {
  estimated: "estimated from the picture",
  known: "the σ above",
};

interface FactsProps {
  readonly picture: PicturePart;
  readonly noise: NoiseResult | undefined;
  readonly result: (Restored & { sigma: number }) | undefined;
}

function DenoiseFacts({ picture: { range }, noise, result }: FactsProps) {
  const peak = range[1] - range[0];
  const hasNoise = noise !== undefined && noise.rmse > 0;
  return (
    <dl class="facts">
      <div>
        <dt>Estimated σ</dt>
        <dd data-fact="estimated">{noise?.estimated === undefined ? "–" : noise.estimated.toFixed(1)}</dd>
      </div>
      <div>
        <dt>PSNR before</dt>
        <dd data-fact="before">{hasNoise ? psnrText(psnrOf(noise.rmse, peak)) : "–"}</dd>
      </div>
      <div>
        <dt>PSNR after</dt>
        <dd data-fact="after">{result && hasNoise ? psnrText(psnrOf(result.rmse, peak)) : "–"}</dd>
      </div>
      {!hasNoise && noise && (
        <p class="help">Without added noise there is no clean picture to compare with.</p>
      )}
    </dl>
  );
}
