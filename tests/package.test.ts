/**
 * The package as a user gets it: packed, installed into an empty project, and the
 * README's library example type-checked and run there.
 *
 * Installing needs npm's registry. Where it cannot be reached these tests skip and
 * say why; under CI (`CI=true`), where it should be, they fail.
 */

import { type ExecFileOptions, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import { writePhotos } from "./docs/fixture.js";
import { firstFence } from "./markdown.js";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "trainlets-package-"));
const project = join(folder, "project");

/** The files of the tarball. */
let packed: readonly PackedFile[];

/** Why there is nothing to test: the registry cannot be reached. */
let unreachable: string | undefined;

beforeAll(async () => {
  for (const name of ["CHANGELOG.md", "dist/index.js", "dist/cli/main.js"])
    chmodSync(join(root, name), 0o600); // as under a strict umask
  await npm(root, ["pack", "--pack-destination", folder]);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz"))!);
  packed = readTar(gunzipSync(readFileSync(tarball)));
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const retries = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=4000"];
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline"];
  await npm(project, ["install", ...quiet, ...retries, tarball]).catch((error) => {
    const reason = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT)\b/.exec(
      error.stderr,
    );
    if (!reason || process.env.CI === "true") throw error;
    unreachable = `npm cannot reach its registry: ${reason[0]}`;
    console.warn(`skipped: ${unreachable}`);
  });
});

afterAll(() => rmSync(folder, { recursive: true }));

function requireInstalled({ skip }: TestContext): void {
  skip(unreachable !== undefined, unreachable);
}

it("holds what runs, and neither tests nor sources", (context) => {
  requireInstalled(context);
  const names = readdirSync(join(project, "node_modules/trainlets"), { recursive: true }).map(String);
  expect(names).toEqual(expect.arrayContaining(["README.md", "LICENSE", join("dist", "index.js")]));
  expect(names.filter((name) => /\.(test|case)\.|\.map$|^src\b|(?<!\.d)\.ts$/.test(name))).toEqual([]);
});

it("can be read by everybody, whatever the umask it was packed under", () => {
  expect(packed.length).toBeGreaterThan(100);
  const modes = new Map(packed.map(({ name, mode }) => [name, mode.toString(8)]));
  expect(modes.get("package/dist/cli/main.js")).toBe("755");
  expect([...modes].filter(([name, mode]) => mode !== "644" && name !== "package/dist/cli/main.js")).toEqual(
    [],
  );
});

it("names no source maps, since it holds none", () => {
  const naming = packed.filter(
    ({ name, text }) => /\.[mc]?[jt]s$/.test(name) && /sourceMappingURL/.test(text),
  );
  expect(naming.map(({ name }) => name)).toEqual([]);
  expect(packed.filter(({ name }) => name.endsWith(".map"))).toEqual([]);
});

it("holds the studio, in less than a megabyte", () => {
  const studio = packed.filter(({ name }) => name.startsWith("package/dist/studio/"));
  const names = studio.map(({ name }) => name);
  expect(names).toContain("package/dist/studio/index.html");
  const licences = studio.find(({ name }) => name.endsWith("/LICENSES.txt"))?.text;
  for (const name of ["preact", "fflate"]) expect(licences).toContain(`\n${name}\n`);
  expect(names.filter((name) => /\/worker-[\w-]+\.js$/.test(name))).toHaveLength(1);
  const bytes = studio
    .filter(({ name }) => !name.endsWith(".npz"))
    .reduce((sum, { text }) => sum + gzipSync(Buffer.from(text, "latin1")).length, 0);
  console.info(`studio: ${studio.length} files, ${(bytes / 1000).toFixed(1)} kB compressed`);
  expect(bytes).toBeLessThan(1e6);
});

it("brings the command trainlets", async (context) => {
  requireInstalled(context);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { stdout } = await npm(project, ["exec", "--offline", "--", "trainlets", "--version"]);
  expect(stdout).toBe(`${version}\n`);
});

it("brings the studio", async (context) => {
  requireInstalled(context);
  const program = join(project, "node_modules/trainlets/dist/cli/main.js");
  const child = spawn(process.execPath, [program, "studio", "--no-open", "--json"], { cwd: project });
  const ended = once(child, "exit");
  try {
    const [line] = await once(child.stdout, "data");
    const answer = await fetch(JSON.parse(String(line)).address);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("<title>trainlets studio</title>");
  } finally {
    child.kill("SIGTERM");
  }
  expect((await ended)[0]).toBe(143);
});

it("runs the README's library example, which prints what the README says", async (context) => {
  requireInstalled(context);
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [example, printed] = ["ts", "text"].map((language) => firstFence(readme, language));
  expect(example, "README.md: the first ```ts block").toBeDefined();
  writeFileSync(join(project, "example.ts"), example!);
  writePhotos(project);
  const options = {
    module: "nodenext",
    target: "es2023",
    strict: true,
    types: [],
    outDir: "built",
  };
  const config = { compilerOptions: options, files: ["example.ts"] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config));
  await node(project, [join(root, "node_modules/typescript/bin/tsc"), "-p", project]);
  const { stdout } = await node(project, ["built/example.js"]);
  if (printed) expectAlike(stdout, printed);
});

interface PackedFile {
  readonly name: string;
  readonly mode: number;
  readonly text: string;
}

/** The files of a tar archive with short names, as npm writes it. */
function readTar(bytes: Buffer): PackedFile[] {
  const files: PackedFile[] = [];
  const field = (at: number, from: number, length: number) =>
    bytes.toString("latin1", at + from, at + from + length).replace(/\0.*$/s, "");
  for (let at = 0; at < bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(field(at, 124, 12), 8);
    const text = bytes.toString("latin1", at + 512, at + 512 + size);
    const [prefix, name] = [field(at, 345, 155), field(at, 0, 100)];
    files.push({
      name: prefix ? `${prefix}/${name}` : name,
      mode: Number.parseInt(field(at, 100, 8), 8),
      text,
    });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

/** The same words; decimal numbers to 2 %, since other kernels round otherwise. */
function expectAlike(text: string, expected: string): void {
  const decimals = /\d+\.\d+/g;
  expect(text.replaceAll(decimals, "#")).toBe(expected.replaceAll(decimals, "#"));
  const wanted = expected.match(decimals)?.map(Number) ?? [];
  (text.match(decimals) ?? []).map(Number).forEach((value, i) => {
    expect(Math.abs(value / wanted[i] - 1), `${value} for ${wanted[i]}`).toBeLessThan(0.02);
  });
}

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

function npm(cwd: string, args: readonly string[]): Promise<Printed> {
  const script = process.env.npm_execpath;
  const all = [...args, "--loglevel=error"];
  if (script?.endsWith(".js")) return node(cwd, [script, ...all]);
  return run("npm", all, { cwd, shell: process.platform === "win32" });
}

/** What a program prints; an error that carries it where it fails. */
async function node(cwd: string, args: readonly string[]): Promise<Printed> {
  return await run(process.execPath, args, { cwd });
}

async function run(file: string, args: readonly string[], options: ExecFileOptions): Promise<Printed> {
  const all = {
    ...options,
    env: cleanEnv(),
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    timeout: 600_000,
  } as const;
  return await execute(file, args, all).catch(({ message, stdout, stderr }) => {
    throw Object.assign(new Error(`${message}\n${stdout}`), { stderr });
  });
}

/** Without the variables that `npm test` sets for this repository. */
function cleanEnv(): NodeJS.ProcessEnv {
  const own = /^(npm_(package|lifecycle|config_local_prefix|config_prefix)|INIT_CWD$)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}
