/** What is known of data before they are read: which files, of what shapes, and which patches fit them. */

import { counted, grouped } from "../../core/formatText.js";
import { formatShape, isColourShape, type Shape } from "../../core/shape.js";
import { type Input, inspectInputs } from "../../data/node/inputs.js";
import { fileBytes } from "../../data/node/pages/imageBytes.js";
import { listPages } from "../../data/node/pages/listPages.js";
import { shownPath } from "../../data/node/system/fileNames.js";
import { OpenFiles } from "../../data/node/system/openFiles.js";
import type { FileFacts } from "./facts.js";

const kindNames: Readonly<Record<Input["kind"], string>> = {
  ...{ image: "image", npy: "array", wav: "sound", csv: "table" },
  ...{ nifti: "volume", mat: "array", hdf5: "array", raw: "array" },
};

/** A file, a folder, a glob or an archive of data. */
export async function dataFacts(path: string): Promise<FileFacts> {
  const problems: string[] = [];
  const inputs = await inspectInputs([path], { onSkip: (line) => void problems.push(line) });
  const skipped = problems.map((line) => ["skipped", line] as const);
  if (inputs.length > 1) return severalFacts(path, inputs, skipped);
  const [input] = inputs;
  const { shape, pages, colour } = await sizeOf(input);
  const kind = kindNames[input.kind];
  const size = shape ? formatShape(shape) || "one number" : "unknown size";
  return {
    what: `${colour ? "colour " : ""}${kind} of ${pages > 1 ? `${pages} pages of ` : ""}${size}`,
    rows: [...(shape ? patchRows(kind, shape) : []), ...(shape ? pageRows(shape, pages) : []), ...skipped],
    use: (shape && hasSamples(shape)
      ? [patchFor(kind, shape), ...(colour ? [colourPatchFor(shape)] : [])]
      : []
    ).map((patch) => `trainlets train ${path} --patch ${patch} -o dictionary.npz`),
    json: { kind, shape: shape ?? null, ...(pages > 1 ? { pages } : {}), ...(colour ? { colour } : {}) },
  };
}

interface InputSize {
  /** Height and width of a picture; of a file of pages, those of the first. Undefined if it has to be read first. */
  readonly shape: Shape | undefined;
  readonly pages: number;
  readonly colour: boolean;
}

async function sizeOf(input: Input): Promise<InputSize> {
  if ("shape" in input) return { shape: input.shape, pages: 1, colour: false };
  if (input.within) return { shape: undefined, pages: 1, colour: false };
  const files = new OpenFiles();
  try {
    const image = await fileBytes(files, input.path);
    const { pages } = await listPages(image, shownPath(input.path), "colour");
    const [{ shape }] = pages;
    return { shape: shape.slice(0, 2), pages: pages.length, colour: isColourShape(shape) };
  } finally {
    await files.close();
  }
}

/** How the pages of a file are read, by the axes of the patch. */
function pageRows(shape: Shape, pages: number): FileFacts["rows"] {
  if (pages === 1) return [];
  return [
    ["patches of 2 axes", `${pages} pictures`],
    ["patches of 3 axes", `one signal of ${formatShape([pages, ...shape])}, if all pages have this size`],
  ];
}

function severalFacts(path: string, inputs: readonly Input[], skipped: FileFacts["rows"]): FileFacts {
  const counts = new Map<string, number>();
  const shapes = new Map<string, number>();
  for (const input of inputs) {
    counts.set(kindNames[input.kind], (counts.get(kindNames[input.kind]) ?? 0) + 1);
    if ("shape" in input) {
      const name = formatShape(input.shape) || "one number";
      shapes.set(name, (shapes.get(name) ?? 0) + 1);
    }
  }
  const what = [...counts].map(([kind, count]) => counted(count, kind)).join(", ");
  const common = [...shapes].sort((a, b) => b[1] - a[1]).slice(0, 4);
  const size = counts.has("image") ? "16" : "SIZES";
  return {
    what,
    rows: [
      ...(common.length === 0
        ? []
        : ([
            ["shapes", common.map(([shape, count]) => `${grouped(count)} of ${shape}`).join(", ")],
          ] as const)),
      ...skipped,
    ],
    use: [`trainlets train ${path} --patch ${size} -o dictionary.npz`],
    json: {
      kind: "data",
      files: inputs.length,
      kinds: Object.fromEntries(counts),
      shapes: Object.fromEntries(shapes),
    },
  };
}

/** How an array is read, by the axes of the patch. */
function patchRows(kind: string, shape: Shape): FileFacts["rows"] {
  if (kind === "image" || shape.length === 0) return [];
  const one = [
    `patches of ${counted(shape.length, "axis", "axes")}`,
    `one signal of ${formatShape(shape)}`,
  ] as const;
  if (shape.length === 1) return [one];
  const rest = shape.slice(1);
  const several = `${counted(shape[0], "signal")} of ${formatShape(rest)}`;
  return [one, [`patches of ${counted(rest.length, "axis", "axes")}`, several]];
}

/** Whether there is something to cut patches from: no number alone, and no empty axis. */
function hasSamples(shape: Shape): boolean {
  return shape.length > 0 && !shape.includes(0);
}

function colourPatchFor(shape: Shape): string {
  const size = Math.min(8, ...shape);
  return `${size}x${size}x3`;
}

/** A patch that fits, as an example: of the last axes where the first may count signals. */
function patchFor(kind: string, shape: Shape): string {
  const several = kind === "table" || (kind === "array" && shape.length > 2);
  const axes = several ? shape.slice(1) : shape;
  const sizes = axes.map((size) => Math.min(size, axes.length === 1 ? 64 : 8));
  return kind === "image" ? String(Math.min(16, ...shape)) : sizes.join("x");
}
