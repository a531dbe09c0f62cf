/** Figure 3: both constructions of 2-D Haar atoms, in the places of their coefficients. */

import { DenseMatrix } from "../../core/matrix.js";
import { atomGallery } from "../../figures/atoms/atomGallery.js";
import { pictureRow } from "../../figures/charts/pictureRow.js";
import { htmlPage } from "../../figures/pages/htmlPage.js";
import { kron } from "../../linalg/matrix64.js";
import { version } from "../../model/version.js";
import { forwardCascade } from "../../wavelets/cascade.js";
import { wavelet } from "../../wavelets/filters.js";
import { periodicSynthesisMatrix } from "../../wavelets/synthesisMatrix.js";
import { maxLevels } from "../../wavelets/transform.js";
import type { Outcome } from "../shared/experiment.js";
import { claimSection, textFile } from "../shared/pageParts.js";
import type { HaarConfig } from "./config.js";

export function runHaar(config: HaarConfig): Outcome {
  const { size } = config;
  const constructions = [
    { title: "separable", atoms: separableAtoms(config) },
    { title: "usual (traditional)", atoms: cascadeAtoms(config) },
  ].map((one) => ({ ...one, lengths: supports(one.atoms, size) }));
  const [separable, usual] = constructions as [(typeof constructions)[0], (typeof constructions)[0]];
  const common = countCommon(separable.atoms, usual.atoms);
  const longest = (lengths: readonly number[]) => Math.max(...lengths);
  const claims = [
    {
      text: `${config.common} of the ${size * size} atoms are the same in both`,
      holds: common === config.common,
    },
    { text: "the usual atoms are as wide as they are high", holds: longest(usual.lengths) === 1 },
    {
      text: "separable ones are up to four times as long",
      holds: longest(separable.lengths) === size / 2,
    },
  ];
  const figure = pictureRow(
    constructions.map(({ title, atoms }) => ({
      title,
      picture: atomGallery(atoms, [size, size], { columns: size, magnify: 6, gap: 4 }),
    })),
  );
  const header = ["construction", "elongated atoms", "longest : widest"];
  const rows = constructions.map(({ title, lengths }) => [
    title,
    String(lengths.filter((length) => length > 1).length),
    `${longest(lengths)} : 1`,
  ]);
  const page = htmlPage({
    title: "2-D Haar atoms, separable and usual",
    lead: `All ${size * size} atoms of ${size}×${size} patches, in the places of their coefficients. White is positive, grey zero.`,
    sections: [{ kind: "svg", svg: figure }, { kind: "table", header, rows }, claimSection(claims)],
    footer: `trainlets ${version}`,
  });
  return {
    header,
    rows,
    claims,
    values: { common },
    files: [textFile("figure-3-haar-atoms.svg", figure), textFile("index.html", page)],
  };
}

/** Φ₁ ⊗ Φ₁: atom (i, j) is the product of the 1-D atoms i and j. */
function separableAtoms({ size, wavelet: name }: HaarConfig): DenseMatrix {
  const W = periodicSynthesisMatrix(size, wavelet(name), maxLevels(size));
  return new DenseMatrix(size * size, size * size, Float32Array.from(kron(W, W).data));
}

/** The rows of the orthonormal cascade. */
function cascadeAtoms({ size, wavelet: name }: HaarConfig): DenseMatrix {
  const n = size * size;
  const atoms = new DenseMatrix(n, n);
  for (let sample = 0; sample < n; sample++) {
    const unit = new Float64Array(n);
    unit[sample] = 1;
    forwardCascade(unit, [size, size], wavelet(name)).forEach((value, atom) => {
      atoms.data[atom * n + sample] = value;
    });
  }
  return atoms;
}

/** Of each atom, how many times its support is longer than wide. */
function supports(atoms: DenseMatrix, size: number): number[] {
  return Array.from({ length: atoms.cols }, (_, j) => {
    const used = [...atoms.column(j).keys()].filter((i) => Math.abs(atoms.column(j)[i]) > 1e-6);
    const rows = new Set(used.map((i) => Math.floor(i / size))).size;
    const columns = new Set(used.map((i) => i % size)).size;
    return Math.max(rows / columns, columns / rows);
  });
}

function countCommon(a: DenseMatrix, b: DenseMatrix): number {
  const key = (atoms: DenseMatrix, j: number) =>
    Array.from(atoms.column(j), (v) => v.toFixed(4))
      .join()
      .replaceAll("-0.0000", "0.0000");
  const known = new Set(Array.from({ length: a.cols }, (_, j) => key(a, j)));
  return Array.from({ length: b.cols }, (_, j) => key(b, j)).filter((text) => known.has(text)).length;
}
