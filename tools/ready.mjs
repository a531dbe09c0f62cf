/**
 * Makes a clone ready to run: installs the packages, builds `dist` and the studio in it,
 * each only when it is missing or out of date.
 *
 * Runs before anything is installed, so it uses Node built-ins alone. Whether a
 * step is due is read from a stamp, a hash of what the step depends on, written
 * only when the step succeeded.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const installStamp = "node_modules/.trainlets-installed";
const buildStamp = "dist/.stamp";
const studioStamp = "dist/.studio-stamp";
/** The compiled CPU kernels; the digest of their sources stands in the first line. */
const kernelBinary = "src/kernels/cpu/binary.ts";
/** The sources of the GPU kernels as a module, with the digest of the files likewise. */
const shaderModule = "src/kernels/gpu/shaders.ts";

/** Installs and builds what is missing. A failure prints its reason and ends the process. */
export function ready({ rebuild = false } = {}) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 9))
    fail(`Node 20.9 or newer is needed, this is ${process.version}`);
  if (!installed()) install();
  const kernels = kernelInputs();
  if (rebuild || !readIfThere(kernelBinary)?.startsWith(`// ${digest(kernels)}`)) assembleKernels(kernels);
  const shaders = shaderInputs();
  if (rebuild || !readIfThere(shaderModule)?.startsWith(`// ${digest(shaders)}`)) gatherShaders(shaders);
  const sources = buildInputs();
  if (rebuild || readIfThere(buildStamp) !== digest(sources)) build(sources);
  const pages = [...sources, ...studioInputs()];
  if (rebuild || readIfThere(studioStamp) !== digest(pages)) buildStudio(pages);
}

/** The script behind a command that an installed package offers, to be run by Node itself. */
export function command(packageName, name = packageName) {
  const { bin } = readJson(`node_modules/${packageName}/package.json`);
  return join(root, "node_modules", packageName, typeof bin === "string" ? bin : bin[name]);
}

/** npm, as the script that started us where there is one: `npm` itself is no program on Windows. */
export function npm(args, options = {}) {
  const script = process.env.npm_execpath;
  return script?.endsWith(".js")
    ? spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: "utf8", ...options })
    : spawnSync("npm", args, {
        cwd: root,
        encoding: "utf8",
        shell: process.platform === "win32",
        ...options,
      });
}

export function fail(message, code = 1) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}

function installed() {
  if (readIfThere(installStamp) === lockDigest()) return true;
  if (!npmAgrees()) return false;
  writeFileSync(join(root, installStamp), lockDigest());
  return true;
}

function install() {
  process.stdout.write("installing packages (npm ci)\n");
  const { status, stdout, stderr } = npm(["ci", "--loglevel=error", "--no-progress"]);
  if (status !== 0) {
    // npm's reason comes first; a page of usage may follow it.
    process.stderr.write(`${(stdout + stderr).split("\n").slice(0, 12).join("\n")}\n`);
    fail(`install: npm ci failed (exit ${status ?? "by signal"})`, status || 1);
  }
  writeFileSync(join(root, installStamp), lockDigest());
}

/** What an install depends on: the lock, and what package.json asks for. */
function lockDigest() {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  return hash.update(JSON.stringify(wanted(readJson("package.json")))).digest("hex");
}

function wanted({ dependencies = {}, devDependencies = {}, optionalDependencies = {} }) {
  return { dependencies, devDependencies, optionalDependencies };
}

/**
 * Whether npm's own record of what it put into node_modules has all that the
 * lock asks for: so after `npm install NAME` by hand nothing is installed twice.
 * Optional packages may be absent (other platforms), but not those we name ourselves.
 */
function npmAgrees() {
  if (!existsSync(join(root, "node_modules/.package-lock.json"))) return false;
  const lock = readJson("package-lock.json").packages;
  if (JSON.stringify(wanted(lock[""])) !== JSON.stringify(wanted(readJson("package.json")))) return false;
  const there = readJson("node_modules/.package-lock.json").packages;
  const named = Object.keys(lock[""].optionalDependencies ?? {}).map((name) => `node_modules/${name}`);
  return Object.entries(lock).every(([path, { version, optional }]) => {
    if (!path.includes("node_modules/")) return true;
    if (!there[path]) return optional === true && !named.includes(path);
    return there[path].version === version;
  });
}

/** What the compiled kernels depend on. */
function kernelInputs() {
  return [...filesIn("src/kernels/cpu/assembly"), "tools/assemble.mjs"];
}

