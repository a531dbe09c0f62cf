/**
 * Damaged command lines: each works or is rejected in one plain line, and leaves the data alone. `npm run fuzz`
 * tries many more.
 */

import { afterAll, beforeAll, expect, it } from "vitest";
import { Rng } from "../src/core/random/rng.js";
import { damagedLine, FuzzFolder, faultOf, fuzzedCommands } from "./fuzz/commandLines.js";

const given = process.env.TRAINLETS_FUZZ;
const count = given === undefined ? 40 : Number(given);

/** Milliseconds for the lines of one command: a few per line on a usual machine, and far more on a slow one. */
const timeout = 600_000 + 300 * count;

const folder = new FuzzFolder();

beforeAll(() => folder.fill(), timeout);
afterAll(() => folder.remove());

it.each(fuzzedCommands)("work or are rejected in one line: $name", { timeout }, async (command) => {
  const { options } = await command.load();
  const rng = Rng.from(1);
  const faults: string[] = [];
  let slowest = { seconds: 0, line: [""] };
  for (let i = 0; i < count; i++) {
    const line = damagedLine(command, options, rng.split(i));
    const start = performance.now();
    const fault = (await faultOf(line)) ?? folder.damage(line).join(", ");
    const seconds = (performance.now() - start) / 1000;
    if (seconds > slowest.seconds) slowest = { seconds, line };
    if (fault) faults.push(`${i}: ${JSON.stringify(line)}: ${fault}`);
    folder.tidy();
  }
  if (given !== undefined)
    console.log(
      `${command.name}: ${count} lines, ${faults.length} faults, slowest ${slowest.seconds.toFixed(1)} s: ${slowest.line.join(" ")}`,
    );
  expect(faults.slice(0, 20)).toEqual([]);
});
