/**
 * One run on several ranks, from end to end, under Open MPI and under MPICH: the conformance suite, the same files as from
 * one process, a rank that is killed, signals, and wrong set-ups; and processes with the environment of Slurm.
 * src/kernels/cluster/cluster.test.ts has ranks within one process.
 */

import { spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcomeOf, program, words, works, writePhotos } from "./cliProcess.js";
import { findLaunchers, type Launcher, startRanks } from "./cluster/launchers.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const task = "train photos --patch 8 --examples 310 --batch 50 --epochs 1 --holdout 50 --device cpu";
const endless = "train photos --patch 8 --examples 500 --batch 50 --epochs 100000 --holdout 0 --device cpu";
const longer = "train photos --patch 8 --examples 500 --batch 50 --epochs 4 --holdout 50 --device cpu";
let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-cluster-"));
  writePhotos(folder);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Run a line on ranks, to its end. */
function onRanks(launcher: Launcher, size: number, line: string, env: NodeJS.ProcessEnv = {}) {
  return outcomeOf(startRanks(launcher, size, [program, ...words(line)], { cwd: folder, env }));
}

/** Lines that the program itself wrote to standard error: launchers add their own. */
const ownLines = (text: string): string[] =>
  text.split(/\r?\n/).filter((line) => /^(train|devices): /.test(line));

const [openMpi, mpich] = findLaunchers();

describe.each([
  { launcher: openMpi, size: 3, title: `${openMpi.name}${openMpi.note}` },
  { launcher: mpich, size: 2, title: `${mpich.name}${mpich.note}` },
])("$title", ({ launcher, size }) => {
  const test = it.skipIf(!launcher.command);

  test("passes the conformance suite, and learns the same models", async () => {
    const vitest = [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--config",
      "tests/cluster/vitest.config.ts",
    ];
    const { code, stdout, stderr } = await outcomeOf(startRanks(launcher, size, vitest, { cwd: root }));
    expect(code, stdout + stderr).toBe(0);
  });

  test("writes the file of one process from four ranks", async () => {
    await works(folder, `${task} --force -o alone.npz`);
    const { code, stderr } = await onRanks(launcher, 4, `${task} --force -o ranks.npz`);
    expect(code, stderr).toBe(0);
    expect(readFileSync(path("ranks.npz"))).toEqual(readFileSync(path("alone.npz")));
  });
});

describe.skipIf(!openMpi.command)(`ranks of Open MPI${openMpi.note}`, () => {
  it("all end when one is killed, and another number of ranks resumes to the same file", async () => {
    const line = `${longer} --checkpoint killed --checkpoint-steps 1 --resume -o killed.npz`;
    rmSync(path("killed"), { recursive: true, force: true });
    await works(folder, `${longer} -o whole.npz`);
    const child = startRanks(openMpi, 2, [program, ...words(line)], { cwd: folder });
    const ended = outcomeOf(child);
    await until(() => checkpoints("killed").length > 0);
    process.kill(processesOf(line)[1], "SIGKILL");
    expect((await ended).code).not.toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith("killed."))).toEqual([]);
    await works(folder, line);
    expect(readFileSync(path("killed.npz"))).toEqual(readFileSync(path("whole.npz")));
    rmSync(path("killed.npz"));
  });

  it("report a wrong set-up in one line: no library, a library of another family, other words", async () => {
    const refused = async (env: NodeJS.ProcessEnv, line = "devices") => {
      const { code, stderr } = await onRanks(openMpi, 2, line, env);
      expect(code).not.toBe(0);
      return ownLines(stderr);
    };
    const [missing, ...more] = await refused({ TRAINLETS_MPI: "/nowhere/libmpi.so.40" });
    expect(missing).toMatch(/no library of MPI can be loaded \(tried \/nowhere\/libmpi.so.40\)/);
    expect(more).toEqual([]);
    const other = mpich.command ? { TRAINLETS_MPI: "libmpich.so.12" } : { TRAINLETS_MPI: "libm.so.6" };
    const lines = await refused(other);
    expect(lines.join("\n")).toMatch(
      /^devices: (mpirun of Open MPI started 2 processes|TRAINLETS_MPI must name)[^\n]*$/,
    );
    const second = [":", "-n", "1", process.execPath, program, "demo"];
    const differing = await outcomeOf(
      startRanks(openMpi, 1, [program, "devices", ...second], { cwd: folder }),
    );
    expect(ownLines(differing.stderr)).toEqual([
      expect.stringMatching(/^devices: rank 1 on \S+ was started with other words than rank 0$/),
    ]);
  });

  it("report a wrong set-up in one line: no koffi, another version on one rank", async () => {
    const copy = path("copy");
    copyProgram(copy, (name) => name !== "koffi");
    const main = join(copy, "dist/cli/main.js");
    const start = (first: string, second: string) =>
      outcomeOf(
        startRanks(openMpi, 1, [first, "devices", ":", "-n", "1", process.execPath, second, "devices"], {
          cwd: folder,
        }),
      );
    const absent = await start(main, main);
    expect(absent.code).not.toBe(0);
    expect(ownLines(absent.stderr)).toEqual([
      "devices: a launcher of MPI started several processes; to join them, trainlets needs the package koffi (npm install koffi)",
    ]);
    symlinkSync(join(root, "node_modules/koffi"), join(copy, "node_modules/koffi"));
    const versionFile = join(copy, "dist/model/version.js");
    writeFileSync(versionFile, readFileSync(versionFile, "utf8").replace(/"\d+\.\d+\.\d+"/, '"0.0.1"'));
    const differing = await start(program, main);
    expect(differing.code).not.toBe(0);
    expect(ownLines(differing.stderr)).toEqual([
      expect.stringMatching(/^devices: rank 1 on \S+ has version 0\.0\.1 of trainlets, rank 0 on \S+ has \d/),
    ]);
  });
});

