/** A plain static server, as any host has: files of a folder below a path, without headers of our own. */

import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { listenLocally } from "./listenLocally.js";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
};

export interface FolderSite {
  /** The address of the folder, with `/` at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/** `replaced` are files served instead of those of the folder; an empty text is a file that is missing. */
export async function serveFolder(
  folder: string,
  base = "/",
  replaced: Readonly<Record<string, string>> = {},
): Promise<FolderSite> {
  const { origin, close } = await listenLocally((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, "http://localhost").pathname);
    const name = path.slice(base.length).replace(/(^|\/)$/, "$1index.html");
    try {
      if (!path.startsWith(base) || replaced[name] === "") throw new Error("not here");
      const body = replaced[name] ?? readFileSync(join(folder, name));
      response.writeHead(200, { "Content-Type": types[extname(name)] ?? "text/plain; charset=utf-8" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return { url: `${origin}${base}`, close };
}
