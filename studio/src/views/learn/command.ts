/** The command line that learns the same, as text to copy. */

import type { DeviceName } from "trainlets";
import { defaultAtomSparsity, defaultSparsity } from "trainlets/parts";
import { choosesAtoms, type LearnSettings, testEvery, testing } from "../../engine/learn/learnOptions";
import { dataFile, shellWord } from "./shellWords";

export interface CommandParts {
  /** The name of the picture. */
  readonly data: string;
  readonly settings: LearnSettings;
  readonly device: DeviceName;
  /** The dictionary file to start from. */
  readonly start?: string | undefined;
  readonly output: string;
}

export function commandOf({ data, settings, device, start, output }: CommandParts): string {
  const { patch, learner, base, atoms, atomSparsity, sparsity, examples, epochs, batch, seed } = settings;
  const n = patch.reduce((product, size) => product * size, 1);
  const flags: [string, string | number, boolean][] = [
    ["--patch", patch.join("x"), true],
    ["--learner", learner.name, learner.name !== "osdl"],
    ["--start", start ?? "", start !== undefined],
    ["--base", base, base !== "" && start === undefined],
    ["--atoms", atoms, start === undefined && choosesAtoms(learner)],
    [
      "--atom-sparsity",
      atomSparsity,
      start === undefined && learner.hasAtomSparsity && atomSparsity !== defaultAtomSparsity(n, Infinity),
    ],
    ["--sparsity", sparsity, sparsity !== defaultSparsity(n)],
    ["--examples", examples, true],
    ["--epochs", epochs, true],
    ["--batch", batch, true],
    ["--holdout", testing.holdout, true],
    ["--test-every", testEvery(settings), true],
    ["--seed", seed, seed !== 1],
    ["--device", device, device !== "auto"],
    ["-o", output, true],
  ];
  const words = flags
    .filter(([, , given]) => given)
    .map(([flag, value]) => `${flag} ${shellWord(String(value))}`);
  return ["trainlets train", shellWord(dataFile(data)), ...words].join(" ");
}
