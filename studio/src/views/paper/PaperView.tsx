/** The paper, touchable: one long page, a section for each of its ideas. */

import "./paper.css";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { addressed, addressOf, text } from "../../app/address";
import { AtomsSection } from "./AtomsSection";
import { BordersSection } from "./BordersSection";
import { OmpSection } from "./OmpSection";
import { RaceSection } from "./RaceSection";
import { SparsitySection } from "./SparsitySection";

const sections = [
  { id: "borders", title: "Borders" },
  { id: "atoms", title: "Separable and usual atoms" },
  { id: "sparsity", title: "Double sparsity" },
  { id: "omp", title: "OMP, step by step" },
  { id: "race", title: "Online learning" },
] as const;

/** The section that the address asks for; empty for the top. */
const asked = addressed("at", "", text);
/** The section in view. */
const current = signal("");

function show(id: string): void {
  const heading = document.getElementById(`paper-${id}-title`);
  heading?.scrollIntoView({ block: "start" });
  heading?.focus({ preventScroll: true });
}

export default function PaperView() {
  useEffect(() => {
    if (asked.value) requestAnimationFrame(() => show(asked.value));
    const seen = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries)
          if (isIntersecting) current.value = target.id.replace("paper-", "");
      },
      { rootMargin: "-30% 0px -60% 0px" },
    );
    for (const section of document.querySelectorAll(".paper section")) seen.observe(section);
    return () => seen.disconnect();
  }, []);
  return (
    <div class="paper">
      <nav class="contents" aria-label="Sections">
        <ol>
          {sections.map(({ id, title }) => (
            <li key={id}>
              <a
                href={addressOf("paper", { at: id })}
                aria-current={current.value === id ? "location" : undefined}
                onClick={(event) => {
                  event.preventDefault();
                  asked.set(id);
                  show(id);
                }}
              >
                {title}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <article>
        <header>
          <h1>The paper, touchable</h1>
          <p class="lead">
            <em>Trainlets: Dictionary Learning in High Dimensions</em> by Jeremias Sulam, Boaz Ophir, Michael
            Zibulevsky and Michael Elad (2016) makes dictionaries of whole small pictures possible. Its five
            ideas, each with something to move. Every number is computed in this page, by the library itself.
          </p>
        </header>
        <BordersSection />
        <AtomsSection />
        <SparsitySection />
        <OmpSection />
        <RaceSection />
      </article>
    </div>
  );
}
