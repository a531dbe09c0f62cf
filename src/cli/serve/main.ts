/**
 * The program behind the Python package: answers requests on standard input, on standard output, until its
 * input ends. docs/decisions/0034-python.md has the reasons.
 */

import { Console } from "node:console";
import { InputError } from "../../core/errors.js";
import { type Frame, FrameReader, frameParts } from "./frames.js";
import { Session } from "./session.js";

globalThis.console = new Console(process.stderr); // nothing but messages on standard output

const session = new Session();
let last: Promise<void> = Promise.resolve();

const reader = new FrameReader((request) => {
  last = last.then(() => serve(request));
});

process.stdout.on("error", () => process.exit(1)); // nobody listens
process.stdin.on("end", () => process.exit(reader.isInside ? 1 : 0)); // also in the middle of a request
process.stdin.on("data", (chunk: Uint8Array) => reader.push(chunk));

async function serve(request: Frame): Promise<void> {
  try {
    const { head, arrays } = await session.answer(request, (report) => send(frameParts(report)));
    send(frameParts({ kind: "answer", ...head }, arrays));
  } catch (error) {
    send(frameParts({ kind: "error", ...describe(error, request.head.names) }));
  }
}

function send(parts: readonly Uint8Array[]): void {
  for (const part of parts) process.stdout.write(part);
}

/** What went wrong, with options by the names that the caller has for them. */
function describe(error: unknown, names: unknown): { readonly input: boolean; readonly message: string } {
  if (!(error instanceof InputError))
    return { input: false, message: error instanceof Error ? error.message : String(error) };
  const known = new Map(Object.entries((names ?? {}) as Record<string, string>));
  return { input: true, message: error.describe((option) => known.get(option) ?? option) };
}
