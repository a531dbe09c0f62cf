/**
 * The finished parts of an unfinished run, on disk: `parts` in its folder. They belong to one run alone: the same
 * settings, data, program and device, which `run.json` names. Parts of another run are removed, and a line says
 * what is different.
 *
 * A part is a CRC-32 in eight hexadecimal digits and a newline, then its bytes. A damaged one counts as missing.
 */

import { mkdir, readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { crc32, crcToHex } from "../../data/formats/checksums.js";
import {
  fileError,
  fileExists,
  ifMissing,
  readFileBytes,
  removeStaleIn,
  writeFileAtomic,
} from "../../data/node/files.js";
import type { RunIdentity } from "../../experiments/results/result.js";
import type { PartStore } from "../../experiments/shared/experiment.js";

/** The first difference of two runs in words; undefined if they are the same. */
export function differenceOf(found: Partial<RunIdentity>, wanted: RunIdentity): string | undefined {
  if (found.settings !== wanted.settings) return "other settings";
  if (found.data !== wanted.data) return "other data";
  if (found.program !== wanted.program) return `another version of trainlets (${found.program})`;
  if (found.device !== wanted.device) return `another device (${found.device})`;
  return undefined;
}

const identityName = "run.json";
/** CRC and newline. */
const headBytes = 9;

export class PartFolder implements PartStore {
  readonly #folder: string;
  readonly #onNote: (line: string) => void;

  private constructor(folder: string, onNote: (line: string) => void) {
    this.#folder = folder;
    this.#onNote = onNote;
  }

  /** The parts in the folder of a run, whatever they are of. */
  static in(runFolder: string, onNote: (line: string) => void = () => {}): PartFolder {
    return new PartFolder(join(runFolder, "parts"), onNote);
  }

  /** The parts in the folder of a run; parts of another run are removed. `onNote` gets a line about what was found. */
  static async open(
    runFolder: string,
    identity: RunIdentity,
    onNote: (line: string) => void,
  ): Promise<PartFolder> {
    const parts = PartFolder.in(runFolder, onNote);
    const folder = parts.#folder;
    const found = await parts.#identity();
    const difference = found && differenceOf(found, identity);
    if (difference === undefined && found) {
      const count = (await readdir(folder)).filter(isPart).length;
      if (count > 0) onNote(`resuming: ${count} finished ${count === 1 ? "part" : "parts"} found`);
      return parts;
    }
    if (difference !== undefined) onNote(`starting again: the parts found are of ${difference}`);
    await parts.remove();
    await mkdir(folder, { recursive: true }).catch((error) => {
      throw fileError(error, `folder ${folder} cannot be made`, "no such folder");
    });
    await writeFileAtomic(join(folder, identityName), new TextEncoder().encode(JSON.stringify(identity)));
    return parts;
  }

  async #identity(): Promise<Partial<RunIdentity> | undefined> {
    const path = join(this.#folder, identityName);
    if (!(await fileExists(path))) return undefined;
    try {
      const found: unknown = JSON.parse(new TextDecoder().decode(await readFileBytes(path)));
      return typeof found === "object" && found !== null ? found : {};
    } catch (error) {
      if (error instanceof SyntaxError) return {};
      throw error;
    }
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = join(this.#folder, partName(name));
    if (!(await fileExists(path))) return undefined;
    const file = await readFileBytes(path);
    const bytes = file.subarray(headBytes);
    if (new TextDecoder().decode(file.subarray(0, headBytes)) === headOf(bytes)) return bytes;
    this.#onNote(`${path} is damaged: it is made again`);
    return undefined;
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const file = new Uint8Array(headBytes + bytes.length);
    file.set(new TextEncoder().encode(headOf(bytes)));
    file.set(bytes, headBytes);
    await writeFileAtomic(join(this.#folder, partName(name)), file);
  }

  /** Remove all parts: the run is finished, or another one. Files that are not parts stay. */
  async remove(): Promise<void> {
    try {
      await removeStaleIn(this.#folder);
      const names = (await readdir(this.#folder).catch(ifMissing)) ?? [];
      for (const name of names) if (isOurs(name)) await unlink(join(this.#folder, name));
      if (names.every(isOurs)) await rmdir(this.#folder).catch(ifMissing);
    } catch (error) {
      throw fileError(error, `${this.#folder} cannot be removed`, "no such folder");
    }
  }
}

function headOf(bytes: Uint8Array): string {
  return `${crcToHex(crc32(bytes))}\n`;
}

/** The file of a part; `.part` so that nothing else takes it for an array or a picture. */
function partName(name: string): string {
  return `${name.replace(/[^\w.-]+/g, "-")}.part`;
}

function isPart(name: string): boolean {
  return name.endsWith(".part") && !name.startsWith(".");
}

function isOurs(name: string): boolean {
  return isPart(name) || name === identityName;
}