function assembleKernels(inputs) {
  process.stdout.write("compiling the CPU kernels (asc)\n");
  const script = "import(process.argv[1]).then(({ assemble }) => assemble(process.argv[2]))";
  const tool = new URL("assemble.mjs", import.meta.url).href;
  const { status } = spawnSync(process.execPath, ["-e", script, tool, digest(inputs)], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0)
    fail(`build: the CPU kernels were not compiled (exit ${status ?? "by signal"})`, status || 1);
}

/** What the module of shaders depends on. */
function shaderInputs() {
  return [...filesIn("src/kernels/gpu/shaders"), "tools/ready.mjs"];
}

/**
 * A browser cannot import a .wgsl file, so the sources travel as strings; and the fields of their
 * parameters by name, so that TypeScript can check what it writes.
 */
function gatherShaders(inputs) {
  const paths = inputs.filter((path) => path.endsWith(".wgsl"));
  const names = paths.map((path) => basename(path, ".wgsl"));
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated) fail(`build: there are two shaders named ${repeated}`);
  const sources = paths.map((path) => readFileSync(join(root, path), "utf8"));
  const lines = [
    `// ${digest(inputs)}`,
    "/** The sources in shaders/, by name. Made by tools/ready.mjs. */",
    "export const shaders = {",
    ...names.map((name, i) => `  ${name}: ${JSON.stringify(sources[i])},`),
    "} as const;",
    "/** The fields of each shader's `Params`, in order, four bytes each. */",
    "export const parameters = {",
    ...names.map((name, i) => `  ${name}: ${JSON.stringify(parametersOf(sources[i]))},`),
    "} as const;",
  ];
  writeFileSync(join(root, shaderModule), `${lines.join("\n")}\n`);
}

function parametersOf(source) {
  const [, fields] = /^struct Params \{([^}]*)\}/m.exec(source);
  return Object.fromEntries(
    [...fields.matchAll(/^ *(\w+): (u32|f32),/gm)].map(([, name, type]) => [name, type]),
  );
}

/** Everything `dist` depends on, as paths relative to the root. */
function buildInputs() {
  const sources = filesIn("src").filter((path) => !/\.(test|case)\.ts$|\.wgsl$/.test(path));
  return [...sources, "tsconfig.json", "tsconfig.build.json", "package.json", "tools/ready.mjs"];
}

function build(inputs) {
  // Before tsc reads them: a file saved meanwhile makes the next run build again.
  const stamp = digest(inputs);
  process.stdout.write("building dist (tsc)\n");
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const { status } = spawnSync(
    process.execPath,
    [command("typescript", "tsc"), "-p", "tsconfig.build.json"],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  if (status !== 0) fail(`build: tsc failed (exit ${status ?? "by signal"})`, status || 1);
  const program = join(root, "dist/cli/main.js");
  if (existsSync(program)) chmodSync(program, 0o755);
  writeFileSync(join(root, "dist/build.json"), `${JSON.stringify(buildFacts(stamp))}\n`);
  writeFileSync(join(root, buildStamp), stamp);
}

/** What the built studio depends on beside `dist`. */
function studioInputs() {
  const settings = ["index.html", "vite.config.ts", "package.json"].map((name) => `studio/${name}`);
  return [...filesIn("studio/src"), ...filesIn("studio/public"), ...settings];
}

function buildStudio(inputs) {
  const stamp = digest(inputs);
  process.stdout.write("building the studio (vite)\n");
  const words = [command("vite"), "build", "--config", "studio/vite.config.ts", "--logLevel", "warn"];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: "inherit" });
  if (status !== 0) fail(`build: the studio was not built (exit ${status ?? "by signal"})`, status || 1);
  writeFileSync(join(root, studioStamp), stamp);
}

/** What results say of the program: the commit it was built from (with `+` if it was changed), and its sources. */
function buildFacts(stamp) {
  const sources = stamp.slice(0, 16);
  if (!existsSync(join(root, ".git"))) return { sources };
  const git = (...words) => spawnSync("git", words, { cwd: root, encoding: "utf8" });
  const { status, stdout } = git("rev-parse", "--short=10", "HEAD");
  if (status !== 0) return { sources };
  const changed = git("status", "--porcelain", "--", "src", "package.json").stdout.trim();
  return { commit: stdout.trim() + (changed ? "+" : ""), sources };
}

/** All files in a folder and those below it, as paths relative to the root, in a fixed order. */
function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)).replaceAll(sep, "/"))
    .sort();
}

function digest(paths) {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

function readIfThere(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}
