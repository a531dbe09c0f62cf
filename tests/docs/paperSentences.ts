/**
 * Every sentence of §III to §V of the paper that says something measurable, in our words, and which claims of which
 * experiments judge it. docs/claims.md is made from this list and from the results in bench/results.
 *
 * A sentence that the paper makes without a number, and that is judged by a number of ours, has `ownThreshold`
 * (docs/decisions/0022-protocols.md).
 *
 * A sentence has one of three:
 *   claims      `EXPERIMENT CLAIM-ID`, one or several; `EXPERIMENT@LABEL` for one data set alone
 *   tested      the test that checks it: a property of a construction, not of data
 *   unmeasured  why nothing here measures it
 */

import type { SpamsClaim } from "./spamsClaims.js";

export interface PaperSentence {
  readonly section: string;
  /** What it says, in plain words. */
  readonly says: string;
  /** Its value, or its own word for how much. */
  readonly paper: string;
  /** The paper has no threshold: the one it is judged at is ours. */
  readonly ownThreshold?: true;
  readonly claims?: readonly string[];
  /** Besides, with the ODL of SPAMS, which the paper used. */
  readonly withSpams?: readonly SpamsClaim[];
  readonly tested?: PaperTest;
  readonly unmeasured?: string;
}

/** A test by its title. */
export interface PaperTest {
  readonly title: string;
  readonly path: string;
}

const columns: PaperTest = { title: "give the paper's %i atoms", path: "src/wavelets/cropped.test.ts" };
const opinion = "an explanation, not a measurement";

const analytic: PaperSentence[] = [
  {
    section: "§III",
    says: "The overcomplete DCT suits small patches, but is weak for larger ones.",
    paper: "weak",
    ownThreshold: true,
    claims: ["fig7 odct-falls-behind"],
  },
  {
    section: "§III",
    says: "A separable base is applied much more cheaply than a general one of the same size.",
    paper: "typically much more efficient",
    claims: ["remarks separable-faster"],
  },
  {
    section: "§III-A",
    says: "Periodic, symmetric and zero-padded borders need additional coefficients.",
    paper: "additional non-zero coefficients",
    claims: ["fig1 fewer-wavelets"],
  },
  {
    section: "§III-A",
    says: "The extension that cropped wavelets imply has no jump at the borders.",
    paper: "no discontinuities",
    ownThreshold: true,
    claims: ["fig1 no-jump"],
  },
  {
    section: "§III-A, footnote",
    says: "With orthogonal wavelets, periodic borders approximate better than symmetric or zero-padded ones.",
    paper: "perform better",
    ownThreshold: true,
    claims: ["fig2 periodic-over-symmetric", "fig2 periodic-over-mirrored", "fig2 periodic-over-zero"],
  },
  {
    section: "§III-A, figure 2",
    says: "Periodic wavelets have substantial errors at the borders, beside those at the jump.",
    paper: "substantial",
    ownThreshold: true,
    claims: ["fig2 periodic-borders"],
  },
  {
    section: "§III-A, figure 2",
    says: "Cropped wavelets reduce the errors at the borders.",
    paper: "reduce these errors",
    claims: ["fig2 cropped-borders"],
  },
  {
    section: "§III-A",
    says: "The cropped wavelets approximate with a lower error.",
    paper: "a lower approximation error",
    claims: ["fig2 cropped-lower-error"],
  },
  {
    section: "§III-A",
    says: "Cropping to n samples from 2^(⌈log₂ n⌉+1) leaves a redundancy of at most 2 per axis if n is a power of 2.",
    paper: "at most 2",
    tested: {
      title: "has L = 2^(⌈log₂ n⌉ + 1) and the window in the middle",
      path: "src/wavelets/cropped.test.ts",
    },
  },
  {
    section: "§III-B",
    says: "For small images the separable transform is simpler and faster to apply than the cascade.",
    paper: "simpler and faster",
    ownThreshold: true,
    claims: ["remarks separable-transform-faster"],
  },
  {
    section: "§III-B, figure 3",
    says: "The atoms of the coarsest scale and of the diagonal bands are the same in both constructions.",
    paper: "the same",
    claims: ["fig3 common-atoms"],
  },
  {
    section: "§III-B, figure 3",
    says: "Only the separable construction has elongated atoms.",
    paper: "elongated",
    claims: ["fig3 separable-elongated", "fig3 traditional-square"],
  },
  {
    section: "§III-C, figure 4",
    says: "Separable wavelets represent patches of 64×64 somewhat better than the usual ones.",
    paper: "some advantage",
    claims: ["fig4 separable-over-usual"],
  },
  {
    section: "§III-C, figure 4",
    says: "Cropped separable wavelets represent them better still.",
    paper: "even better",
    claims: ["fig4 cropped-over-separable"],
  },
];

