/** Options and names of the library as tables, from the interfaces, their comments and the defaults. */

import { isTest, listFiles, read, readSources } from "../sources.js";
import { code, grouped, table } from "./regions.js";

/** One member of an interface. */
interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly type: string;
  readonly comment: string;
}

const shipped = readSources("src").filter(({ path }) => !isTest(path));

/** `| option | type | default | meaning |` of an interface. */
export function optionTable(name: string, defaults: Readonly<Record<string, unknown>> = {}): string {
  const rows = membersOf(name).map((member) => [
    code(member.name),
    code(member.type),
    fallbackOf(member, defaults[member.name]),
    member.comment,
  ]);
  return table(["option", "type", "default", "meaning"], rows);
}

/** `| field | type | meaning |` of an interface. */
export function fieldTable(name: string): string {
  const rows = membersOf(name).map(({ name: field, type, comment }) => [code(field), code(type), comment]);
  return table(["field", "type", "meaning"], rows);
}

/** What each entry of the package exports, with the first sentence of its comment. */
export function nameTables(): string {
  const { exports: entries } = JSON.parse(read("package.json")) as {
    exports: Record<string, { types?: string }>;
  };
  return Object.entries(entries)
    .flatMap(([entry, { types }]) => {
      if (types === undefined) return [];
      const source = types.replace(/^\.\/dist/, "src").replace(/\.d\.ts$/, ".ts");
      return [`### \`${entry.replace(/^\./, "trainlets")}\`\n\n${namesIn(source)}`];
    })
    .join("\n\n");
}

/** Members of an interface, those it picks from another one first. */
export function membersOf(name: string): Member[] {
  const { text } = sourceOf(name);
  const start = new RegExp(`^export interface ${name}\\b`, "m").exec(text)!.index;
  const open = text.indexOf("{\n", start);
  const body = text.slice(open + 2, text.indexOf("\n}", open) + 1);
  const [, whole, names] = /extends\s+Pick<\s*(\w+),([\s\S]*?)>/.exec(text.slice(start, open)) ?? [];
  const wanted = names ? [...names.matchAll(/"(\w+)"/g)].map((match) => match[1]) : [];
  const picked = whole ? membersOf(whole).filter((member) => wanted.includes(member.name)) : [];
  const pattern =
    /(?:^ {2}\/\*\*([\s\S]*?)\*\/\n)?^ {2}(?:readonly )?(\w+)(\?)?(?:: ([\s\S]*?)|(\([\s\S]*?));\n/gm;
  const own = [...body.matchAll(pattern)].map(([, comment = "", member, optional, type, method]) => ({
    name: member,
    optional: optional !== undefined,
    type: plainType(type ?? method),
    comment: sentence(comment),
  }));
  return [...picked, ...own];
}

function sourceOf(name: string): { readonly text: string } {
  const found = shipped.find(({ text }) => new RegExp(`^export interface ${name}\\b`, "m").test(text));
  if (!found) throw new Error(`no file of src exports the interface ${name}`);
  return found;
}

function fallbackOf({ optional, type }: Member, value: unknown): string {
  if (value === undefined) return optional ? "" : "required";
  if (typeof value === "number") return grouped(value);
  return code(type === "boolean" ? String(value) : JSON.stringify(value));
}

function plainType(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/\breadonly /g, "")
    .replace(/ \| undefined\b/g, "")
    .replace(/^\| /, "")
    .replace(/^\((.*)\)$/, "$1");
}

function sentence(comment: string): string {
  return comment
    .replace(/^\s*\* ?/gm, "")
    .replace(/@example[\s\S]*/, "")
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .replace(/\s+/g, " ")
    .trim()
    .replaceAll("|", "\\|");
}

function namesIn(path: string): string {
  const lists = read(path).matchAll(/^export (type )?\{([^}]*)\} from "([^"]+)";/gm);
  const rows = [...lists].flatMap(([, allTypes, list, from]) => {
    const file = `src/${from.slice(2).replace(/\.js$/, ".ts")}`;
    return list
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map((item) => ({
        name: item.replace(/^type /, ""),
        isType: allTypes !== undefined || item.startsWith("type "),
        file,
      }));
  });
  const shown = rows
    .filter(({ isType }) => !isType)
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  const types = rows
    .filter(({ isType }) => isType)
    .map(({ name }) => code(name))
    .sort();
  const names = table(
    ["name", "what it is"],
    shown.map(({ name, file }) => [code(name), commentOn(name, file)]),
  );
  return types.length === 0 ? names : `${names}\n\nTypes: ${types.join(", ")}.`;
}

/** The first sentence of the comment above a declaration, or else of the header of its file. */
function commentOn(name: string, path: string): string {
  const text = listFiles("src").includes(path) ? read(path) : "";
  const declaration = `export (?:async |abstract )*(?:function\\*?|const|class) ${name}\\b`;
  const own = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n${declaration}`).exec(text)?.[1];
  const comment = own ?? /^\/\*\*([\s\S]*?)(?:\n \*\n[\s\S]*?)?\*\//.exec(text)?.[1] ?? "";
  const [first] = sentence(comment).split(/(?<=[.:;]) /);
  return first.replace(/[:;]$/, ".");
}
