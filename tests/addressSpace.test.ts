/**
 * Training where address space is limited, as on clusters (`ulimit -v`): the best device that
 * fits, with the reason; or one line. V8 must not end the process.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Outcome, outcomeOf, program, writePhotos } from "./cliProcess.js";
import { skippedBecause } from "./missing.js";

const isLinux = process.platform === "linux";
const note = isLinux ? "" : skippedBecause("only Linux limits address space");
const noTraps = "--disable-wasm-trap-handler";
const hasFlag = process.allowedNodeEnvironmentFlags.has(noTraps);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-address-"));
  writePhotos(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A short training with this much address space, in kB. */
function trainWithin(limit: number, more = "", options = ""): Promise<Outcome> {
  const line = `train photos --patch 6 --examples 400 --epochs 1 --holdout 50 --force -o d.npz ${more}`;
  const script = `ulimit -v ${limit} && exec "$0" ${options} "$1" ${line}`;
  return outcomeOf(spawn("bash", ["-c", script, process.execPath, program], { cwd: folder }));
}

describe.skipIf(!isLinux)(`address space${note}`, () => {
  it.each([4_000_000, 6_000_000, 8_000_000, 12_000_000])("of %d kB is enough for a run", async (limit) => {
    const { code, stderr } = await trainWithin(limit);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(
      limit < 10_000_000
        ? /computing on reference: .*; cpu: address space is limited to [\d.]+ GiB \(ulimit -v\); WebAssembly needs 12 GiB/
        : /computing on (cpu|reference: .*; cpu: address space is limited)/,
    );
  });

  it("that is too small for what was asked for is a reason to refuse", async () => {
    const { code, stdout, stderr } = await trainWithin(6_000_000, "--device cpu --threads 2");
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      /^train: device cpu is not available here \(cpu: address space is limited to 5\.7 GiB/,
    );
    const many = await trainWithin(13_500_000, "--device cpu --threads 200");
    expect(many.code, many.stderr).toBe(2);
    expect(many.stderr).toMatch(
      /^train: --threads must be (1|at most \d+), since address space is limited to 12\.9 GiB \(ulimit -v\), got 200\n$/,
    );
  });

  it.skipIf(!hasFlag)("of 4 GB is enough for the cpu kernels without guard regions", async () => {
    const { code, stderr } = await trainWithin(4_000_000, "--device cpu --threads 2", noTraps);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/computing on cpu: WebAssembly SIMD, 2 threads/);
  });
});
