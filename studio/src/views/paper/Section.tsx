/** A section of the article: its heading, its text, and one thing to touch. */

import type { ComponentChildren } from "preact";

export interface SectionProps {
  readonly id: string;
  readonly title: string;
  /** Where it is in the paper. */
  readonly source: string;
  readonly text: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ id, title, source, text, children }: SectionProps) {
  return (
    <section id={`paper-${id}`} aria-labelledby={`paper-${id}-title`}>
      <p class="source">{source}</p>
      <h2 id={`paper-${id}-title`} tabIndex={-1}>
        {title}
      </h2>
      <div class="prose">{text}</div>
      <div class="touch">{children}</div>
    </section>
  );
}
