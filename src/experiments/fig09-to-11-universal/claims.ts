/**
 * What the paper claims about figure 11, at every M of the table: the trained dictionary is above all others, ODL
 * included; it is learned over twice as fast as by ODL (§V-D: 2 days against 4.6); cropping improves wavelets and
 * contourlets. Claims of ours: a margin in dB, from prototypes on the same kind of data, and that a dictionary continued with
 * more atoms per code is above others. What the paper sees in the figures of the atoms is counted (atomClaims.ts).
 *
 * All of them follow from the numbers of a result, so that a stored one can be judged anew.
 */

import { grouped } from "../../core/formatText.js";
import type { Model } from "../../model/model.js";
import type { MTermCurve } from "../../tasks/approximate/mTermCurves.js";
import type { Claim } from "../shared/experiment.js";
import {
  describeGains,
  orderClaims,
  orderText,
  psnrByLabel,
  trainletsLabel,
} from "../shared/mTermComparison.js";
import type { LearningRecord } from "../shared/trainPart.js";
import { atomClaims, atomTexts, type SeenAtoms } from "./atomClaims.js";
import type { LearnedSettings, Margin, UniversalSettings } from "./settings.js";

/** A dictionary, and how it was learned. */
export interface LearnedDictionary {
  readonly method: LearnedSettings;
  readonly model: Model;
  readonly record: LearningRecord;
}

/** The numbers of a result. */
export interface UniversalValues {
  /** The curve of each dictionary, by its label. */
  readonly psnr: Readonly<Record<string, readonly number[]>>;
  /** How each was learned, by the same label. */
  readonly learning: Readonly<Record<string, Pick<LearningRecord, "learningSeconds" | "updates">>>;
  /** What the atoms show; older results lack it. */
  readonly atoms?: SeenAtoms;
}

/** What the claims depend on. */
export type JudgedSettings = Pick<
  UniversalSettings,
  "terms" | "orders" | "comparesTimes" | "margins" | "learned"
>;

const source = "§V-D, figure 11";

export function universalClaims(settings: JudgedSettings, values: UniversalValues): Claim[] {
  const { terms, orders, comparesTimes, margins, learned } = settings;
  const curves = Object.entries(values.psnr).map(([label, psnr]) => ({ label, psnr }));
  const extra = new Set(learned.filter((method) => method.extra).map(({ label }) => label));
  const paperCurves = curves.filter(({ label }) => !extra.has(label));
  return [
    trainedBest(paperCurves, terms),
    ...orderClaims(orders, curves, terms),
    ...(comparesTimes ? speedClaims(learned, values.learning) : []),
    ...marginClaims(margins, curves),
    ...(values.atoms ? atomClaims(values.atoms) : []),
  ];
}

/** What claims say that a result may not have judged yet, by their ids. */
export function universalTexts({ terms, orders, margins }: JudgedSettings): Record<string, string> {
  return Object.fromEntries([
    ...orders.map((order) => [order.id, orderText(order, terms)]),
    ...margins.map((margin) => [margin.id, marginText(margin)]),
    ...Object.entries(atomTexts),
  ]);
}

function trainedBest(curves: readonly MTermCurve[], terms: readonly number[]): Claim {
  const own = psnrByLabel(curves)[trainletsLabel];
  const others = curves.filter(({ label }) => label !== trainletsLabel);
  const leads = terms.map((M) => own[M] - Math.max(...others.map(({ psnr }) => psnr[M])));
  return {
    ...{ id: "trained-best", source, paper: "trainlets give the highest PSNR" },
    text: `${trainletsLabel} has the highest PSNR at M = ${terms.join(", ")}`,
    measured: `${describeGains(leads, terms)} above the next`,
    holds: leads.every((lead) => lead > 0),
  };
}

function marginClaims(margins: readonly Margin[], curves: readonly MTermCurve[]): Claim[] {
  const psnr = psnrByLabel(curves);
  return margins
    .filter(({ better, than }) => better in psnr && than in psnr)
    .map((margin) => {
      const { id, better, than, decibels } = margin;
      const terms = Object.keys(decibels).map(Number);
      const gains = terms.map((M) => psnr[better][M] - psnr[than][M]);
      return {
        ...{ id, source: "ours", paper: "", text: marginText(margin) },
        measured: describeGains(gains, terms),
        holds: gains.every((gain, i) => gain >= decibels[terms[i]]),
      };
    });
}

/** `ODL is above wavelets by at least 1.7 dB at M = 20 and 1.85 dB at M = 40`. */
function marginText({ better, than, decibels }: Margin): string {
  const gains = [...new Set(Object.values(decibels))];
  const asked =
    gains.length === 1
      ? `${gains[0]} dB at M = ${Object.keys(decibels).join(" and ")}`
      : Object.entries(decibels)
          .map(([M, gain]) => `${gain} dB at M = ${M}`)
          .join(" and ");
  return `${better} is above ${than} by at least ${asked}`;
}

/** "Over twice as fast". */
const timesFaster = 2;

/** Seconds of learning, without setting up and tests. */
function speedClaims(learned: readonly LearnedSettings[], records: UniversalValues["learning"]): Claim[] {
  const [osdl, odl] = ["osdl", "odl"].map((id) => {
    const method = learned.find((one) => one.id === id);
    return method && records[method.label];
  });
  if (!osdl || !odl) return [];
  const [ours, theirs] = [osdl.learningSeconds, odl.learningSeconds];
  return [
    {
      ...{ id: "twice-as-fast", source: "§V-D" },
      text: `${trainletsLabel} is learned over twice as fast as by ODL`,
      paper: "2 days against 4.6: 2.3 times",
      measured: `${ours.toFixed(0)} s in ${grouped(osdl.updates)} mini-batches against ${theirs.toFixed(0)} s in ${grouped(odl.updates)}: ${(theirs / ours).toFixed(2)} times`,
      holds: theirs > timesFaster * ours,
    },
  ];
}
