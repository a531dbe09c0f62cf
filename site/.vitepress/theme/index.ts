/** The theme: that of VitePress without its fonts, in the colours of the studio, with the elements of the pages. */

import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import "./site.css";

export default {
  extends: DefaultTheme,
  enhanceApp() {
    if (typeof window !== "undefined") void import("../../elements/define");
  },
} satisfies Theme;
