/** Families of atoms: one pattern at different places, one family per row (figure 10 of the paper). */

import type { AtomFamily } from "trainlets/parts";
import type { AtomTiles } from "../../engine/explore/exploreTasks";
import { grouped } from "./atomWords";
import { TilePicture } from "./TilePicture";

export interface FamiliesProps {
  readonly families: readonly AtomFamily[];
  readonly tiles: AtomTiles;
  readonly selected: number;
  readonly onSelect: (atom: number) => void;
}

export function Families({ families, tiles, selected, onSelect }: FamiliesProps) {
  if (families.length === 0)
    return (
      <p class="lead">
        No families: fewer than four atoms of this dictionary show one pattern at different places.
      </p>
    );
  return (
    <>
      <p class="help">
        One pattern at different places per row, as in figure 10 of the paper. Atoms have the sign of the
        first; the number is the correlation with it, after a shift.
      </p>
      <ol class="families">
        {families.map((family, row) => (
          <li key={family[0].atom} aria-label={`Family ${row + 1}`}>
            {family.map(({ atom, sign, correlation, shift }) => (
              <button
                key={atom}
                type="button"
                class="tile-button in"
                aria-pressed={atom === selected}
                title={`Atom ${grouped(atom + 1)}, shifted by ${shift.join(", ")}`}
                data-atom={atom}
                onClick={() => onSelect(atom)}
              >
                <TilePicture tiles={tiles} index={atom} negated={sign < 0} label={`atom ${atom + 1}`} />
                <span>{correlation.toFixed(2)}</span>
              </button>
            ))}
          </li>
        ))}
      </ol>
    </>
  );
}
