/**
 * What the paper says of OSDL and ODL, judged with the ODL that the paper used, that of SPAMS: from the stored tables of
 * `npm run bench -- odl`. The rules are those of figure 5, whose own ODL is ours.
 */

import type { Claim } from "../../src/experiments/shared/experiment.js";
import type { StoredMeasurements } from "./storedResults.js";

/** OSDL ends at most 1 % above ODL; below it; or below it and in less time. */
export type SpamsRule = "meets" | "below" | "sooner and below";

/** The judgement of one row of the table, by its patch and k: `12×12, k = 36`. */
export interface SpamsClaim {
  readonly rule: SpamsRule;
  readonly row: string;
}

/** A row of the table. */
interface Comparison {
  readonly file: string;
  readonly osdl: number;
  readonly spams: number;
  /** By how much OSDL is above, as a percentage: of errors with more digits. */
  readonly above: number;
  readonly seconds: { readonly osdl: number; readonly spams: number };
}

type JudgedClaim = Pick<Claim, "text" | "measured" | "holds"> & { readonly file: string };

/** In per cent. */
const close = 1;

/** The claim as the stored benchmarks judge it; once per file that has the row. */
export function judgeWithSpams(
  { rule, row }: SpamsClaim,
  benchmarks: readonly StoredMeasurements[],
): JudgedClaim[] {
  return comparisonsOf(row, benchmarks).map(({ file, osdl, spams, above, seconds }) => {
    const errors = `${osdl.toFixed(3)} and ${spams.toFixed(3)}`;
    const odl = "the ODL of SPAMS, both from the cropped wavelets, tested by the same OMP";
    if (rule === "meets")
      return {
        file,
        text: `${row}: OSDL ends at most ${close} % above ${odl}`,
        measured: `${errors}: ${above} %`,
        holds: above <= close,
      };
    if (rule === "below")
      return { file, text: `${row}: OSDL ends below ${odl}`, measured: errors, holds: above < 0 };
    return {
      file,
      text: `${row}: OSDL ends sooner than ${odl}, and below it`,
      measured: `${errors} after ${seconds.osdl} s and ${seconds.spams} s`,
      holds: above < 0 && seconds.osdl < seconds.spams,
    };
  });
}

function comparisonsOf(row: string, benchmarks: readonly StoredMeasurements[]): Comparison[] {
  return benchmarks.flatMap(({ file, measurements }) =>
    measurements.parts
      .filter(({ name }) => name === "odl")
      .flatMap(({ tables }) => tables.flatMap(({ rows }) => rows))
      .filter(([patch, k]) => `${patch}, k = ${k}` === row)
      .map(([, , osdl, osdlSeconds, spams, , spamsSeconds, above]) => ({
        ...{ file, osdl: Number(osdl), spams: Number(spams), above: Number.parseFloat(above) },
        seconds: { osdl: Number(osdlSeconds), spams: Number(spamsSeconds) },
      })),
  );
}
