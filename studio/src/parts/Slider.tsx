/** A labelled slider with its value beside it. */

import { Field } from "./Field";

export interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  /** The value in words; by default the number. */
  readonly shown?: string;
  /** One line below. */
  readonly help?: string;
  readonly disabled?: boolean;
  readonly onChange: (value: number) => void;
}

export function Slider({ label, value, min, max, step = 1, shown, help, disabled, onChange }: SliderProps) {
  return (
    <Field label={label} help={help} shown={shown ?? value} kind="slider">
      {(attributes) => (
        <input
          {...attributes}
          type="range"
          min={min}
          max={max}
          step={step}
          value={value}
          disabled={disabled}
          aria-valuetext={shown}
          onInput={(event) => onChange(Number(event.currentTarget.value))}
        />
      )}
    </Field>
  );
}
