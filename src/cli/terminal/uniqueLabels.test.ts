import { describe, expect, it } from "vitest";
import { numbered, uniqueLabels } from "./uniqueLabels.js";

describe("uniqueLabels", () => {
  it.each<[string[], string[]]>([
    [
      ["one", "deep/other"],
      ["one", "other"],
    ],
    [
      ["a/m", "b/m"],
      ["a/m", "b/m"],
    ],
    [
      ["x/a/m", "y/a/m", "z/n"],
      ["x/a/m", "y/a/m", "n"],
    ],
    [
      ["m", "b/m"],
      ["m", "b/m"],
    ],
    [
      ["m", "./m", "m"],
      ["m", "m (2)", "m (3)"],
    ],
    [
      ["/tmp/m", "/m"],
      ["tmp/m", "m"],
    ],
  ])("%j → %j", (paths, labels) => {
    expect(uniqueLabels(paths)).toEqual(labels);
  });

  it("avoids labels that are taken", () => {
    expect(uniqueLabels(["deep/odct", "odct"], ["odct"])).toEqual(["deep/odct", "odct (2)"]);
    expect(numbered(["a", "a", "b"])).toEqual(["a", "a (2)", "b"]);
  });
});
