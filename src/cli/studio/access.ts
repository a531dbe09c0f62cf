/**
 * Who may ask for what was named on the command line: whoever has the token, which the printed address carries.
 *
 * The address that the browser is started with stands in the list of processes, where other users of the machine can read
 * it. So it has a ticket instead, which is good for one question; the answer to it carries the token.
 */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export class Access {
  readonly token = secret();
  readonly ticket = secret();
  #ticketLeft = true;

  /** Whether the header `Authorization` has the token. */
  hasToken(authorization: string | undefined): boolean {
    return equal(authorization, `Bearer ${this.token}`);
  }

  /** Whether it has the ticket, which is then used up. */
  takesTicket(authorization: string | undefined): boolean {
    if (!this.#ticketLeft || !equal(authorization, `Bearer ${this.ticket}`)) return false;
    this.#ticketLeft = false;
    return true;
  }
}

function secret(): string {
  return randomBytes(24).toString("base64url");
}

/** In a time that does not depend on where the texts differ, nor on their lengths. */
function equal(given: string | undefined, expected: string): boolean {
  return timingSafeEqual(digest(given ?? ""), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
