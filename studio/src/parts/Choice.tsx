/** A labelled choice of one among several. */

import { Field } from "./Field";

export interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  /** One line below. */
  readonly help?: string;
  readonly disabled?: boolean;
  readonly onChange: (value: T) => void;
}

export function Choice<T extends string>({
  label,
  value,
  options,
  help,
  disabled,
  onChange,
}: ChoiceProps<T>) {
  return (
    <Field label={label} help={help}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          disabled={disabled}
          onChange={(event) => onChange(event.currentTarget.value as T)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
