/** The views of the studio, in the order of their tabs. Each is loaded when it is first shown. */

import type { ComponentType } from "preact";

export interface View {
  readonly name: string;
  readonly title: string;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

export const views: readonly View[] = [
  { name: "learn", title: "Learn", load: () => import("../views/learn/LearnView") },
  { name: "explore", title: "Explore", load: () => import("../views/explore/ExploreView") },
  { name: "look", title: "Look", load: () => import("../views/look/LookView") },
  { name: "restore", title: "Restore", load: () => import("../views/restore/RestoreView") },
  { name: "paper", title: "The paper", load: () => import("../views/paper/PaperView") },
];