const algorithms: PaperSentence[] = [
  {
    section: "§IV-A",
    says: "The step (10) is optimal where the support stays the same, and its search guarantees a lower cost.",
    paper: "guaranteed",
    tested: {
      title: "takes the step of (10), which is the best possible one, if the support stays",
      path: "src/learn/learners/atomwise/niht.test.ts",
    },
  },
  {
    section: "§IV-A",
    says: "Alternating between coding and NIHT never raises the cost.",
    paper: "monotonic",
    tested: {
      title: "never raises its cost over 20 iterations",
      path: "src/learn/learners/atomwise/nihtBatch.test.ts",
    },
  },
  {
    section: "§IV-B",
    says: "Falling steps keep the guarantee that the cost of the example falls.",
    paper: "does not compromise",
    tested: {
      title: "D3 decay first: the step is divided by 1 + t/T, and the step taken meets the condition",
      path: "src/learn/learners/atomwise/niht.test.ts",
    },
  },
  {
    section: "§IV-B",
    says: "Training converged in all experiments (judged in experiment 1).",
    paper: "convergence is reached in all our experiments",
    ownThreshold: true,
    claims: [
      "fig5 12x12-k7-converged",
      "fig5 12x12-k36-converged",
      "fig5 20x20-k20-converged",
      "fig5 20x20-k40-converged",
      "fig5 32x32-k20-converged",
      "fig5 32x32-k51-converged",
    ],
  },
  {
    section: "§IV-C",
    says: "Updating atom by atom is slower than a global update.",
    paper: "slower",
    claims: [
      "fig5 12x12-k7-atomwise-slower",
      "fig5 12x12-k36-atomwise-slower",
      "fig5 20x20-k20-atomwise-slower",
      "fig5 20x20-k40-atomwise-slower",
      "fig5 32x32-k20-atomwise-slower",
      "fig5 32x32-k51-atomwise-slower",
    ],
  },
  {
    section: "§IV-C",
    says: "The Gram matrix needs only the rows and columns of the atoms that changed.",
    paper: "only the respective rows and columns",
    tested: {
      title: "keeps G and the scales consistent with the atoms over 250 batches",
      path: "src/learn/learners/osdl.test.ts",
    },
  },
  {
    section: "§IV-C",
    says: "Only a few atoms are updated each time.",
    paper: "only a few atoms",
    ownThreshold: true,
    claims: ["remarks few-atoms-used"],
  },
  {
    section: "§IV-C",
    says: "Momentum can speed up convergence.",
    paper: "can speed up",
    claims: ["remarks 12x12-k36-momentum", "remarks 20x20-k40-momentum", "remarks 32x32-k51-momentum"],
  },
];

const complexity: PaperSentence[] = [
  {
    section: "§IV-D",
    says: "A mini-batch of OSDL takes O(N n²(√m + k) + m² log m).",
    paper: "O(N n²(√m + k) + m² log m)",
    ownThreshold: true,
    claims: [
      "complexity grows-with-n",
      "complexity grows-with-k",
      "complexity grows-with-batch",
      "complexity grows-with-m",
    ],
  },
  {
    section: "§IV-D",
    says: "That is an advantage over online learning of explicit dictionaries, which takes O(N n³).",
    paper: "O(N n³)",
    claims: ["complexity odl-grows-faster", "complexity osdl-cheaper"],
  },
  {
    section: "§IV-D",
    says: "The number of non-zeros per atom, k, determines the complexity.",
    paper: "determines",
    ownThreshold: true,
    claims: ["complexity k-determines-time"],
  },
  {
    section: "§IV-D",
    says: "The non-zeros per atom may have to grow less than linearly with n.",
    paper: "might be less than linear",
    ownThreshold: true,
    claims: ["fig5 non-zeros-below-linear"],
  },
];

