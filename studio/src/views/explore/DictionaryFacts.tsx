/** What a dictionary is, and how it was learned, as its file has it. */

import { type Dictionary, removeDictionary } from "../../app/library";
import { grouped } from "./atomWords";

export function DictionaryFacts({ dictionary }: { readonly dictionary: Dictionary }) {
  const { atoms, shape, sparse, base, atomSparsity, meta } = dictionary.facts;
  const facts: readonly (readonly [string, string])[] = [
    ["Atoms", grouped(atoms)],
    ["Shape", shape.join("×")],
    ["Base", sparse ? base : "none"],
    ["Non-zeros per atom", sparse ? grouped(atomSparsity) : "–"],
    ["Learner", meta.learner],
    ["Examples seen", grouped(meta.examplesSeen)],
  ];
  const recorded: readonly (readonly [string, unknown])[] = [
    ...Object.entries(meta.options),
    ["seed", meta.seed],
    ["coding", meta.coding],
    ["mean removed", meta.removeMean],
    ...(meta.kept ? [["kept", meta.kept] as const] : []),
    ...(meta.partial ? [["partial", meta.partial] as const] : []),
  ];
  return (
    <div class="dictionary-facts">
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>Recorded in its file</summary>
        <dl class="recorded">
          {recorded.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{wordsOf(value)}</dd>
            </div>
          ))}
        </dl>
        <button type="button" onClick={() => void removeDictionary(dictionary.id)}>
          Remove this dictionary from the page
        </button>
      </details>
    </div>
  );
}

function wordsOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(wordsOf).join(", ");
  if (typeof value === "object" && value !== null)
    return Object.entries(value)
      .map(([name, one]) => `${name} ${wordsOf(one)}`)
      .join(", ");
  return JSON.stringify(value) ?? "–";
}
