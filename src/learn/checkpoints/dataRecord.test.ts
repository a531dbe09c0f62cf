import { describe, expect, test } from "vitest";
import type { DataContents } from "../../data/sampling/dataContents.js";
import { describeDifference, listOtherTimes, readDataRecord, recordContents } from "./dataRecord.js";

function contents(digests: readonly string[], more: Partial<DataContents> = {}): DataContents {
  const names = digests.map((_, i) => `photos/${i}.png`);
  return { names, digests, limit: 4096, times: digests.map(() => undefined), skipped: [], ...more };
}

const three = ["aaaa", "bbbb", "cccc"];
const saved = recordContents(contents(three));

describe("a record of data", () => {
  test("names what differs", () => {
    const difference = (digests: readonly string[], more?: Partial<DataContents>) =>
      describeDifference(saved, contents(digests, more));
    expect(difference(three)).toBe("");
    expect(difference(["aaaa", "xxxx", "cccc"])).toBe("photos/1.png differs");
    expect(difference(["xxxx", "xxxx", "cccc"])).toBe("photos/0.png and 1 more differ");
    expect(difference(["bbbb", "aaaa", "cccc"])).toBe("the same in another order");
    expect(difference([...three, "dddd"])).toBe("photos/3.png is new, or changed");
    expect(difference(["aaaa", "cccc"])).toBe("");
    expect(difference(["aaaa", "cccc"], { skipped: ["photos/x.png"] })).toBe("photos/x.png was skipped");
  });

  test("names files with other times, of which only a sample was compared", () => {
    const before = recordContents(contents(three, { times: [undefined, 10, 20] }));
    const others = (times: (number | undefined)[]) => listOtherTimes(before, contents(three, { times }));
    expect(others([undefined, 10, 20])).toBeUndefined();
    expect(others([undefined, 10, 21])).toBe("photos/2.png");
    expect(others([undefined, 11, 21])).toBe("photos/1.png and 1 more");
  });

  test("has a bounded size, and then names a few files", () => {
    const many = Array.from({ length: 200_000 }, (_, i) => i.toString(16).padStart(16, "0"));
    const record = recordContents(contents(many));
    expect(record.digests.length).toBeLessThanOrEqual(8 * 2 ** 16);
    expect(describeDifference(record, contents(many.with(100_001, "x")))).toBe(
      "one of photos/100000.png to photos/100003.png differs",
    );
    expect(describeDifference(record, contents(many.with(199_999, "x")))).toMatch(
      /^one of photos\/199996\.png to photos\/199999\.png differs$/,
    );
  });

  test("comes back from JSON, and is checked", () => {
    expect(readDataRecord(JSON.parse(JSON.stringify(saved)))).toEqual(saved);
    for (const wrong of [
      undefined,
      null,
      [],
      "x",
      { ...saved, limit: 4097 },
      { ...saved, limit: 2 ** 40 },
      { ...saved, digests: "abc" },
      { ...saved, digests: 5 },
      { ...saved, times: "" },
    ])
      expect(readDataRecord(wrong)).toBeUndefined();
  });
});
