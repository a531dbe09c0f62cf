/** A result for tests. */

import type { Result } from "./result.js";

export const sampleResult: Result = {
  experiment: "fig8",
  label: "lfw-crop64",
  quick: false,
  data: [{ role: "images", name: "faces/lfw-crop64.npy", signals: 11_000, digest: "0123456789abcdef" }],
  command: "trainlets reproduce fig8 --images faces/lfw-crop64.npy",
  settings: { patch: [64, 64], atoms: 4096 },
  device: { name: "gpu", description: "WebGPU, nvidia-h200" },
  machine: { cpu: "A processor", cores: 16, system: "linux x64", node: "20.20.2" },
  trainlets: { version: "0.1.0", commit: "1a2b3c4d5e", sources: "0011223344556677" },
  identity: { settings: "a", data: "b", program: "0.1.0", device: "gpu" },
  date: "2026-11-16T01:02:03.000Z",
  seconds: 151.25,
  stageSeconds: { "learning: trainlets (OSDL)": 21.5 },
  table: { header: ["PSNR (dB)", "M = 82"], rows: [["wavelets", "24.72"]] },
  claims: [
    {
      id: "osdl-over-wavelets",
      source: "§V-C, figure 8",
      text: "trainlets are 8 dB above wavelets",
      paper: "on the order of 8 dB",
      measured: "4.41 dB (M = 82)",
      holds: false,
    },
    {
      id: "osdl-over-pca",
      source: "§V-C, figure 8",
      text: "trainlets are above PCA",
      paper: "relatively far",
      measured: "4.12 dB (M = 82)",
      holds: true,
    },
  ],
  departures: ["One sentence."],
  values: { psnr: { wavelets: [1, 2.5, 24.72] } },
  files: ["figure-8-m-term.png", "figure-8-m-term.svg", "figure-8-atoms.png", "dictionary.npz", "index.html"],
};
