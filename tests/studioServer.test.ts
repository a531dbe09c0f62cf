/** `trainlets studio`: who is answered and who is not, what arrives of what was named, and the page in a real browser. */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contentPolicy } from "../src/cli/studio/headers.js";
import { findPageFiles } from "../src/cli/studio/pageFiles.js";
import { writeMat } from "../src/data/formats/matlab/matFile.js";
import { readNpy } from "../src/data/formats/npy.js";
import { wavOf } from "../src/data/formats/wav.case.js";
import { launchChromium, requireChromium } from "./browser/chromium.js";
import { outcomeOf, program, startTrainlets, trainlets, writeArray, writePng } from "./cliProcess.js";
import { openStudio } from "./studio/studioSite.js";

const folder = mkdtempSync(join(tmpdir(), "trainlets-studio-"));
const path = (...names: string[]): string => join(folder, ...names);
const model = fileURLToPath(new URL("formats/model-sparse-v1.npz", import.meta.url));
const chromium = requireChromium();
/** A name that a page must show as text. */
const photo = "<b>leaf.png";

interface Studio {
  readonly child: ChildProcess;
  /** With the token. */
  readonly address: string;
  readonly port: number;
  readonly token: string;
  /** What was printed on standard error so far. */
  printed(): string;
}

/** Start `trainlets studio` and wait for its address. */
async function start(line: string): Promise<Studio> {
  const child = startTrainlets(folder, `studio ${line} --no-open --json`);
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [text] = await once(child.stdout!, "data");
  const { address } = JSON.parse(String(text));
  const { port, hash } = new URL(address);
  const token = new URLSearchParams(hash.split("?")[1]).get("token")!;
  return { child, address, port: Number(port), token, printed: () => errors };
}

async function stop({ child }: Studio, signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
  const ended = once(child, "exit");
  child.kill(signal);
  return (await ended)[0];
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Ask with a path as it is: `fetch` would tidy it up. */
function ask(
  { port }: Studio,
  path: string,
  { method = "GET", ...headers }: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response
        .on("data", (part) => parts.push(part))
        .on("end", () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
        );
    })
      .on("error", reject)
      .end();
  });
}

/** What was named, by its name. */
async function session(studio: Studio) {
  const { body } = await ask(studio, "/session", { Authorization: `Bearer ${studio.token}` });
  const { items, notes } = JSON.parse(body.toString()) as {
    items: { name: string; kind: string; bytes: number }[];
    notes: string[];
  };
  const get = (name: string, headers = {}) => {
    const number = items.findIndex((item) => item.name === name);
    expect(number, name).toBeGreaterThanOrEqual(0);
    return ask(studio, `/data/${number}`, { Authorization: `Bearer ${studio.token}`, ...headers });
  };
  return { items, notes, get };
}

