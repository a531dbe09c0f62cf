/** The frame of a control: its label, its value in words, and one line of help below. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  /** One line below. */
  readonly help?: string | undefined;
  /** What is wrong with the value, instead of the help. */
  readonly problem?: string | undefined;
  /** The value in words, beside the label. */
  readonly shown?: string | number | undefined;
  readonly kind?: "slider" | undefined;
  /** The control, which takes these attributes. */
  readonly children: (attributes: FieldAttributes) => ComponentChildren;
}

interface FieldAttributes {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
}

export function Field({ label, help, problem, shown, kind, children }: FieldProps) {
  const id = useId();
  const line = problem ?? help;
  return (
    <div class={kind ? `field ${kind}` : "field"}>
      <label for={id}>{label}</label>
      {shown !== undefined && <output for={id}>{shown}</output>}
      {children({ id, "aria-describedby": line ? `${id}-help` : undefined })}
      {line && (
        <p class={problem ? "help problem" : "help"} id={`${id}-help`}>
          {line}
        </p>
      )}
    </div>
  );
}
