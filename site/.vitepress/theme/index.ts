/** The theme: that of VitePress without its fonts, in the colours of the studio, with the elements of the pages. */

import DefaultTheme from "vitepress/theme-without-fonts";
import type { Theme } from "vitepress";
import "./site.css";

export default {
  extends: DefaultTheme,
  enhanceApp() {
    if (!import.meta.env.SSR) void import("../../elements/define");
  },
} satisfies Theme;
