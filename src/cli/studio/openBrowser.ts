/** Starts the browser of the person at this machine, if there is a display. */

import { spawn } from "node:child_process";

/** The program that opens an address, and its first arguments. Nothing goes through a shell. */
const programs: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Open an address; without a display, or without such a program, nothing happens: the address was printed. */
export function openBrowser(address: string): void {
  if (!hasDisplay()) return;
  const [program, ...words] = programs[process.platform] ?? ["xdg-open"];
  spawn(program, [...words, address], { detached: true, stdio: "ignore" })
    .on("error", () => {})
    .unref();
}

function hasDisplay(): boolean {
  if (process.platform in programs) return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}
