/** A picture rebuilt through a dictionary, computed in the worker; a change ends the request before. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Dictionary } from "../../app/library";
import { notifyOf } from "../../app/notices";
import type { PicturePart } from "../../app/picturePart";
import { helper } from "../../engine/client";
import type { LookResult, PatchFacts } from "../../engine/look/lookTasks";

export interface Looking {
  /** The last result; of another picture or dictionary than the current one while that is computed. */
  readonly result?: LookResult & { readonly picture: PicturePart; readonly dictionary: Dictionary };
  /** From 0 to 1; undefined when nothing is computed. */
  readonly progress?: number;
  /** Why there is no result, in one line. */
  readonly failure?: string;
}

export interface LookControl extends Looking {
  cancel(): void;
  again(): void;
}

type SlotName = "first" | "second";

/** `undefined` for picture or dictionary: nothing to compute. */
export function useLook(
  slot: SlotName,
  picture: PicturePart | undefined,
  dictionary: Dictionary | undefined,
  overlap: number,
): LookControl {
  const [looking, setLooking] = useState<Looking>({});
  const [turn, setTurn] = useState(0);
  const current = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    if (!picture || !dictionary) {
      setLooking({});
      return;
    }
    const abort = new AbortController();
    current.current = abort;
    const isCurrent = () => !abort.signal.aborted;
    setLooking(({ result }) => ({ ...(result ? { result } : {}), progress: 0 }));
    const { width, height, data, range } = picture;
    const input = { slot, model: dictionary.id, picture: { width, height, data, range }, overlap };
    helper
      .run("lookAt", input, {
        signal: abort.signal,
        onProgress: (progress) => isCurrent() && setLooking((before) => ({ ...before, progress })),
      })
      .then(
        (result) => isCurrent() && setLooking({ result: { ...result, picture, dictionary } }),
        (error: unknown) => {
          if (!isCurrent()) return;
          setLooking({ failure: error instanceof Error ? error.message : String(error) });
        },
      );
    return () => abort.abort();
  }, [slot, picture, dictionary, overlap, turn]);
  const cancel = () => {
    current.current?.abort();
    setLooking({ failure: "Cancelled." });
  };
  return { ...looking, cancel, again: () => setTurn(turn + 1) };
}

/** One patch with its first k atoms, from the worker. */
export function usePatch(
  slot: SlotName,
  { result, progress }: Looking,
  index: number | undefined,
  k: number,
): PatchFacts | undefined {
  const [facts, setFacts] = useState<PatchFacts>();
  const isReady = result !== undefined && progress === undefined;
  useEffect(() => {
    if (!isReady || index === undefined) return;
    let isCurrent = true;
    helper.run("lookPatch", { slot, index, k }).then(
      (found) => isCurrent && setFacts(found),
      (error: unknown) => isCurrent && notifyOf(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [slot, isReady, result, index, k]);
  return result ? facts : undefined;
}
