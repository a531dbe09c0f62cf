/** What a reader must know of how a stored result was measured, by its file: below its table, and beside its departures. */
export const runNotes: Readonly<Record<string, string>> = {
  "fig5.json":
    "Other work ran beside it at the lowest priority, so its seconds are too long, and unevenly: the same runs of OSDL took 1.5 to 2.6 times less in `npm run bench -- odl`.",
  "fig7.json":
    "Put together from parts that were computed on several machines: most patches up to 20×20 and some of 24×24 on `cpu`, one thread each, the others on the H200, eight at a time. So seconds say little. σ = 15 and σ = 50 were computed on `cpu`, one thread each.",
  "fig8-lfw-crop64.json": "It shared the GPU and the processor with other work, so its seconds are too long.",
  "fig8-utkface-aligned64.json":
    "It shared the GPU and the processor with other work, so its seconds are too long.",
  "universal32.json": "It shared the processor with other work, so its seconds are somewhat too long.",
  "universal64.json": "It shared the processor with other work, so its seconds are somewhat too long.",
};