const belowSpams: readonly SpamsClaim[] = [
  { rule: "below", side: 32, atomSparsity: 20 },
  { rule: "below", side: 32, atomSparsity: 51 },
];

const learning: PaperSentence[] = [
  {
    section: "§V-A",
    says: "The base has a redundancy of 1.75 per axis, just over 3 in all, at all three sizes.",
    paper: "1.75; just over 3",
    claims: ["fig5 base-redundancy"],
  },
  {
    section: "§V-A, figure 5",
    says: "The online methods converge much faster than the batch method.",
    paper: "much faster",
    ownThreshold: true,
    claims: [
      "fig5 12x12-k7-faster-than-sparse-ksvd",
      "fig5 12x12-k36-faster-than-sparse-ksvd",
      "fig5 20x20-k20-faster-than-sparse-ksvd",
      "fig5 20x20-k40-faster-than-sparse-ksvd",
      "fig5 32x32-k20-faster-than-sparse-ksvd",
      "fig5 32x32-k51-faster-than-sparse-ksvd",
      "fig5 12x12-k7-faster-than-sparse-ksvd-to-the-end",
      "fig5 12x12-k36-faster-than-sparse-ksvd-to-the-end",
      "fig5 20x20-k20-faster-than-sparse-ksvd-to-the-end",
      "fig5 20x20-k40-faster-than-sparse-ksvd-to-the-end",
      "fig5 32x32-k20-faster-than-sparse-ksvd-to-the-end",
      "fig5 32x32-k51-faster-than-sparse-ksvd-to-the-end",
      "fig5 12x12-k7-niht-faster-than-sparse-ksvd",
      "fig5 12x12-k36-niht-faster-than-sparse-ksvd",
      "fig5 20x20-k20-niht-faster-than-sparse-ksvd",
      "fig5 20x20-k40-niht-faster-than-sparse-ksvd",
      "fig5 32x32-k20-niht-faster-than-sparse-ksvd",
      "fig5 32x32-k51-niht-faster-than-sparse-ksvd",
      "fig5 12x12-k7-odl-faster-than-sparse-ksvd",
      "fig5 12x12-k36-odl-faster-than-sparse-ksvd",
      "fig5 20x20-k20-odl-faster-than-sparse-ksvd",
      "fig5 20x20-k40-odl-faster-than-sparse-ksvd",
      "fig5 32x32-k20-odl-faster-than-sparse-ksvd",
      "fig5 32x32-k51-odl-faster-than-sparse-ksvd",
    ],
  },
  {
    section: "§V-A, figure 5",
    says: "For small patches there is little difference between Algorithm 1 and OSDL.",
    paper: "little difference",
    ownThreshold: true,
    claims: ["fig5 12x12-k7-niht", "fig5 12x12-k36-niht"],
  },
  {
    section: "§V-A, figure 5",
    says: "The difference grows with the size of the patches.",
    paper: "more prominent as the dimension increases",
    ownThreshold: true,
    claims: ["fig5 niht-gap-grows-smaller-k", "fig5 niht-gap-grows-larger-k"],
  },
  {
    section: "§V-A, figure 5",
    says: "For larger patches Algorithm 1 converges slower than OSDL, and to a higher error.",
    paper: "converge slower; more prone to local minima",
    ownThreshold: true,
    claims: [
      "fig5 20x20-k20-niht",
      "fig5 20x20-k40-niht",
      "fig5 32x32-k20-niht",
      "fig5 32x32-k51-niht",
      "fig5 20x20-k20-niht-slower",
      "fig5 20x20-k40-niht-slower",
      "fig5 32x32-k20-niht-slower",
      "fig5 32x32-k51-niht-slower",
    ],
  },
  {
    section: "§V-A, figure 5",
    says: "More non-zeros per atom represent better.",
    paper: "increases",
    claims: [
      "fig5 12x12-k36-more-non-zeros",
      "fig5 20x20-k40-more-non-zeros",
      "fig5 32x32-k51-more-non-zeros",
    ],
  },
  {
    section: "§V-A, figure 5",
    says: "OSDL is as good as dense ODL with 25 % non-zeros at 12×12.",
    paper: "the same performance with 25 %",
    ownThreshold: true,
    claims: ["fig5 12x12-k36-osdl-meets-odl"],
    withSpams: [{ rule: "meets", side: 12, atomSparsity: 36 }],
  },
  {
    section: "§V-A, figure 5",
    says: "OSDL is as good as dense ODL with fewer non-zeros the larger the patch: 10 % at 20×20, about 2 % at 32×32.",
    paper: "the same performance with 10 %, ≈ 2 %",
    ownThreshold: true,
    claims: [
      "fig5 20x20-k40-osdl-meets-odl",
      "fig5 32x32-k20-osdl-meets-odl",
      "fig5 32x32-k51-osdl-meets-odl",
    ],
    withSpams: [
      { rule: "meets", side: 20, atomSparsity: 40 },
      { rule: "meets", side: 32, atomSparsity: 20 },
      { rule: "meets", side: 32, atomSparsity: 51 },
    ],
  },
  {
    section: "§V-A, figure 5",
    says: "At 32×32 OSDL converges faster than ODL.",
    paper: "faster convergence",
    claims: ["fig5 32x32-k20-faster-than-odl", "fig5 32x32-k51-faster-than-odl"],
    withSpams: [
      { rule: "sooner and below", side: 32, atomSparsity: 20 },
      { rule: "sooner and below", side: 32, atomSparsity: 51 },
    ],
  },
  {
    section: "§V-A, figure 5",
    says: "At 32×32 OSDL ends with a lower error than ODL.",
    paper: "a lower minimum",
    claims: ["fig5 32x32-k20-below-odl", "fig5 32x32-k51-below-odl"],
    withSpams: belowSpams,
  },
  {
    section: "§V-A",
    says: "The fewer degrees of freedom of sparse atoms are an advantage where data are few: at 32×32 with 200,000 patches.",
    paper: "beneficial",
    ownThreshold: true,
    claims: ["fig5 32x32-k20-below-odl", "fig5 32x32-k51-below-odl"],
    withSpams: belowSpams,
  },
  {
    section: "§V-A, figure 6",
    says: "The global step (13) is a fair approximation of the mean step of the atoms.",
    paper: "a fair approximation",
    ownThreshold: true,
    claims: ["fig6 close-to-the-mean"],
  },
  {
    section: "§V-A, figure 6",
    says: "Its square, which is NIHT's formula, would be too small.",
    paper: "too conservative",
    ownThreshold: true,
    claims: ["fig6 square-too-small"],
  },
  {
    section: "§V-A, figure 6",
    says: "With the square, convergence would be substantially slower.",
    paper: "substantially slower convergence",
    unmeasured: "no learner here takes the square of (13) as its step",
  },
];

