/** The files of bench/results: results of experiments, and tables of benchmarks. */

import type { Measurements } from "../../bench/measurements.js";
import { type Result, readResult, resultFormat } from "../../src/experiments/results/result.js";
import { listFiles, read } from "../sources.js";

export const resultsFolder = "bench/results";

export interface StoredResult {
  /** `fig5.json`. */
  readonly file: string;
  readonly result: Result;
  /** The file as it is. */
  readonly text: string;
}

export interface StoredMeasurements {
  readonly file: string;
  readonly measurements: Measurements;
  readonly text: string;
}

function jsonFiles(): string[] {
  return listFiles(resultsFolder).filter((path) => path.endsWith(".json"));
}

function nameOf(path: string): string {
  return path.slice(resultsFolder.length + 1);
}

/** The results of experiments, in the order of their file names. */
export function storedResults(): StoredResult[] {
  return jsonFiles()
    .filter((path) => JSON.parse(read(path)).format === resultFormat)
    .map((path) => ({ file: nameOf(path), result: readResult(read(path), path), text: read(path) }));
}

export function storedMeasurements(): StoredMeasurements[] {
  return jsonFiles()
    .map((path) => ({ file: nameOf(path), measurements: JSON.parse(read(path)), text: read(path) }))
    .filter(({ measurements }) => measurements.format === "trainlets measurements");
}

/** Every file, as one of the two kinds. */
export function unknownFiles(): string[] {
  const known = new Set([...storedResults(), ...storedMeasurements()].map(({ file }) => file));
  return jsonFiles()
    .map(nameOf)
    .filter((file) => !known.has(file));
}

/** Where a result was measured: `gpu: WebGPU, nvidia-h200`. */
export function deviceOf({ device, machine }: Result): string {
  return device.name === "gpu"
    ? device.description.replace(/^WebGPU, /, "")
    : `${machine.cpu}, ${device.description}`;
}
