/** Figure 3: both constructions of 2-D Haar atoms, each atom at the place of its coefficient. */

import { DenseMatrix } from "../../core/matrix.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { pictureRow } from "../../figures/charts/pictureRow.js";
import { wavelet } from "../../wavelets/filters.js";
import { type PlaneConstruction, placedAtoms } from "../../wavelets/placedAtoms.js";
import { chooseSettings, recordSettings } from "../shared/chooseSettings.js";
import type { ExperimentOptions, ExperimentRun, Outcome } from "../shared/experiment.js";
import { claimSection, svgFigure, svgSection, withPage } from "../shared/outcomeFiles.js";
import type { HaarSettings } from "./settings.js";

/** The experiment with these options, checked. */
export function prepareHaar(settings: HaarSettings, options: ExperimentOptions): ExperimentRun {
  const chosen = chooseSettings(settings, options, []);
  return async () => runHaar(chosen);
}

function runHaar(settings: HaarSettings): Outcome {
  const start = performance.now();
  const { size } = settings;
  const separable = atomsOf(settings, "separable");
  const traditional = atomsOf(settings, "usual");
  const constructions = [
    { title: "separable", atoms: separable, elongations: elongations(separable, size) },
    { title: "traditional", atoms: traditional, elongations: elongations(traditional, size) },
  ];
  const common = countCommon(separable, traditional);
  const [longest, longestTraditional] = constructions.map((one) => Math.max(...one.elongations));
  const claims = [
    {
      id: "common-atoms",
      source: "§III-B, figure 3",
      paper: "the coarsest scale and the diagonal bands are the same in both",
      measured: `${common} atoms`,
      text: `both constructions have ${settings.common} of the ${size * size} atoms in common`,
      holds: common === settings.common,
    },
    {
      id: "traditional-square",
      source: "§III-B, figure 3",
      text: "every traditional atom is as wide as it is high",
      paper: "elongated atoms appear in the separable case",
      measured: `${longestTraditional} : 1 at most`,
      holds: longestTraditional === 1,
    },
    {
      id: "separable-elongated",
      source: "§III-B, figure 3",
      paper: "elongated atoms, mixing a low scale in one direction with a high scale in the other",
      measured: `${longest} : 1 at most`,
      text: `separable atoms are up to ${size / 2} times as long as they are wide`,
      holds: longest === size / 2,
    },
  ];
  const figure = pictureRow(
    constructions.map(({ title, atoms }) => ({
      title,
      picture: atomGallery(atoms, [size, size], { columns: size, magnify: 6, gap: 6 }),
    })),
  );
  const file = svgFigure(
    "figure-3-haar-atoms.svg",
    figure,
    `Figure 3: the 2-D Haar atoms of ${size}×${size} patches, separable and traditional.`,
  );
  const header = ["construction", "elongated atoms", "length : width, at most"];
  const rows = constructions.map((one) => [
    one.title,
    String(one.elongations.filter((elongation) => elongation > 1).length),
    `${Math.max(...one.elongations)} : 1`,
  ]);
  const files = withPage([file], {
    title: "Figure 3: 2-D Haar atoms, separable and traditional",
    lead: `All ${size * size} atoms of ${size}×${size} patches, each at the place of its coefficient. White is positive, grey is zero, black is negative.`,
    sections: [
      svgSection(file, {
        caption:
          "Scales become finer from left to right across the patch, and from top to bottom along it. Separable atoms may have different scales in the two directions, traditional ones may not.",
      }),
      { kind: "table", header, rows },
      claimSection(claims),
    ],
  });
  return {
    header,
    rows,
    claims,
    values: {
      common,
      elongations: Object.fromEntries(constructions.map((one) => [one.title, one.elongations])),
    },
    settings: recordSettings(settings),
    departures: settings.departures,
    stageSeconds: { drawing: (performance.now() - start) / 1000 },
    files,
  };
}

function atomsOf({ size, wavelet: name }: HaarSettings, construction: PlaneConstruction): DenseMatrix {
  const { rows, cols, data } = placedAtoms(size, wavelet(name), construction);
  return new DenseMatrix(rows, cols, Float32Array.from(data));
}

/** For each atom, how many times as long as wide its support is. */
function elongations(atoms: DenseMatrix, size: number): number[] {
  return Array.from({ length: atoms.cols }, (_, j) => {
    const used = [...atoms.column(j).keys()].filter((i) => Math.abs(atoms.column(j)[i]) > 1e-6);
    const rows = new Set(used.map((i) => Math.floor(i / size))).size;
    const columns = new Set(used.map((i) => i % size)).size;
    return Math.max(rows / columns, columns / rows);
  });
}

/** Atoms that are in both matrices. */
function countCommon(a: DenseMatrix, b: DenseMatrix): number {
  const key = (atoms: DenseMatrix, j: number) =>
    Array.from(atoms.column(j), (v) => v.toFixed(4))
      .join()
      .replaceAll("-0.0000", "0.0000");
  const known = new Set(Array.from({ length: a.cols }, (_, j) => key(a, j)));
  return Array.from({ length: b.cols }, (_, j) => key(b, j)).filter((text) => known.has(text)).length;
}