beforeAll(() => {
  mkdirSync(path("named"));
  mkdirSync(path("outside"));
  writePng(path("named", photo), 32, (i) => (7 * i) % 256);
  writePng(path("outside", "secret.png"), 32, (i) => i % 256);
  writeArray(path("named", "field.npy"), [4, 5], (i) => i);
  copyFileSync(model, path("named", "dictionary.npz"));
  symlinkSync(path("outside", "secret.png"), path("named", "link.png"));
  symlinkSync(path("outside"), path("named", "more"));
  writeFileSync(
    path("sound.wav"),
    wavOf({ channels: 2, samples: "float32", values: [1, -1, 0.5, -0.5, 0, 0] }),
  );
  writeFileSync(
    path("set.mat"),
    writeMat([["X", { kind: "full", shape: [2, 3], data: Float64Array.of(1, 2, 3, 4, 5, 6) }]]),
  );
  writeFileSync(
    path("page.pgm"),
    Buffer.concat([Buffer.from("P5 3 2 255\n"), Buffer.of(0, 50, 100, 150, 200, 250)]),
  );
  writeFileSync(path("broken.npz"), "PK\x03\x04 and nothing else");
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("trainlets studio", () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await start("named sound.wav set.mat page.pgm broken.npz");
  });
  afterAll(() => stop(studio));

  it("serves its page with headers that isolate it, to whoever asks from this machine", async () => {
    const { status, headers, body } = await ask(studio, "/");
    expect(status).toBe(200);
    expect(body.toString()).toContain("trainlets studio");
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentPolicy,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(contentPolicy).not.toMatch(/script-src[^;]*'unsafe-(inline|eval)'/);
    const [, script] = /src="\.(\/assets\/[^"]+\.js)"/.exec(body.toString())!;
    expect((await ask(studio, script)).headers["content-type"]).toBe("text/javascript; charset=utf-8");
    const head = await ask(studio, "/", { method: "HEAD" });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    const named = await ask(studio, "/", { Host: `localhost:${studio.port}` });
    expect(named.status).toBe(200);
  });

  it.each([
    ["another Host", "/", { Host: "evil.example:80" }, 403],
    ["a Host without the port", "/", { Host: "127.0.0.1" }, 403],
    ["another Origin", "/", { Origin: "https://evil.example" }, 403],
    ["an Origin that is hidden", "/", { Origin: "null" }, 403],
    ["a POST", "/session", { method: "POST" }, 405],
    ["OPTIONS, which would ask for another site", "/session", { method: "OPTIONS" }, 405],
    ["the session without a token", "/session", {}, 401],
    ["the session with a wrong token", "/session", { Authorization: "Bearer wrong" }, 401],
    ["data without a token", "/data/0", {}, 401],
    ["a token in the path", "/data/0?token=TOKEN", {}, 401],
    ["a path that leads up", "/../build.json", {}, 404],
    ["the same, encoded", "/%2e%2e/build.json", {}, 404],
    ["the same, with the slash encoded", "/..%2fbuild.json", {}, 404],
    ["a path of the machine", "//etc/passwd", {}, 404],
    ["a folder", "/assets/", {}, 404],
    ["a name instead of a number", "/data/../session", {}, 404],
  ])("refuses %s", async (_, path, headers, status) => {
    const answer = await ask(studio, path.replace("TOKEN", studio.token), headers);
    expect(answer.status).toBe(status);
    expect(answer.headers["content-security-policy"]).toBe(contentPolicy);
    expect(Object.keys(JSON.parse(answer.body.toString()))).toEqual(["error"]);
  });

  it("lists what was named, but no link that leads out of a folder and nothing that cannot be read", async () => {
    const { items, notes } = await session(studio);
    expect(items.map(({ name, kind }) => `${kind} ${name}`).sort()).toEqual(
      [
        "array field.npy",
        "array page.pgm",
        "array set.mat[X]",
        "array sound.wav",
        "dictionary dictionary.npz",
        `picture ${photo}`,
      ].sort(),
    );
    expect(items.every(({ bytes }) => bytes > 0)).toBe(true);
    expect(notes).toEqual([
      "named/link.png: a link that leads out of the folder, skipped",
      "named/more: a link that leads out of the folder, skipped",
      expect.stringContaining("broken.npz: "),
    ]);
    await expect.poll(studio.printed).toBe(notes.map((line) => `studio: ${line}\n`).join(""));
    expect((await ask(studio, "/data/99", { Authorization: `Bearer ${studio.token}` })).status).toBe(404);
  });

  it("sends dictionaries, arrays and pictures as they are", async () => {
    const { get } = await session(studio);
    const sent = await get(photo);
    expect(sent.headers["content-type"]).toBe("image/png");
    expect(sent.headers["cache-control"]).toBe("no-store");
    expect(sent.body.equals(readFileSync(path("named", photo)))).toBe(true);
    expect((await get("field.npy")).body.equals(readFileSync(path("named", "field.npy")))).toBe(true);
    expect((await get("dictionary.npz")).body.equals(readFileSync(model))).toBe(true);
    const head = await get("dictionary.npz", { method: "HEAD" });
    expect([head.body.length, Number(head.headers["content-length"])]).toEqual([
      0,
      readFileSync(model).length,
    ]);
  });

  it("converts what browsers do not read to .npy", async () => {
    const { get } = await session(studio);
    const array = async (name: string) => readNpy((await get(name)).body, name);
    expect(await array("sound.wav")).toMatchObject({
      shape: [2, 3],
      data: Float32Array.of(1, 0.5, 0, -1, -0.5, 0),
    });
    expect(await array("set.mat[X]")).toMatchObject({
      shape: [2, 3],
      data: Float32Array.of(1, 3, 5, 2, 4, 6),
    });
    expect(await array("page.pgm")).toMatchObject({
      shape: [2, 3],
      data: Float32Array.of(0, 50, 100, 150, 200, 250),
    });
  });

  it("refuses a file that was replaced by a link meanwhile, and reports one that is gone", async () => {
    const { get } = await session(studio);
    const file = path("named", "field.npy");
    renameSync(file, path("outside", "field.npy"));
    expect((await get("field.npy")).status).toBe(422);
    symlinkSync(path("outside", "field.npy"), file);
    expect((await get("field.npy")).status).toBe(403);
    rmSync(file);
    renameSync(path("outside", "field.npy"), file);
    expect((await get("field.npy")).status).toBe(200);
  });

  it("uses a port that is free, and says so of one that is not", async () => {
    const { code, stdout, stderr } = await trainlets(folder, `studio --no-open --port ${studio.port}`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(
      `studio: --port ${studio.port}: another program is using it; by default a free port is used\n`,
    );
    const bad = await trainlets(folder, "studio --port 70000");
    expect(bad).toMatchObject({
      code: 2,
      stderr: "studio: --port must be an integer from 1 to 65535, got 70000\n",
    });
    const missing = await trainlets(folder, "studio nothing.npy");
    expect(missing).toMatchObject({ code: 2, stderr: "studio: no such file or folder: nothing.npy\n" });
  });

  describe.skipIf(chromium.path === undefined)(`in a browser${chromium.note}`, () => {
    it("opens what was named, hides the token and keeps it for a reload", async () => {
      const browser = await launchChromium(chromium.path!, "none");
      try {
        const { page, problems } = await openStudio(browser, studio.address);
        const opened = page.locator(".notice", { hasText: /^Opened / });
        await opened.waitFor();
        const text = await opened.textContent();
        for (const name of ["dictionary.npz", photo]) expect(text).toContain(name);
        expect(page.url().replace(/\?picture=[^&]*$/, "")).toBe(`http://127.0.0.1:${studio.port}/#/learn`);
        expect(await page.evaluate(() => globalThis.crossOriginIsolated)).toBe(true);
        const again = page.waitForResponse(/\/data\/5$/);
        await page.reload();
        expect((await again).status()).toBe(200);
        expect(problems).toEqual([]);
      } finally {
        await browser.close();
      }
    });
  });
});

