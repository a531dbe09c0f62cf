/**
 * The server of `trainlets studio`: the page, and what was named on the command line, for this machine alone.
 *
 *   GET /            the page and its files
 *   GET /session     with the token: what was named, as JSON
 *   GET /data/N      with the token: the bytes of the N-th of these
 *
 * It listens on 127.0.0.1. A page of another site can still make the browser ask there, so a question must name this
 * server as its Host (or a name that an attacker points here would do) and have no other Origin, and data are given only
 * for the token. The files of the page need no token: they are those of the public package and hold nothing of the user,
 * and a browser sends no header of ours when it loads a script. The token travels in a header, never in a cookie, which
 * a browser would send along for any page, nor in the path, which may be logged.
 */

import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { InputError } from "../../core/errors.js";
import { systemPath } from "../../data/node/system/fileNames.js";
import { Access } from "./access.js";
import { contentType, safetyHeaders } from "./headers.js";
import { MovedError, type Offers } from "./offer.js";

export interface StudioOptions {
  /** The files of the page by address. */
  readonly page: ReadonlyMap<string, string>;
  /** What was named: asked for when a page wants to know. */
  readonly offers: () => Promise<Offers>;
  /** 0 for a free one. */
  readonly port: number;
}

export interface StudioServer {
  readonly origin: string;
  readonly access: Access;
  close(): Promise<void>;
}

/** Start to serve; an error if the port cannot be had. */
export async function startStudio({ page, offers, port }: StudioOptions): Promise<StudioServer> {
  const access = new Access();
  const server = createServer((request, response) => {
    const answers = new Answers(request, response, { page, offers, access, port: portOf(server) });
    answers.give().catch((error: unknown) => answers.fail(error));
  });
  await listen(server, port);
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    access,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(portError(error, port)));
    server.listen(port, "127.0.0.1", resolve);
  });
}

function portError({ code, message }: NodeJS.ErrnoException, port: number): Error {
  if (code === "EADDRINUSE")
    return new InputError(
      (nameOf) => `${nameOf("port")} ${port}: another program is using it; by default a free port is used`,
    );
  if (code === "EACCES")
    return new InputError(
      (nameOf) => `${nameOf("port")} ${port}: permission denied; by default a free port is used`,
    );
  return new Error(`cannot listen on 127.0.0.1 (${message})`);
}

interface Served extends StudioOptions {
  readonly access: Access;
}

/** The answer to one question. */
class Answers {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #served: Served;

  constructor(request: IncomingMessage, response: ServerResponse, served: Served) {
    this.#request = request;
    this.#response = response;
    this.#served = served;
    for (const [name, value] of Object.entries(safetyHeaders)) response.setHeader(name, value);
  }

  async give(): Promise<void> {
    const { method = "", url = "" } = this.#request;
    if (!this.#isOwn()) return this.#refuse(403, "this server answers its own page alone");
    if (method !== "GET" && method !== "HEAD") {
      this.#response.setHeader("Allow", "GET, HEAD");
      return this.#refuse(405, "only GET and HEAD");
    }
    const [path] = url.split("?");
    if (path === "/session") return this.#session();
    const [, number] = /^\/data\/(\d{1,4})$/.exec(path) ?? [];
    return number === undefined ? this.#file(path) : this.#data(Number(number));
  }

  /** Whether Host, and Origin if there is one, are those of the page. */
  #isOwn(): boolean {
    const { host = "", origin } = this.#request.headers;
    const { port } = this.#served;
    if (![`127.0.0.1:${port}`, `localhost:${port}`].includes(host.toLowerCase())) return false;
    return origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`;
  }

  /** Only addresses in the list: there is no path to walk. */
  async #file(address: string): Promise<void> {
    const path = this.#served.page.get(address);
    if (path === undefined) return this.#refuse(404, "no such file");
    this.#response.setHeader("Cache-Control", "no-cache");
    this.#send(contentType(path), [await readFile(path)]);
  }

  async #session(): Promise<void> {
    const { access, offers } = this.#served;
    const { authorization } = this.#request.headers;
    const byTicket = access.takesTicket(authorization);
    if (!byTicket && !access.hasToken(authorization))
      return this.#refuse(401, "the token is missing or wrong");
    const { offers: all, notes } = await offers();
    const items = all.map(({ name, kind, bytes }) => ({ name, kind, bytes }));
    this.#json(200, { ...(byTicket ? { token: access.token } : {}), items, notes });
  }

  async #data(number: number): Promise<void> {
    const { access, offers } = this.#served;
    if (!access.hasToken(this.#request.headers.authorization))
      return this.#refuse(401, "the token is missing or wrong");
    const offer = (await offers()).offers.at(number);
    if (!offer) return this.#refuse(404, "no such data");
    const content = await offer.open();
    this.#response.setHeader("Cache-Control", "no-store");
    if ("parts" in content) return this.#send(content.type, content.parts);
    const { size } = await stat(systemPath(content.file));
    this.#response.writeHead(200, { "Content-Type": content.type, "Content-Length": size });
    if (this.#request.method === "HEAD") this.#response.end();
    else if (size === 0) this.#response.end();
    else await pipeline(createReadStream(systemPath(content.file), { end: size - 1 }), this.#response);
  }

  #send(type: string, parts: readonly Uint8Array[]): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    this.#response.writeHead(200, { "Content-Type": type, "Content-Length": length });
    for (const part of parts) this.#response.write(part); // HEAD: nothing is sent
    this.#response.end();
  }

  #json(status: number, value: object): void {
    this.#response.setHeader("Cache-Control", "no-store");
    this.#response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
  }

  #refuse(status: number, error: string): void {
    if (status === 401) this.#response.setHeader("WWW-Authenticate", "Bearer");
    this.#json(status, { error });
  }

  /** Say why there is no answer, unless one was begun. */
  fail(error: unknown): void {
    if (this.#response.headersSent) return void this.#response.destroy();
    const status = error instanceof MovedError ? 403 : error instanceof InputError ? 422 : 500;
    this.#refuse(status, error instanceof Error ? error.message : String(error));
  }
}