describe.skipIf(!mpich.command)(`ranks of MPICH${mpich.note}`, () => {
  it("end in step when a signal asks for it, with a checkpoint", async () => {
    const line = `${endless} --checkpoint stopped -o stopped.npz`;
    const child = startRanks(mpich, 2, [program, ...words(line)], { cwd: folder });
    const ended = outcomeOf(child);
    child.stderr?.on("data", (text: string) => text.includes("0%") && child.kill("SIGUSR1"));
    const { stderr } = await ended;
    expect(stderr).toContain("interrupted after");
    expect(checkpoints("stopped").length).toBeGreaterThan(0);
  });

  it("are listed by devices, and their transport leaves the C library as it is", async () => {
    const { code, stdout, stderr } = await onRanks(mpich, 2, "devices", { UCX_MEM_LOG_LEVEL: "debug" });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain("hook");
    expect(stdout).toMatch(/^rank 0 {2}\S+ {2}cpu.*\r?\nrank 1 {2}\S+ {2}cpu.*/);
  });
});

describe("processes with the environment of Slurm", () => {
  const start = (rank: string, variables: NodeJS.ProcessEnv) => {
    const env = { ...process.env, SLURM_JOB_ID: "7", SLURM_PROCID: rank, ...variables };
    return outcomeOf(
      spawn(process.execPath, [program, "devices"], { env, stdio: ["ignore", "pipe", "pipe"] }),
    );
  };

  it.skipIf(!mpich.command)("that MPI does not connect end, and only rank 0 reports it", async () => {
    const env = { SLURM_STEP_NUM_TASKS: "4", TRAINLETS_MPI: "libmpich.so.12" };
    const [first, second] = [await start("0", env), await start("1", env)];
    expect([first.code, second.code]).toEqual([2, 2]);
    expect(first.stderr).toMatch(
      /^devices: srun started 4 processes, but MPICH .* finds 1: use srun --mpi=[^\n]*\n$/,
    );
    expect(first.stdout + second.stdout + second.stderr).toBe("");
  });

  it("whose connection to srun is closed end before MPI is loaded", async () => {
    const env = { PMI_RANK: "0", PMI_SIZE: "4", PMI_JOBID: "7.0", PMI_FD: "99999" };
    const { code, stderr } = await start("0", env);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^devices: the connection to the launcher is closed, as npx closes it: [^\n]*\n$/);
  });
});

/** The program and links to some of the packages it uses. */
function copyProgram(to: string, keeps: (name: string) => boolean): void {
  mkdirSync(join(to, "node_modules"), { recursive: true });
  cpSync(join(root, "dist"), join(to, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(to, "package.json"));
  for (const name of readdirSync(join(root, "node_modules")).filter(keeps))
    symlinkSync(join(root, "node_modules", name), join(to, "node_modules", name));
}

/** The processes of Node that run a line, in the order in which they were started. */
function processesOf(line: string): number[] {
  const wanted = [process.execPath, program, ...words(line)].join("\0");
  const runs = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(wanted);
    } catch {
      return false; // it has ended
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && runs(name))
    .map(Number)
    .sort((a, b) => a - b);
}

function checkpoints(name: string): string[] {
  try {
    return readdirSync(path(name)).filter((file) => file.startsWith("checkpoint-"));
  } catch {
    return [];
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 50));
}