const denoising: PaperSentence[] = [
  {
    section: "§V-B",
    says: "Larger patches than the 8×8 of K-SVD are of benefit.",
    paper: "benefit",
    claims: ["fig7 larger-patches-over-ksvd"],
  },
  {
    section: "§V-B, figure 7",
    says: "Sparse K-SVD over the ODCT does not scale with the size of patches.",
    paper: "does not scale well",
    claims: ["fig7 odct-does-not-scale"],
  },
  {
    section: "§V-B, figure 7",
    says: "Cropped wavelets instead of the ODCT raise Sparse K-SVD.",
    paper: "nearly 0.4 dB",
    claims: ["fig7 cropped-raises-sparse-ksvd"],
  },
  {
    section: "§V-B, figure 7",
    says: "Cropped wavelets raise OSDL in the same way.",
    paper: "a similar effect",
    ownThreshold: true,
    claims: ["fig7 cropped-raises-osdl"],
  },
  {
    section: "§V-B, figure 7",
    says: "OSDL over cropped wavelets is the best.",
    paper: "the best",
    claims: ["fig7 osdl-cropped-best"],
  },
  {
    section: "§V-B",
    says: "Still larger patches lose again, even with OSDL over cropped wavelets.",
    paper: "decreasing",
    claims: ["fig7 osdl-falls-at-last"],
  },
  {
    section: "§V-B",
    says: "For large patches, one picture may have too few examples to learn from.",
    paper: "might become a limiting factor",
    claims: ["fig7 limited-by-data"],
  },
  {
    section: "§V-B",
    says: "One size for all patches is not optimal.",
    paper: "clearly not optimal",
    unmeasured:
      "the paper means the patches of one picture, and every picture here has patches of one size; a claim of ours is about the best size for each picture",
  },
];

