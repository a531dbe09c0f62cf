/** `trainlets studio`: the page that learns, served on this machine until Ctrl-C. */

import { once } from "node:events";
import { Command } from "commander";
import { requireInteger } from "../../core/require.js";
import { isDictionary, type NamedPath, namedPaths } from "../studio/namedFiles.js";
import type { Offers } from "../studio/offer.js";
import { openBrowser } from "../studio/openBrowser.js";
import { findPageFiles } from "../studio/pageFiles.js";
import { startStudio } from "../studio/studioServer.js";
import { count, dataFiles, option } from "../terminal/flags.js";
import { Interrupt } from "../terminal/interrupt.js";
import { stderr } from "../terminal/output.js";
import { printResult, type ResultFlags, withResultOptions } from "../terminal/results.js";

interface StudioFlags extends ResultFlags {
  readonly port?: number;
  readonly open: boolean;
}

const examples = `
Examples:
  trainlets studio                       open it with the pictures it comes with
  trainlets studio photos/ dict.npz      with your own pictures and a dictionary
  trainlets studio --no-open --port 8080

The page computes in your browser. It can read what you name here, and nothing
else; other machines cannot reach it. Ctrl-C ends it.`;

export function studioCommand(): Command {
  const command = new Command("studio")
    .summary("learn, explore and restore in a page")
    .description(
      "Open the studio, a page that learns in the browser, explores dictionaries and restores pictures; print its address, and serve it on this machine until Ctrl-C.",
    )
    .usage("[data or dictionary...] [options]")
    .argument("[data...]", `what the page opens: dictionaries (.npz); ${dataFiles}`)
    .addOption(option("--port <n>", "port to listen on", count, "a free one"))
    .option("--no-open", "print the address, and leave the browser to you")
    .addHelpText("after", examples)
    .action(runStudio);
  return withResultOptions(command, "print the address as a line of JSON on standard output");
}

async function runStudio(data: string[], flags: StudioFlags): Promise<void> {
  const port = requireInteger("studio", "port", flags.port ?? 0, flags.port === undefined ? 0 : 1, 65535);
  const note = (line: string) => stderr.write(`studio: ${line}\n`);
  const page = await findPageFiles();
  const paths = await namedPaths(data, ({ message }) => note(`${message}, skipped`));
  let offers: Promise<Offers> | undefined;
  const listed = () => (offers ??= list(paths, note)); // a large folder takes a while: not before the address
  const server = await startStudio({ page, offers: listed, port });
  const interrupt = new Interrupt(() => {});
  interrupt.listen();
  try {
    const view = data.length > 0 && data.every(isDictionary) ? "explore" : "learn";
    const addressWith = (key: string) => `${server.origin}/#/${view}?token=${key}`;
    const address = addressWith(server.access.token);
    printResult(flags, `studio: ${address} (Ctrl-C ends it)`, { address });
    listed().catch(({ message }: Error) => note(message)); // the page is given the reason as well
    if (flags.open) openBrowser(addressWith(server.access.ticket));
    if (!interrupt.signal.aborted) await once(interrupt.signal, "abort");
  } finally {
    await server.close();
    if (!interrupt.signal.aborted) interrupt.stop(); // it listens a moment longer: a signal may come twice
  }
  throw interrupt.error("stopped");
}

/** Loaded late: the readers of all formats take longer to load than the server takes to start. */
async function list(paths: readonly NamedPath[], note: (line: string) => void): Promise<Offers> {
  const { findOffers } = await import("../studio/offers.js");
  return findOffers(paths, note);
}
