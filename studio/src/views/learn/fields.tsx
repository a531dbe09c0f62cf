/** Fields of numbers and short texts, with a line of help. They take effect when they are left, or with Enter. */

import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly help: string;
  readonly disabled?: boolean;
}

interface NumberFieldProps extends FieldProps {
  readonly value: number;
  readonly min: number;
  readonly onChange: (value: number) => void;
}

export function NumberField({ label, value, min, help, disabled, onChange }: NumberFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={min}
        step={1}
        value={value}
        disabled={disabled}
        aria-describedby={`${id}-help`}
        onChange={(event) => {
          const given = event.currentTarget.valueAsNumber;
          if (Number.isInteger(given) && given >= min) onChange(given);
          else event.currentTarget.value = String(value);
        }}
      />
      <p class="help" id={`${id}-help`}>
        {help}
      </p>
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

export function TextField({ label, value, help, problem, disabled, onChange }: TextFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={value}
        disabled={disabled}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <p class={problem ? "help problem" : "help"} id={`${id}-help`}>
        {problem ?? help}
      </p>
    </div>
  );
}