const faces: PaperSentence[] = [
  {
    section: "§V-C, figure 8b",
    says: "On aligned faces the trained dictionary is far above wavelets at the same number of coefficients.",
    paper: "on the order of 8 dB",
    claims: ["fig8@aligned osdl-over-wavelets"],
  },
  {
    section: "§V-C, figure 8b",
    says: "Cropped wavelets are better than the usual ones.",
    paper: "better",
    claims: ["fig8 cropped-over-wavelets"],
  },
  {
    section: "§V-C, figure 8b",
    says: "Training gains substantially over the cropped wavelets, with half of their redundancy.",
    paper: "a substantial difference",
    claims: ["fig8 osdl-over-cropped"],
  },
  {
    section: "§V-C, figure 8b",
    says: "SeDiL has difficulties with aligned faces: separable atoms do not approximate them well.",
    paper: "difficulties",
    ownThreshold: true,
    claims: ["fig8@aligned osdl-over-sedil", "fig8@aligned sedil-not-over-cropped"],
  },
  {
    section: "§V-C, figure 8b",
    says: "PCA is better than wavelets on aligned faces.",
    paper: "better",
    claims: ["fig8@aligned pca-over-wavelets-aligned"],
  },
  {
    section: "§V-C, figure 8b",
    says: "PCA is still relatively far from OSDL.",
    paper: "relatively far",
    claims: ["fig8 osdl-over-pca"],
  },
  {
    section: "§V-C, figure 8c",
    says: "The gain does not rely on aligned faces: it is there in the wild, too.",
    paper: "does not rely",
    ownThreshold: true,
    claims: ["fig8@lfw gain-in-the-wild"],
  },
  {
    section: "§V-C, figure 8c",
    says: "In the wild PCA is inferior.",
    paper: "inferior",
    ownThreshold: true,
    claims: ["fig8@lfw pca-below-wavelets-in-the-wild"],
  },
  {
    section: "§V-C, figure 8c",
    says: "In the wild SeDiL is below OSDL, by 1 dB.",
    paper: "1 dB",
    ownThreshold: true,
    claims: ["fig8@lfw osdl-over-sedil-in-the-wild", "fig8@lfw osdl-over-sedil"],
  },
  {
    section: "§V-C, figure 8c",
    says: "SeDiL does better on faces in the wild than on aligned ones.",
    paper: "performs better in this dataset",
    unmeasured:
      "the two sets differ in more than their alignment; the distances of SeDiL to OSDL are in the rows above",
  },
];

