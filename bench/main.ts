/** `npm run bench`: see bench/README.md. */

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { InputError } from "../src/core/errors.js";
import { compactJson } from "../src/experiments/results/result.js";
import { benchAtoms } from "./atoms.js";
import { benchCluster } from "./cluster.js";
import { benchCodec } from "./codec.js";
import { benchColour } from "./colour.js";
import { benchGpu } from "./gpu.js";
import { benchJobs } from "./jobs.js";
import { benchKernels } from "./kernels.js";
import { benchLearners } from "./learners.js";
import { type Measurements, measuredPart } from "./measurements.js";
import { benchPaperOdl } from "./paperOdl.js";
import { benchPeers } from "./peers.js";
import { benchPython } from "./python.js";
import { describeMachine, type Options } from "./setting.js";
import { benchSmall } from "./small.js";
import { benchSoak } from "./soak.js";
import { benchWithoutGram } from "./withoutGram.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    images: { type: "string", multiple: true, default: [] },
    test: { type: "string", multiple: true, default: [] },
    data: { type: "string", multiple: true, default: [] },
    threads: { type: "string", default: "2" },
    quick: { type: "boolean", default: false },
    dictionary: { type: "string", multiple: true, default: [] },
    device: { type: "string", default: "cpu" },
    minutes: { type: "string", default: "60" },
    most: { type: "string", default: "Infinity" },
    rival: { type: "string" },
    only: { type: "string" },
    dawn: { type: "string" },
    save: { type: "string" },
  },
});
const { threads, minutes, most, ...rest } = values;
const options: Options = { threads: Number(threads), minutes: Number(minutes), most: Number(most), ...rest };
const { save } = options;
const parts = {
  kernels: benchKernels,
  jobs: benchJobs,
  peers: benchPeers,
  odl: benchPaperOdl,
  python: benchPython,
  gpu: benchGpu,
  codec: benchCodec,
  atoms: benchAtoms,
  colour: benchColour,
  soak: benchSoak,
  learners: benchLearners,
  small: benchSmall,
  withoutGram: benchWithoutGram,
  cluster: benchCluster,
};
const chosen = positionals.length > 0 ? positionals : ["kernels", "jobs"];
const unknown = chosen.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  process.stderr.write(`bench: unknown part "${unknown}"; known: ${Object.keys(parts).join(", ")}\n`);
  process.exit(2);
}

const date = new Date().toISOString().slice(0, 10);
const here = describeMachine(options);
const pages: string[] = [];
const measured: Measurements["parts"][number][] = [];
const machines = new Set<string>();
process.stdout.write(`${headOf(here)}\n`);
for (const name of chosen) {
  const made = await Promise.resolve(parts[name as keyof typeof parts](options)).catch(refuse);
  const { text, machine } = typeof made === "string" ? { text: made, machine: here } : made;
  process.stdout.write(`${text}\n`);
  machines.add(machine);
  pages.push(`## ${name}\n\n${text}`);
  measured.push(measuredPart(name, text));
}
if (save) {
  const machine = [...machines].join("; and ");
  const command = `npm run bench -- ${process.argv.slice(2).map(withoutFolders).join(" ")}`;
  const format = { format: "trainlets measurements", formatVersion: 1 } as const;
  const measurements: Measurements = { ...format, date, machine, command, parts: measured };
  writeFileSync(`bench/results/${save}.md`, [headOf(machine), ...pages].join("\n"));
  writeFileSync(`bench/results/${save}.json`, `${compactJson(measurements)}\n`);
}

/** One line for what the caller can mend. */
function refuse(error: unknown): never {
  if (!(error instanceof InputError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}

function headOf(machine: string): string {
  return `# ${chosen.join(", ")}\n\n${date}. ${machine}.\n`;
}

/** A word of the command line without the folders of this machine. */
function withoutFolders(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
