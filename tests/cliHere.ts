/** The command line in this process, one line after the other: many times as quick as `cliProcess`. */

import { checksOf, type Outcome } from "./cliProcess.js";
import { runHere } from "./failures/runHere.js";

let last: Promise<unknown> = Promise.resolve();

/** Run a line of `trainlets` in a folder, when those before it have ended. */
export function trainlets(cwd: string, line: string | readonly string[]): Promise<Outcome> {
  const outcome = last.then(async () => {
    process.chdir(cwd);
    return await runHere(line);
  });
  last = outcome.catch(() => {});
  return outcome;
}

export const { works, rejects } = checksOf(trainlets);
