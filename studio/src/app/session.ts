/**
 * What was named on the command line of `trainlets studio`: the page asks its server for it, with the token that the
 * address carries. The address no longer shows the token then, and it lasts as long as the tab. From any other host there
 * is no token, and nothing is asked for.
 */

import { helper } from "../engine/client";
import { takeFromAddress } from "./address";
import { decodePicture } from "./files";
import { addDictionary, addItem, items, selectDictionary } from "./library";
import { notify, notifyOf } from "./notices";

interface Session {
  /** In exchange for a key that is good for one question. */
  readonly token?: string;
  readonly items: readonly SessionItem[];
  /** Lines about what is not there. */
  readonly notes: readonly string[];
}

interface SessionItem {
  readonly name: string;
  readonly kind: "dictionary" | "picture" | "array";
}

/** The name of the token in the storage of the tab. */
const stored = "trainlets-token";

/** The most samples of pictures and arrays that are opened at once: 400 MB. */
const mostSamples = 1e8;

let opening: Promise<void> | undefined;

/** Add what was named, once; the first dictionary and the first picture or array become the current ones. */
export function openSession(): Promise<void> {
  opening ??= addNamed();
  return opening;
}

async function addNamed(): Promise<void> {
  const addressed = takeFromAddress("token");
  const given = addressed ?? storage((tab) => tab.getItem(stored));
  if (!given) return;
  const session = (await (await ask("session", given)).json()) as Session;
  const token = session.token ?? given;
  storage((tab) => tab.setItem(stored, token));
  const numbered = session.items.map((item, number) => ({ ...item, number }));
  const isDictionary = ({ kind }: SessionItem) => kind === "dictionary";
  const opened = [
    ...(await openDictionaries(numbered.filter(isDictionary), token)),
    ...(await openItems(
      numbered.filter((item) => !isDictionary(item)),
      token,
    )),
  ];
  if (addressed === undefined) return; // a reload: nothing is news
  for (const line of session.notes) notify(line);
  if (opened.length > 0) notify(`Opened ${listed(opened)}.`);
}

type Numbered = SessionItem & { readonly number: number };

/** The names of those that could be opened. */
async function openDictionaries(named: readonly Numbered[], token: string): Promise<string[]> {
  const opened: { readonly id: number; readonly name: string }[] = [];
  for (const { number, name } of named) {
    await ask(`data/${number}`, token)
      .then(async (answer) => addDictionary(name, new Uint8Array(await answer.arrayBuffer())))
      .then((dictionary) => opened.push(dictionary))
      .catch(notifyOf);
    if (opened.length > 1) selectDictionary(opened[0].id);
  }
  return opened.map(({ name }) => name);
}

/** The same for pictures and arrays. */
async function openItems(named: readonly Numbered[], token: string): Promise<string[]> {
  const opened: string[] = [];
  const before = samplesHeld();
  for (const [i, { number, name, kind }] of named.entries()) {
    if (samplesHeld() - before > mostSamples) {
      notify(`${named.length - i} more were named, which the page has no room for`);
      break;
    }
    await ask(`data/${number}`, token)
      .then((answer) => answer.blob())
      .then((blob) =>
        kind === "picture" ? decodePicture(name, blob) : helper.run("readArray", { name, blob }),
      )
      .then((item) => opened.push(addItem(item, { select: opened.length === 0 }).name))
      .catch(notifyOf);
  }
  return opened;
}

/** A few names, and how many more there are. */
function listed(names: readonly string[]): string {
  const few = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return few.length > 1 ? `${few.slice(0, -1).join(", ")} and ${few.at(-1)}` : few[0];
}

/** The storage of the tab, which may be forbidden: then the token lasts as long as the page. */
function storage<T>(use: (tab: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

function samplesHeld(): number {
  return items.peek().reduce((sum, { data }) => sum + data.length, 0);
}

async function ask(path: string, token: string): Promise<Response> {
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
  if (answer.ok) return answer;
  if (answer.status !== 401) throw new Error(((await answer.json()) as { error: string }).error);
  storage((tab) => tab.removeItem(stored));
  throw new Error("this address was used before, or is of another run: open the one in the terminal");
}
