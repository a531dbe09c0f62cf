/**
 * Runs that signals hit at random moments, and that are resumed until they are finished: the same model
 * and the same metrics as without them, the right exit codes, and never a partial model at the output.
 * `npm run signals` sends many more.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Rng } from "../src/core/random/rng.js";
import { syntheticPictures } from "../src/data/syntheticPictures.js";
import { loadModel } from "../src/model/node/files.js";
import type { MetricsLine } from "../src/report/runRecord.js";
import { outcomeOf, program, startTrainlets, works, writePng } from "./cliProcess.js";

const few = 6;
const signals = Number(process.env.TRAINLETS_SIGNALS ?? few);
const runs = Math.max(3, Math.min(20, Math.ceil(signals / 5)));
const timeout = 300_000 + 30_000 * signals;

const caught = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"] as const;
const sent = [...caught, "SIGKILL", "SIGSTOP"] as const;
type Sent = (typeof sent)[number];

/** Runs of a second or two, each of another kind. */
const tasks = {
  osdl: "--patch 8 --examples 10k --batch 100 --epochs 2 --test-every 1700",
  "osdl with groups": "--patch 8 --examples 8k --batch 100 --epochs 2 --group-samples 8192 --test-every 1300",
  ksvd: "--patch 8 --learner ksvd --examples 3000 --epochs 8 --sparsity 6",
  niht: "--patch 8 --learner niht --examples 3000 --batch 100 --epochs 2 --test-every 1500",
  odl: "--patch 8 --learner odl --examples 10k --batch 100 --atoms 150 --epochs 2",
  "sparse-ksvd": "--patch 8 --learner sparse-ksvd --examples 3000 --epochs 8",
  "niht-batch": "--patch 8 --learner niht-batch --examples 2000 --epochs 8",
  pca: "--patch 12 --learner pca --examples 10k --batch 100 --epochs 2",
  sedil: "--patch 6 --learner sedil --base odct:2 --examples 500 --epochs 60",
} as const;
type Task = keyof typeof tasks;

let folder: string;
const path = (...names: string[]): string => join(folder, ...names);
const lineOf = (task: Task, name: string) =>
  `train photos ${tasks[task]} --device cpu --checkpoint ${name} --checkpoint-steps 15 --resume -o ${name}.npz`;

/** The model, the metrics (without times and memory) and the seconds of a run that nothing interrupts. */
interface Result {
  readonly model: Buffer;
  readonly reports: readonly object[];
  readonly seconds: number;
}
const plain = new Map<Task, Promise<Result>>();

function resultOf(name: string, seconds = 0): Result {
  const lines = readFileSync(path(name, "metrics.jsonl"), "utf8").trimEnd().split("\n");
  const reports = lines.flatMap((text) => {
    const line = JSON.parse(text) as MetricsLine;
    if (line.kind !== "report") return [];
    const { time: _, memory: __, seconds: ___, ...report } = line;
    return [report];
  });
  return { model: readFileSync(path(`${name}.npz`)), reports, seconds };
}

