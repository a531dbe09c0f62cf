/** Pieces of formulas in MathML. */

import type { ComponentChildren } from "preact";

/** A formula on a line of its own, with its number in the paper. */
export function Equation({
  children,
  number,
}: {
  readonly children: ComponentChildren;
  readonly number?: string;
}) {
  return (
    <div class="equation">
      <math display="block">{children}</math>
      {number && <span class="number">{number}</span>}
    </div>
  );
}

/** A matrix or a vector: bold, upright. */
export function V({ children }: { readonly children: string }) {
  return <mi class="bold">{children}</mi>;
}

/** A letter with an index below. */
export function Sub({ of, by }: { readonly of: ComponentChildren; readonly by: ComponentChildren }) {
  return (
    <msub>
      <mrow>{of}</mrow>
      <mrow>{by}</mrow>
    </msub>
  );
}

export function Sup({ of, by }: { readonly of: ComponentChildren; readonly by: ComponentChildren }) {
  return (
    <msup>
      <mrow>{of}</mrow>
      <mrow>{by}</mrow>
    </msup>
  );
}

/** ‖ … ‖ with an index. */
export function Norm({ children, by }: { readonly children: ComponentChildren; readonly by: string }) {
  return (
    <msub>
      <mrow>
        <mo stretchy={false}>‖</mo>
        {children}
        <mo stretchy={false}>‖</mo>
      </mrow>
      <mn>{by}</mn>
    </msub>
  );
}
