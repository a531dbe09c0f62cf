/** Pieces of formulas in MathML. */

import type { ComponentChildren } from "preact";

/** A formula on a line of its own, or on several where the page is narrow, with its number in the paper. */
export function Equation({
  parts,
  number,
}: {
  readonly parts: readonly ComponentChildren[];
  readonly number?: string;
}) {
  return (
    <div class="equation">
      <div>
        {parts.map((part, i) => (
          <math key={i} displaystyle>
            {part}
          </math>
        ))}
      </div>
      {number && <span class="number">{number}</span>}
    </div>
  );
}

/** Brackets and bars that stay as small as the letters. Preact omits attributes that are false, so it is a text. */
export function Fence({ children }: { readonly children: string }) {
  return <mo {...fixed}>{children}</mo>;
}

const fixed = { stretchy: "false" } as unknown as { readonly stretchy: boolean };

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
        <Fence>‖</Fence>
        {children}
        <Fence>‖</Fence>
      </mrow>
      <mn>{by}</mn>
    </msub>
  );
}

/** The argument of the least or the largest value, with what varies below it. */
export function Arg({ of, over }: { readonly of: "min" | "max"; readonly over: ComponentChildren }) {
  return (
    <munder>
      <mrow>
        <mi>arg</mi>
        <mspace width="0.15em" />
        <mi>{of}</mi>
      </mrow>
      {over}
    </munder>
  );
}
