/** A labelled slider with its value beside it. */

import { useId } from "preact/hooks";

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
  const id = useId();
  return (
    <div class="field slider">
      <label for={id}>{label}</label>
      <output for={id}>{shown ?? value}</output>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        disabled={disabled}
        aria-valuetext={shown}
        aria-describedby={help ? `${id}-help` : undefined}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}
