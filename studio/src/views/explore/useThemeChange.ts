/** Calls back when the colours of the page change, for what is drawn on canvases. */

import { useEffect, useRef } from "preact/hooks";

export function useThemeChange(changed: () => void): void {
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    const call = () => latest.current();
    const observer = new MutationObserver(call);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", call);
    return () => {
      observer.disconnect();
      system.removeEventListener("change", call);
    };
  }, []);
}
