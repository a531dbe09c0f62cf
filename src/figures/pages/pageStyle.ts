/**
 * The style sheet of `htmlPage`, light or dark as the reader prefers. In both, all text
 * has a contrast of at least 4.5 : 1 with its background. Figures are black on white,
 * so they have a white background in both; `charts` take the page's colours.
 */

export const pageStyle = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --ink: #1c2127; --faint: #57606a; --line: #d5dae0;
  --panel: #f5f7f9; --best: #e3f1fb; --accent: #0068a8; --holds: #17692d; --fails: #9a4300;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15181c; --ink: #e4e8ec; --faint: #9aa5b1; --line: #343b43;
    --panel: #1d2126; --best: #123349; --accent: #6cbcf0; --holds: #63c97a; --fails: #f0a35e;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif;
}
header, main, footer { max-width: 62rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 3rem; }
h1 { margin: 0 0 .5rem; font-size: clamp(1.6rem, 4vw, 2.2rem); line-height: 1.2; letter-spacing: -.01em; }
h2 { margin: 3rem 0 .75rem; font-size: 1.3rem; line-height: 1.3; }
p { max-width: 44rem; margin: .75rem 0; }
.lead { color: var(--faint); font-size: 1.15rem; }
figure { margin: 1.25rem 0; }
figure > a { display: block; width: fit-content; max-width: 100%; }
figure img, figure svg {
  display: block; max-width: 100%; height: auto;
  background: #ffffff; border: 1px solid var(--line); border-radius: 6px;
}
figure img.pixelated { width: 44rem; image-rendering: pixelated; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; }
.charts figure { margin: 0; }
.charts figure > svg { width: 100%; background: none; }
a { color: var(--accent); }
a:hover > img, a:hover > svg, a:focus-visible > img, a:focus-visible > svg { border-color: var(--accent); }
main > ul { max-width: 44rem; margin: .75rem 0; padding-left: 1.25rem; }
main > ul.claims { max-width: none; margin: 1.25rem 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.claims li {
  display: grid; grid-template-columns: 8rem 1fr 1fr; gap: .25rem 1.5rem;
  padding: .6rem .25rem; border-bottom: 1px solid var(--line);
}
.claims p { margin: 0; }
.claims .outcome { font-weight: 600; white-space: nowrap; }
.claims .holds { color: var(--holds); }
.claims .fails { color: var(--fails); }
.claims .undecided { color: var(--faint); }
.claims .source { color: var(--faint); font-size: .875rem; }
.claims dl { align-content: start; gap: .1rem .75rem; margin: 0; padding: 0; background: none; border: 0; }
figcaption, caption { color: var(--faint); font-size: .925rem; text-align: left; }
figcaption { max-width: 44rem; margin-top: .5rem; }
caption { padding-bottom: .5rem; }
.scroll { overflow-x: auto; margin: 1.25rem 0; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; min-width: min(100%, 30rem); font-variant-numeric: tabular-nums; }
th, td { padding: .45rem .9rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid var(--line); font-size: .925rem; }
tbody th { font-weight: normal; min-width: 9rem; }
th.number, td.number { text-align: right; white-space: nowrap; }
tr.best > * { background: var(--best); font-weight: 600; }
.mark { color: var(--accent); font-size: .8rem; font-weight: 600; white-space: nowrap; }
dl {
  display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.5rem;
  margin: 1.25rem 0; padding: 1rem 1.25rem;
  background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
}
.facts {
  grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem;
  padding: 0; background: none; border: 0;
}
.facts > div { padding: .6rem .9rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
.facts dd { font-size: 1.25rem; font-weight: 600; line-height: 1.35; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
footer { margin-top: 3.5rem; padding-top: 1rem; padding-bottom: 2.5rem; color: var(--faint); font-size: .9rem; }
@media (max-width: 34rem) {
  figure { overflow-x: auto; }
  figure > a { max-width: none; }
  figure img { max-width: none; width: 36rem; }
  figure > svg, figure > a > svg { max-width: none; width: var(--least); }
  .claims li { grid-template-columns: 1fr; }
  .claims dl:not(.facts) { grid-template-columns: max-content 1fr; gap: 0 .75rem; }
  .claims dl:not(.facts) dd { margin-bottom: 0; }
  th, td { padding: .4rem .5rem; }
  thead th.number { white-space: normal; }
  tbody th { min-width: 6rem; }
  caption { display: block; width: max-content; max-width: calc(100vw - 2.5rem); }
  dl:not(.facts) { grid-template-columns: 1fr; gap: 0; }
  dl:not(.facts) dd { margin-bottom: .6rem; }
  .facts { grid-template-columns: 1fr 1fr; }
}
@media print { header { padding-top: 0; } figure, table, dl { break-inside: avoid; } }
`;
