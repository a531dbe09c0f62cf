/**
 * Runs of hundreds of millions of examples answer at once: a plan, a refusal or progress, long
 * before all examples are in order. The data are a file of zeros that takes no space on disk.
 */

import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trainlets, works } from "./cliProcess.js";

const rows = 800_000;
const columns = 512;
/** Putting all windows in order takes two minutes, and more on a busy machine. */
const windows = (rows - 7) * (columns - 7);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trainlets-many-"));
  const text = `{'descr': '|u1', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`.padEnd(117);
  const header = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${text}\n`, "latin1");
  writeFileSync(join(folder, "zeros.npy"), header);
  truncateSync(join(folder, "zeros.npy"), header.length + rows * columns);
});
afterAll(() => rmSync(folder, { recursive: true }));

const line =
  "train zeros.npy --patch 8x8 --examples 1000000000 --group-samples 4194304 --device cpu --threads 1 -o d.npz";

describe("a run of 400 million examples", () => {
  it("is planned without putting them in order", { timeout: 120_000 }, async () => {
    const { stdout } = await works(folder, `${line} --dry-run`);
    expect(stdout).toContain(
      `${(windows - 5000).toLocaleString("en-US")} of ${windows.toLocaleString("en-US")} patches`,
    );
    expect(stdout).toMatch(/other memory: 3\.\d GiB \(order of examples 3\.0, /);
    expect(stdout).toMatch(/^time: about /m);
  });

  it("shows how far it is, and keeps its time limit", { timeout: 120_000 }, async () => {
    const { code, stdout, stderr } = await trainlets(folder, `${line} --minutes 0.03`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const [first, ...rest] = stderr.trimEnd().split("\n");
    expect(first).toBe("putting the examples in order 0%");
    expect(rest.at(-1)).toMatch(
      /^train: the time limit was reached after \d% of the examples were put in order: use fewer examples$/,
    );
  });
});
