/** Fields of numbers and short texts, with a line of help. They take effect when they are left, or with Enter. */

import { Field } from "../../parts/Field";

interface InputProps {
  readonly label: string;
  readonly help: string;
  readonly disabled?: boolean;
}

interface NumberFieldProps extends InputProps {
  readonly value: number;
  readonly min: number;
  readonly onChange: (value: number) => void;
}

export function NumberField({ label, value, min, help, disabled, onChange }: NumberFieldProps) {
  return (
    <Field label={label} help={help}>
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          min={min}
          step={1}
          value={value}
          disabled={disabled}
          onChange={(event) => {
            const given = event.currentTarget.valueAsNumber;
            if (Number.isInteger(given) && given >= min) onChange(given);
            else event.currentTarget.value = String(value);
          }}
        />
      )}
    </Field>
  );
}

interface TextFieldProps extends InputProps {
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

export function TextField({ label, value, help, problem, disabled, onChange }: TextFieldProps) {
  return (
    <Field label={label} help={help} problem={problem}>
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          value={value}
          disabled={disabled}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problem !== undefined}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
