/** A picture in few bytes, beside what the encoders of the browser make of as many. */

import { useEffect, useMemo } from "preact/hooks";
import { addressed, oneOf } from "../../app/address";
import { currentDictionary, type Dictionary } from "../../app/library";
import type { PicturePart } from "../../app/picturePart";
import type { Encoded } from "../../engine/restore/browserEncodings";
import type { CompressProgress, CompressResult } from "../../engine/restore/compressTasks";
import { Choice } from "../../parts/Choice";
import { PixelCanvas } from "../../parts/PixelCanvas";
import { greyPixels } from "../../parts/pixels";
import { psnrText } from "../../parts/psnrText";
import { isCrisp, rangedPixels } from "../../parts/rangedPixels";
import { Slider } from "../../parts/Slider";
import { saveFile } from "../../parts/saveFile";
import { Wipe } from "../../parts/Wipe";
import { wipePlace } from "../../parts/wipePlace";
import type { ModeProps } from "./modeProps";
import { restore } from "./restorer";
import { bytes } from "./restoreSettings";
import { fileName, SaveButton } from "./SaveButton";
import { TaskBar } from "./TaskBar";
import { useTask } from "./useTask";

/** What is on the other side of the wipe. */
const sides = ["original", "WebP", "JPEG"] as const;
const side = addressed("beside", "original", oneOf(sides));

/** Positions of the slider for twice the bytes. */
const perDoubling = 8;
const leastBytes = 32;

const bytesAt = (position: number) => Math.round(leastBytes * 2 ** (position / perDoubling));
const positionOf = (size: number) => Math.round(Math.log2(size / leastBytes) * perDoubling);

interface Result extends CompressResult {
  readonly picture: PicturePart;
  readonly dictionary: Dictionary;
  /** The most bytes that were asked for. */
  readonly limit: number;
}

/** Milliseconds that the slider rests before the work starts. */
const rest = 150;

export function CompressMode({ picture, sources }: ModeProps) {
  const dictionary = currentDictionary.value as Dictionary;
  const limit = bytes.value;
  const task = useTask<Result, CompressProgress>([picture, dictionary, limit], { keep: true });
  const { width, height, data, range } = picture;
  const start = () =>
    task.start(async (signal, onProgress) => {
      const input = { picture: { width, height, data, range }, model: dictionary.id, bytes: limit };
      const result = await restore("compressPicture", input, dictionary, {
        signal,
        onProgress: onProgress as never,
      });
      return { ...result, picture, dictionary, limit };
    });
  useEffect(() => {
    const timer = setTimeout(start, rest);
    return () => clearTimeout(timer);
  }, [picture, dictionary, limit]);
  const result = task.result?.picture === picture ? task.result : undefined;
  const isCurrent = result?.dictionary === dictionary && result.limit === limit;
  const most = positionOf(Math.max(256, (width * height) / 2));
  const { progress } = task;
  return (
    <div class="split">
      <div class="side">
        {sources}
        <Slider
          label="Bytes, at most"
          value={positionOf(limit)}
          min={0}
          max={most}
          shown={`${limit.toLocaleString("en")} B`}
          help={`${((8 * limit) / (width * height)).toFixed(3)} bits per pixel`}
          onChange={(position) => bytes.set(bytesAt(position))}
        />
        <Choice
          label="Beside it"
          value={side.value}
          options={[
            { value: "original", text: "the original" },
            { value: "WebP", text: "WebP of at most as many bytes" },
            { value: "JPEG", text: "JPEG of at most as many bytes" },
          ]}
          onChange={(value) => side.set(value)}
        />
        {!(isCurrent && !task.isRunning) && (
          <TaskBar
            action="Compress"
            isRunning={task.isRunning}
            whole={progress?.whole}
            now={
              progress &&
              `trying ${progress.bytes.toLocaleString("en")} B · ${Math.floor(100 * progress.whole)} %`
            }
            failure={task.failure}
            onStart={start}
            onCancel={task.cancel}
          />
        )}
      </div>
      <div class="restore-main">
        <CompressPicture picture={picture} result={result} />
        <div class="restore-about">
          {result && <Sizes result={result} />}
          {result && (
            <div class="row">
              <button type="button" onClick={() => saveFile(`${fileName(picture.name)}.tlt`, result.file)}>
                Save as .tlt
              </button>
              <SaveButton
                picture={() => ({ width, height, data: Float32Array.from(result.data), range: [0, 255] })}
                name={`${picture.name}-decompressed`}
              />
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

function CompressPicture({ picture, result }: { picture: PicturePart; result: Result | undefined }) {
  const { width, height } = picture;
  const crisp = isCrisp(picture);
  const original = useMemo(() => rangedPixels(width, height, picture.data, picture.range), [picture]);
  const ours = useMemo(() => result && greyPixels(width, height, result.data), [result]);
  const other = result?.others.find(({ name, data }) => name === side.value && data);
  const theirs = useMemo(() => other?.data && greyPixels(width, height, other.data), [other]);
  return (
    <div class="restore-picture" style={{ "--ratio": width / height }}>
      {ours ? (
        <Wipe
          left={theirs ? { pixels: theirs, label: side.value } : { pixels: original, label: "Original" }}
          right={{ pixels: ours, label: "trainlets" }}
          place={wipePlace}
          crisp={crisp}
        />
      ) : (
        <PixelCanvas pixels={original} label="The original" crisp={crisp} />
      )}
    </div>
  );
}

/** The three files by size and quality, and what ours does not count. */
function Sizes({ result }: { readonly result: Result }) {
  const { file, psnr, others, dictionary, atoms, blocks } = result;
  const own = { name: "trainlets", bytes: file.length, psnr };
  return (
    <>
      <table class="restore-sizes">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Bytes</th>
            <th scope="col">PSNR</th>
          </tr>
        </thead>
        <tbody>
          {[own, ...others].map((one) => (
            <SizeRow key={one.name} encoded={one} />
          ))}
        </tbody>
      </table>
      <p class="help">
        {`All bytes count, headers included. WebP and JPEG have the highest quality that fits, and no colour profile. Our file holds ${atoms.toLocaleString("en")} atoms in ${blocks.toLocaleString("en")} blocks; `}
        {`both sides also need the dictionary (${kilobytes(dictionary.bytes.length)}).`}
      </p>
    </>
  );
}

function SizeRow({ encoded }: { readonly encoded: Encoded }) {
  const { name, bytes: size, psnr, reason } = encoded;
  const isUnknown = reason === "unknown";
  return (
    <tr data-file={name}>
      <th scope="row">{name}</th>
      <td>{isUnknown ? "–" : size.toLocaleString("en")}</td>
      <td>
        {isUnknown
          ? "not written by this browser"
          : psnr === undefined
            ? "does not get this small"
            : psnrText(psnr)}
      </td>
    </tr>
  );
}

function kilobytes(size: number): string {
  return size < 10_000
    ? `${size.toLocaleString("en")} B`
    : `${Math.round(size / 1000).toLocaleString("en")} kB`;
}
