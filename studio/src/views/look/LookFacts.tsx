/** How good a rebuilt picture is, and what it takes. */

import { psnrOf, psnrText } from "../../parts/psnrText";
import type { Looking } from "./useLook";

export interface LookFactsProps {
  readonly result: NonNullable<Looking["result"]>;
  readonly k: number;
  /** Of the first dictionary, or of the one it is compared with. */
  readonly kind: "first" | "second";
}

export function LookFacts({ result, k, kind }: LookFactsProps) {
  const { picture, dictionary, rmse, nonZeros } = result;
  const [low, high] = picture.range;
  const atoms = nonZeros[k];
  return (
    <section class={`look-facts ${kind}`} aria-label={dictionary.name}>
      <h2>{dictionary.name}</h2>
      <dl class="facts">
        <div>
          <dt>PSNR</dt>
          <dd data-fact="psnr">{psnrText(psnrOf(rmse[k], high - low))}</dd>
        </div>
        <div>
          <dt>Atoms in all</dt>
          <dd data-fact="atoms">{atoms.toLocaleString("en")}</dd>
        </div>
        <div>
          <dt>Atoms per pixel</dt>
          <dd>{(atoms / (picture.width * picture.height)).toFixed(3)}</dd>
        </div>
      </dl>
    </section>
  );
}