it("lists a limited number of files, and says how many more there are", async () => {
  mkdirSync(path("many"));
  for (let i = 0; i < 53; i++) copyFileSync(path("named", photo), path("many", `${i}.png`));
  const studio = await start("many");
  const { items, notes } = await session(studio);
  expect(items.length).toBe(50);
  expect(notes).toEqual(["3 more are not shown: the studio lists 50 at most"]);
  expect(await stop(studio, "SIGTERM")).toBe(143);
});

it("says how to get the page where it was not built", async () => {
  await expect(findPageFiles(path("nowhere"))).rejects.toThrow(
    `the page is not built: ${path("nowhere")} is missing; run \`npm run build\` in the clone`,
  );
});

it("prints the address for people, and ends with 130 on Ctrl-C", async () => {
  const child = startTrainlets(folder, "studio named/dictionary.npz --no-open --quiet");
  child.stdout!.once("data", () => child.kill("SIGINT"));
  const { code, stdout, stderr } = await outcomeOf(child);
  expect(code).toBe(130);
  expect(stdout).toMatch(
    /^studio: http:\/\/127\.0\.0\.1:\d+\/#\/explore\?token=[\w-]{32} \(Ctrl-C ends it\)\n$/,
  );
  expect(stderr).toBe("studio: stopped\n");
});

it.skipIf(process.platform !== "linux")("opens the browser with a ticket that works once", async () => {
  mkdirSync(path("bin"));
  const words = path("words");
  writeFileSync(
    path("bin", "xdg-open"),
    `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > '${words}.new'\nmv '${words}.new' '${words}'\n`,
  );
  chmodSync(path("bin", "xdg-open"), 0o755);
  const env = { ...process.env, DISPLAY: ":0", PATH: `${path("bin")}:${process.env.PATH}` };
  const child = spawn(process.execPath, [program, "studio", "--json"], { cwd: folder, env });
  const [text] = await once(child.stdout, "data");
  const { address } = JSON.parse(String(text));
  while (!existsSync(words)) await new Promise((resolve) => setTimeout(resolve, 20));
  const [count, opened] = readFileSync(words, "utf8").split("\n");
  expect(count).toBe("1");
  const [ticket, token] = [opened, address].map(
    (one) => new URLSearchParams(new URL(one).hash.split("?")[1]).get("token")!,
  );
  expect(ticket).not.toBe(token);
  const studio: Studio = { child, address, port: Number(new URL(address).port), token, printed: () => "" };
  const asked = () => ask(studio, "/session", { Authorization: `Bearer ${ticket}` });
  expect(JSON.parse((await asked()).body.toString())).toEqual({ token, items: [], notes: [] });
  expect((await asked()).status).toBe(401);
  expect(await stop(studio)).toBe(130);
});
