/** What is known of the files that trainlets writes: dictionaries, codes, checkpoints, compressed files. */

import { dirname } from "node:path";
import { counted, grouped, rounded } from "../../core/formatText.js";
import { formatShape } from "../../core/shape.js";
import { baseCols } from "../../dictionaries/base.js";
import type { Checkpoint } from "../../learn/checkpoints/checkpoint.js";
import type { Codes } from "../../model/coder.js";
import { type CodedSignals, fingerprint } from "../../model/files.js";
import type { Model } from "../../model/model.js";
import type { CodingRule } from "../../pursuit/encoder.js";
import type { Container } from "../../tasks/codec/container.js";
import { dictionaryFingerprint } from "../../tasks/codec/dictionaryFingerprint.js";
import { typeName } from "../../tasks/codec/sampleArray.js";
import type { FileFacts } from "./facts.js";

type Rows = FileFacts["rows"];

export function dictionaryFacts(path: string, model: Model): FileFacts {
  const { shape, A, meta, base, dictionary } = model;
  const what = `dictionary of ${counted(A.cols, "atom")} of ${formatShape(shape)}`;
  const nonZeros = A.counts.reduce((most, count) => Math.max(most, count), 0);
  const atoms = dictionary
    ? "explicit: one value per sample"
    : `at most ${counted(nonZeros, "non-zero")} each over ${base.name}, which has ${counted(baseCols(base), "atom")}`;
  const { learner, seed, examplesSeen, kept, partial } = meta;
  const learned =
    learner === "none" ? "no record" : `${learner}, seed ${seed}, ${grouped(examplesSeen)} examples seen`;
  const used = model.uses?.reduce((sum, uses) => sum + (uses > 0 ? 1 : 0), 0);
  const rows: Rows = [
    ["atoms", atoms],
    ["learned by", learned],
    ...(kept
      ? ([["kept", `update ${grouped(kept.step)} of ${grouped(kept.of)}, the best tested`]] as const)
      : []),
    ...(partial ? ([["partial", describePartial(partial)]] as const) : []),
    ["codes", `${describeCoding(meta.coding)}; means ${meta.removeMean ? "removed" : "kept"}`],
    ...optionRows(meta.options),
    ...(used === undefined
      ? []
      : ([["used", `${grouped(used)} atoms, by the last training examples`]] as const)),
    [
      "fingerprint",
      `${fingerprint(model)} in codes, ${hex(dictionaryFingerprint(model))} in compressed files`,
    ],
  ];
  return {
    what,
    rows,
    use: [
      `trainlets atoms ${path} -o atoms.png`,
      `trainlets score DATA -d ${path}`,
      `trainlets encode DATA -d ${path} -o codes.npz`,
    ],
    json: {
      kind: "dictionary",
      atoms: A.cols,
      patch: shape,
      base: dictionary ? null : base.name,
      baseAtoms: dictionary ? null : baseCols(base),
      atomSparsity: dictionary ? null : nonZeros,
      ...meta,
      usedAtoms: used ?? null,
      fingerprint: fingerprint(model),
      compressedWith: hex(dictionaryFingerprint(model)),
    },
  };
}

function describePartial({ examples, of }: { readonly examples: number; readonly of: number }): string {
  return `interrupted after ${grouped(examples)} of ${grouped(of)} examples`;
}

function describeCoding({ sparsity, error, pursuit }: CodingRule): string {
  const limits = [
    ...(sparsity === undefined ? [] : [`at most ${counted(sparsity, "atom")}`]),
    ...(error === undefined ? [] : [`an RMSE of ${error}`]),
  ];
  return `${limits.join(", or ") || "no rule"} by ${pursuit ?? "omp"}`;
}

function optionRows(options: Readonly<Record<string, unknown>>): Rows {
  const words = Object.entries(options)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => `${name} ${typeof value === "number" ? plain(value) : String(value)}`);
  return words.length === 0 ? [] : [["options", words.join(", ")]];
}

function plain(value: number): string {
  return Number.isInteger(value) ? grouped(value) : String(value);
}

export function codesFacts(path: string, { X }: Codes, signals: CodedSignals): FileFacts {
  const atoms = X.counts.reduce((sum, count) => sum + count, 0);
  const mean = X.cols === 0 ? 0 : atoms / X.cols;
  const { patch, stride, shapes, dictionary, rmse } = signals;
  const distinct = [...new Set(shapes.map((shape) => formatShape(shape)))];
  const shown = distinct.slice(0, 3).join(", ") + (distinct.length > 3 ? ", …" : "");
  return {
    what: `codes of ${counted(shapes.length, "signal")} of ${shown}`,
    rows: [
      ["codes", `${grouped(X.cols)}, of windows of ${formatShape(patch)} every ${formatShape(stride)}`],
      ["atoms", `${mean.toFixed(1)} per code, of a dictionary of ${grouped(X.rows)}`],
      ...(rmse === undefined ? [] : ([["RMSE", `${rounded(rmse)} from what was encoded`]] as const)),
      ["dictionary", `fingerprint ${dictionary}`],
    ],
    use: [`trainlets decode ${path} -d DICTIONARY -o back.npy`],
    json: {
      kind: "codes",
      codes: X.cols,
      atoms: X.rows,
      atomsPerCode: mean,
      patch,
      stride,
      shapes,
      dictionary,
      rmse: rmse ?? null,
    },
  };
}

export function checkpointFacts(path: string, { header }: Checkpoint, folder = dirname(path)): FileFacts {
  const { settings, position, report, library } = header;
  const { step, epoch, examples } = position;
  const errors = [
    ...(Number.isFinite(report.rmse) ? [`RMSE ${rounded(report.rmse)}`] : []),
    ...(report.testRmse === undefined ? [] : [`test RMSE ${rounded(report.testRmse)}`]),
  ];
  const known = [
    "learner",
    "patch",
    "base",
    "atoms",
    "atomSparsity",
    "sparsity",
    "error",
    "pursuit",
  ] as const;
  const shown = known.filter((name) => settings[name] !== undefined && settings[name] !== "none");
  return {
    what: `checkpoint of a training run, after ${counted(step, "update")}`,
    rows: [
      ["position", `epoch ${epoch}, ${counted(examples, "example")}`],
      ...(errors.length === 0 ? [] : ([["error", errors.join(", ")]] as const)),
      ["settings", shown.map((name) => `${name} ${settings[name]}`).join(", ")],
      ["data", String(settings["the data"] ?? "not recorded")],
      ["written by", `trainlets ${library}`],
    ],
    use: [`the same trainlets train line, with --checkpoint ${folder} --resume`],
    json: { kind: "checkpoint", path, step, epoch, examples, report, settings, version: library },
  };
}

export function compressedFacts(path: string, container: Container, bytes: number): FileFacts {
  const { shape, colour, type, dictionary } = container;
  const pixels = shape.reduce((product, size) => product * size, 1) / (colour ? 3 : 1);
  const name = typeName(type);
  return {
    what: `compressed ${colour ? "colour picture" : "array"} of ${formatShape(shape)} (${name})`,
    rows: [
      ["size", `${((8 * bytes) / pixels).toFixed(3)} bits per pixel`],
      ["dictionary", `fingerprint ${hex(dictionary)}`],
    ],
    use: [`trainlets decompress ${path} -d DICTIONARY -o back.${name === "uint8" ? "png" : "npy"}`],
    json: { kind: "compressed", shape, colour, type: name, dictionary: hex(dictionary), bytes },
  };
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