async function runPlainly(task: Task): Promise<Result> {
  const name = `plain-${task.replaceAll(" ", "-")}`;
  const start = performance.now();
  await works(folder, lineOf(task, name));
  return resultOf(name, (performance.now() - start) / 1000);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-signals-"));
  mkdirSync(path("photos"));
  syntheticPictures(7, 6, 64).forEach(({ data }, p) => {
    writePng(path("photos", `${p}.png`), 64, (i) => Math.min(255, Math.max(0, data[i])));
  });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The output of a run that a signal ended is not there, or finished if it ended just then; what is beside it, partial. */
async function expectNoPartialOutput(name: string, expected: Result): Promise<void> {
  const [output, partial] = [path(`${name}.npz`), path(`${name}.partial.npz`)];
  if (existsSync(output)) expect(readFileSync(output).equals(expected.model)).toBe(true);
  if (existsSync(partial)) expect((await loadModel(partial)).meta.partial).toBeDefined();
}

function expectFinished(name: string, expected: Result, story: string): void {
  const { model, reports } = resultOf(name);
  expect(model.equals(expected.model), story).toBe(true);
  expect(reports, story).toEqual(expected.reports);
  expect(existsSync(path(`${name}.partial.npz`)), story).toBe(false);
  const files = [...readdirSync(folder), ...readdirSync(path(name))];
  expect(
    files.filter((file) => file.endsWith(".tmp")),
    story,
  ).toEqual([]);
}

/** Start or resume a run and send it a signal after a while; the exit code as a shell has it. */
async function runOnce(line: string, signal: Sent, after: number): Promise<{ code: number; stderr: string }> {
  const child = startTrainlets(folder, line);
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const outcome = outcomeOf(child);
  await Promise.race([pause(1000 * after), ended]);
  child.kill(signal);
  if (signal === "SIGSTOP") {
    await pause(100);
    child.kill("SIGCONT");
  }
  const [code, by] = await ended;
  return { code: code ?? 128 + constants.signals[by!], stderr: (await outcome).stderr };
}

/** Node itself opens its debugger if SIGUSR1 comes before the program has begun; the program then closes it and ends. */
function withoutStart(stderr: string): string {
  return stderr.replace(/^Debugger listening on .*\n.*\n/, "");
}

describe("signals at random moments", () => {
  const names = Object.keys(tasks) as Task[];
  const rng = Rng.from(Number(process.env.TRAINLETS_SEED ?? 1));
  const trials = Array.from({ length: runs }, (_, run) => {
    const share = Math.floor((signals * (run + 1)) / runs) - Math.floor((signals * run) / runs);
    return { run, task: names[run % names.length], share };
  });

  it.each(trials)("run $run, $task: $share signals", { timeout }, async ({ run, task, share }) => {
    if (!plain.has(task)) plain.set(task, runPlainly(task));
    const expected = await plain.get(task)!;
    const name = `run-${run}`;
    const line = lineOf(task, name);
    const story: string[] = [];
    for (let i = 0; i < share; i++) {
      const signal = sent[rng.below(sent.length)];
      const after = rng.uniform() * expected.seconds;
      const { code, stderr } = await runOnce(line, signal, after);
      story.push(`${signal} after ${after.toFixed(2)} s: ${code}`);
      const told = story.join("; ");
      const right = signal === "SIGSTOP" ? [0] : [0, 128 + constants.signals[signal]]; // 0 if it came too late
      expect(right, `${told}\n${stderr}`).toContain(code);
      expect(withoutStart(stderr), told).not.toMatch(/Debugger|^\s+at /m);
      if (code !== 0 && stderr.includes("stopping: saving"))
        expect(stderr, told).toContain("interrupted after");
      await expectNoPartialOutput(name, expected);
      if (code !== 0) continue;
      expectFinished(name, expected, told);
      for (const old of [name, `${name}.npz`]) rmSync(path(old), { recursive: true }); // and once more
    }
    await works(folder, line);
    expectFinished(name, expected, story.join("; "));
    if (signals > few) console.log(`run ${run}, ${task}: ${story.join("; ")}`);
  });

  it("a loop of the shell ends only with a finished model", { timeout }, async () => {
    if (!plain.has("osdl")) plain.set("osdl", runPlainly("osdl"));
    const expected = await plain.get("osdl")!;
    const command = `"${process.execPath}" "${program}" ${lineOf("osdl", "loop")}`;
    const script = `until sh -c 'echo $$ > pid; exec "$@"' sh ${command}; do echo $? >> codes; done`;
    const shell = spawn("sh", ["-c", script], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    const ended = outcomeOf(shell);
    let running = true;
    void ended.then(() => (running = false));
    const pidNow = () => Number(existsSync(path("pid")) && readFileSync(path("pid"), "utf8"));
    for (let i = 0, last = 0; i < Math.max(3, signals / 5) && running; i++) {
      while (running && pidNow() === last) await pause(10);
      await Promise.race([pause(1000 * (0.1 + 0.3 * rng.uniform()) * expected.seconds), ended]);
      last = pidNow();
      if (!running) break;
      try {
        process.kill(last, caught[rng.below(caught.length)]);
      } catch {
        // it has just ended
      }
    }
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
    const codes = existsSync(path("codes")) ? readFileSync(path("codes"), "utf8").trim().split("\n") : [];
    for (const one of codes) expect(["130", "143", "129", "138"]).toContain(one);
    const { model, reports } = resultOf("loop");
    expect(model.equals(expected.model)).toBe(true);
    expect(reports).toEqual(expected.reports);
    if (signals > few) console.log(`loop: ${codes.length} interruptions (${codes.join(" ")})`);
  });
});
