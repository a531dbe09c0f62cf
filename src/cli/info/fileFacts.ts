/**
 * What a file is and how it is used, from what it holds and not from its name: a dictionary, codes, a checkpoint, a
 * compressed file (the files of trainlets), or data.
 */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../core/errors.js";
import { byteSize } from "../../core/formatText.js";
import { listZip } from "../../data/formats/npz.js";
import { readError, readFileBytes, readFileStart, statFile } from "../../data/node/files.js";
import { statIfThere } from "../../data/node/system/folderFiles.js";
import { openCheckpointFile } from "../../learn/checkpoints/node/checkpointFolder.js";
import { dictionaryEnding, isOwnMat, modelFromContainer } from "../../model/containers.js";
import { codesFromBytes, formatOf, modelFormat, modelFromBytes } from "../../model/files.js";
import { unpackContainer } from "../../tasks/codec/container.js";
import { dataFacts } from "./dataFacts.js";
import type { FileFacts } from "./facts.js";
import { checkpointFacts, codesFacts, compressedFacts, dictionaryFacts } from "./ownFacts.js";

/** The largest file that is read as a whole to see whether it is one of trainlets: models are far smaller. */
const mostBytes = 2 ** 31;

export async function fileFacts(path: string): Promise<FileFacts> {
  const stats = await statIfThere(path);
  if (stats?.isDirectory()) return (await runFolderFacts(path)) ?? dataFacts(path);
  if (!stats?.isFile()) return dataFacts(path);
  const { size } = await statFile(path);
  if (size === 0) throw new InputError(`${path}: the file is empty`);
  const own = await ownFacts(path, size);
  if (!own) return dataFacts(path);
  return { ...own, rows: [...own.rows, ["file", byteSize(size)]], json: { ...own.json, bytes: size } };
}

async function ownFacts(path: string, size: number): Promise<FileFacts | undefined> {
  const start = new TextDecoder("latin1").decode(await readFileStart(path, 8));
  if (start === "TLCKPT\r\n") return checkpointFacts(path, await openCheckpointFile(path));
  if (start.startsWith("TLT"))
    return compressedFacts(path, unpackContainer(await readFileBytes(path), path), size);
  if (size > mostBytes) return undefined;
  const ending = dictionaryEnding(path);
  if (ending === ".mat" || ending === ".safetensors") return containerFacts(path, ending);
  if (!start.startsWith("PK")) return undefined;
  const bytes = await readFileBytes(path);
  if (!listZip(bytes, path).some(({ name }) => name === "meta.npy")) return undefined;
  const format = formatOf(bytes, path);
  if (format === modelFormat) return dictionaryFacts(path, modelFromBytes(bytes, path));
  if (format !== "trainlets-codes") return undefined;
  const { codes, signals } = codesFromBytes(bytes, path);
  return codesFacts(path, codes, signals);
}

/** A dictionary for other programs. A `.mat` of other variables is data; a `.safetensors` is nothing else here. */
async function containerFacts(path: string, ending: ".mat" | ".safetensors"): Promise<FileFacts | undefined> {
  const bytes = await readFileBytes(path);
  if (ending === ".mat" && !isDictionaryMat(bytes, path)) return undefined;
  return dictionaryFacts(path, modelFromContainer(bytes, ending, path));
}

function isDictionaryMat(bytes: Uint8Array, path: string): boolean {
  try {
    return isOwnMat(bytes, path);
  } catch {
    return false; // of another version of Matlab, or damaged: it is looked at as data
  }
}

/** The newest checkpoint of a folder that has any. */
async function runFolderFacts(folder: string): Promise<FileFacts | undefined> {
  const all = await readdir(folder).catch((error: unknown) => {
    throw readError(error, folder);
  });
  const names = all.filter((name) => /^checkpoint-\d+\.tlc$/.test(name)).sort();
  const last = names.at(-1);
  if (last === undefined) return undefined;
  const path = join(folder, last);
  return checkpointFacts(path, await openCheckpointFile(path), folder);
}
