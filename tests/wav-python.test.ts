/** Sound files that Python writes are read exactly: those of scipy, and of the module wave. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { toFloat64 } from "../src/data/formats/npy.js";
import { readWav } from "../src/data/formats/wav.js";
import { requirePython, runPython } from "./python/python.js";

const python = requirePython(["numpy", "scipy.io"]);
const folder = mkdtempSync(join(tmpdir(), "trainlets-wav-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Sound {
  readonly shape: number[];
  readonly values: number[];
}

describe.skipIf(!python.path)(`.wav files of Python${python.note}`, () => {
  it("are read with the values that were written", async () => {
    const files = runPython(python.path!, "wav.py", { folder }) as Record<string, Sound>;
    expect(Object.keys(files)).toHaveLength(27);
    for (const [name, { shape, values }] of Object.entries(files)) {
      const sound = await readWav(readFileSync(join(folder, name)), name);
      expect({ name, shape: sound.shape }).toEqual({ name, shape });
      expect([...toFloat64(sound, name)], name).toEqual(values);
    }
  });
});
