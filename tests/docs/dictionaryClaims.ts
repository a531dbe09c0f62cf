/**
 * What the paper sees in the figures of the atoms, judged by the stored tables of `npm run bench -- atoms`: a dictionary that was
 * learned by itself, from fewer patches than in the experiment. It stands in for a run of the experiment that has not been made.
 */

import {
  kindsClaim,
  patternsClaim,
  type SeenAtoms,
} from "../../src/experiments/fig09-to-11-universal/atomClaims.js";
import type { Claim } from "../../src/experiments/shared/experiment.js";
import type { StoredMeasurements } from "./storedResults.js";

type JudgedClaim = Pick<Claim, "text" | "measured" | "holds" | "undecided"> & { readonly file: string };

/** The claim `EXPERIMENT CLAIM-ID` as the stored dictionaries of the experiment judge it, once per file that has one. */
export function judgeDictionaries(name: string, benchmarks: readonly StoredMeasurements[]): JudgedClaim[] {
  const [experiment, id] = name.split(" ");
  return storedDictionaries(benchmarks)
    .filter((one) => one.experiment === experiment)
    .flatMap(({ file, seen, summary, patches, asked }) => {
      const claims = [kindsClaim(seen.kinds, seen.baseKinds), patternsClaim(summary)];
      return claims
        .filter((claim) => claim.id === id)
        .map(({ text, measured, holds }) => ({
          ...{ file, text, holds },
          measured: `${measured}; learned from ${patches} patches, not ${asked}`,
        }));
    });
}

/** Where these dictionaries depart from the experiments, by their files. */
export function dictionaryDepartures(
  benchmarks: readonly StoredMeasurements[],
): { readonly file: string; readonly items: readonly string[] }[] {
  const all = storedDictionaries(benchmarks);
  return [...new Set(all.map(({ file }) => file))].map((file) => ({
    file,
    items: [
      ...all
        .filter((one) => one.file === file)
        .map(
          ({ experiment, patches, asked }) =>
            `\`${experiment}\`: learned from ${patches} patches by \`trainlets train\`, where the experiment learns from ${asked}.`,
        ),
      "Its rivals were not learned.",
    ],
  }));
}

/** The dictionaries of all files. */
function storedDictionaries(benchmarks: readonly StoredMeasurements[]) {
  return benchmarks.flatMap(({ file, measurements }) =>
    measurements.parts
      .filter(({ name }) => name === "atoms")
      .flatMap(({ tables }) => {
        const experiments = new Set(tables.map(({ title }) => title.split(",")[0]));
        return [...experiments].map((experiment) => {
          const find = (topic: string) =>
            tables.find(({ title }) => title.startsWith(`${experiment}, ${topic}`))!;
          const [[, patches, asked]] = find("how it was learned").rows;
          const [count, least, most, farthest] = find("patterns").rows[0].map(Number);
          return {
            ...{ file, experiment, patches, asked },
            seen: seenKinds(find("kinds of atoms")),
            summary: { count, least, most, farthest },
          };
        });
      }),
  );
}

function seenKinds({
  header,
  rows,
}: {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}): Pick<SeenAtoms, "kinds" | "baseKinds"> {
  const [kinds, baseKinds] = rows.map((row) =>
    Object.fromEntries(header.slice(1).map((name, i) => [name, Number.parseFloat(row[i + 1]) / 100])),
  );
  return { kinds, baseKinds };
}