const universal: PaperSentence[] = [
  {
    section: "§V-D",
    says: "Base and A together have a redundancy of about 6 at 32×32; the base one of 2.44 at 64×64.",
    paper: "6; 2.44",
    tested: columns,
  },
  {
    section: "§V-D",
    says: "Contourlets have a redundancy of 1.33, cropped ones of 5.3.",
    paper: "1.33; 5.3",
    tested: { title: "have the redundancy of the pyramid, 1.33", path: "src/wavelets/contourlets.test.ts" },
  },
  {
    section: "§V-D",
    says: "Cropped contourlets, which are not separable, are considerably less efficient to compute.",
    paper: "considerably less efficient",
    ownThreshold: true,
    claims: ["remarks contourlets-slower"],
  },
  {
    section: "§V-D",
    says: "Thresholding is not optimal for redundant dictionaries; a pursuit is.",
    paper: "not optimal",
    claims: ["remarks pursuit-over-thresholding"],
  },
  {
    section: "§V-D, figure 9",
    says: "The atoms are of many kinds: piece-wise constant, textures, edges, Fourier, Gabor and contourlet-like.",
    paper: "very different types",
    ownThreshold: true,
    claims: ["universal32 kinds-of-atoms"],
  },
  {
    section: "§V-D, figure 10",
    says: "One pattern appears at different places in different atoms.",
    paper: "similar patterns may appear",
    ownThreshold: true,
    claims: ["universal32 recurring-patterns", "universal64 recurring-patterns"],
  },
  {
    section: "§V-D, figure 11a",
    says: "Contourlets are slightly better than wavelets.",
    paper: "slightly better",
    claims: [
      "fig11 contourlets-over-wavelets-32",
      "fig11 contourlets-over-wavelets-64",
      "universal32 contourlets-over-wavelets",
      "universal64 contourlets-over-wavelets",
    ],
  },
  {
    section: "§V-D, figure 11a",
    says: "Cropping improves both a lot.",
    paper: "significantly enhances",
    claims: [
      "fig11 cropped-over-wavelets-32",
      "fig11 cropped-over-contourlets-32",
      "fig11 cropped-over-wavelets-64",
      "fig11 cropped-over-contourlets-64",
      "universal32 cropped-over-wavelets",
      "universal64 cropped-over-wavelets",
      "universal32 cropped-over-contourlets",
      "universal64 cropped-over-contourlets",
    ],
  },
  {
    section: "§V-D, figure 11a",
    says: "Cropped wavelets are slightly better than cropped contourlets.",
    paper: "a slight advantage",
    claims: [
      "fig11 cropped-wavelets-over-cropped-contourlets-32",
      "fig11 cropped-wavelets-over-cropped-contourlets-64",
      "universal32 cropped-wavelets-over-cropped-contourlets",
      "universal64 cropped-wavelets-over-cropped-contourlets",
    ],
  },
  {
    section: "§V-D, figure 11a",
    says: "The trained atoms have the highest PSNR at 32×32, above ODL.",
    paper: "the highest",
    claims: ["universal32 trained-best", "universal32 osdl-over-odl"],
  },
  {
    section: "§V-D",
    says: "OSDL learns in less than half of the time of ODL.",
    paper: "2 days against 4.6",
    claims: ["universal32 twice-as-fast"],
  },
  {
    section: "§V-D",
    says: "The sparse structure helps also where data are many, by avoiding local minima.",
    paper: "a conjecture",
    unmeasured: opinion,
  },
  {
    section: "§V-D, figure 11b",
    says: "The trained atoms are again the best at 64×64.",
    paper: "the best",
    claims: ["universal64 trained-best", "universal64 osdl-over-odl"],
  },
  {
    section: "§V-D, figure 11c",
    says: "Atoms of 64×64 are of many kinds, from local to global.",
    paper: "many different types",
    ownThreshold: true,
    claims: ["universal64 kinds-of-atoms"],
  },
];

export const paperSentences: readonly PaperSentence[] = [
  ...analytic,
  ...algorithms,
  ...complexity,
  ...learning,
  ...denoising,
  ...faces,
  ...universal,
];

/** Claims that are ours, not the paper's; they have a section of their own. */
export const ownClaims: readonly string[] = [
  "fig2 jump-no-larger",
  "fig5 12x12-k36-osdl-average-meets-odl",
  "fig5 20x20-k40-osdl-average-meets-odl",
  "fig5 32x32-k20-osdl-average-meets-odl",
  "fig5 32x32-k51-osdl-average-meets-odl",
  "fig5 12x12-k36-sparse-odl-meets-odl",
  "fig5 20x20-k40-sparse-odl-meets-odl",
  "fig5 32x32-k20-sparse-odl-meets-odl",
  "fig5 32x32-k51-sparse-odl-meets-odl",
  "fig7 size-per-picture",
  "remarks 12x12-k36-few-examples",
  "remarks 20x20-k40-few-examples",
  "remarks 32x32-k51-few-examples",
  "remarks 12x12-k36-few-examples-other-start",
  "remarks 20x20-k40-few-examples-other-start",
  "remarks 32x32-k51-few-examples-other-start",
  "universal32 trained-over-base",
  "universal32 separable-over-usual",
  "universal32 shorter-codes-over-osdl",
  "universal32 shorter-codes-over-base",
  "universal32 sparse-odl-over-osdl",
  "universal32 sparse-odl-over-odl",
  "universal64 separable-over-usual",
  "universal64 continued-over-cropped-wavelets",
  "universal64 continued-over-cropped-contourlets",
  "universal64 continued-over-odl",
  "universal64 continued-over-continued-odl",
];
