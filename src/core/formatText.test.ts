import { expect, it } from "vitest";
import { byteSize, clock, counted, grouped, rounded } from "./formatText.js";

it("writes times by the clock", () => {
  expect([0, 59.6, 95, 4000].map(clock)).toEqual(["0:00", "1:00", "1:35", "1:06:40"]);
  expect(clock(-5)).toBe("0:00");
});

it("writes numbers and counts", () => {
  expect(grouped(1234567)).toBe("1,234,567");
  expect(counted(1, "atom")).toBe("1 atom");
  expect(counted(2000, "atom")).toBe("2,000 atoms");
  expect([0, 1, 2].map((n) => counted(n, "patch", "patches"))).toEqual(["0 patches", "1 patch", "2 patches"]);
});

it("rounds to four significant digits, whatever the units", () => {
  expect([0, 15.2, 0.0001234321, 123456].map(rounded)).toEqual(["0", "15.20", "0.0001234", "123,456"]);
});

it("writes sizes in the unit that fits", () => {
  expect([0, 512, 640 * 1024, 1.8 * 2 ** 30, 2 ** 52].map(byteSize)).toEqual([
    "0.0 KiB",
    "0.5 KiB",
    "640 KiB",
    "1.8 GiB",
    "4096 TiB",
  ]);
});
