import { expect, test } from "vitest";
import { areCrowded, type Rank, threadsOf, unusedCores } from "./ranks.js";

const rank = (host: string, cores: string, available: number, machine = 8): Rank => ({
  ...{ host, cores, available, machine },
  ...{ version: "1.0.0", words: "" },
});

test("ranks share the cores that they may all use", () => {
  const ranks = [rank("a", "0-7", 8), rank("a", "0-7", 8), rank("a", "0-7", 8), rank("b", "0-7", 8)];
  expect(ranks.map((_, i) => threadsOf(ranks, i))).toEqual([2, 2, 2, 8]);
});

test("ranks with cores of their own use all of them", () => {
  const ranks = [rank("a", "0-3", 4), rank("a", "4-7", 4)];
  expect(ranks.map((_, i) => threadsOf(ranks, i))).toEqual([4, 4]);
  expect(areCrowded(ranks)).toBe(false);
  expect(unusedCores(ranks, "mpirun of Open MPI")).toBeUndefined();
});

test("more ranks than cores are crowded, and have one thread each", () => {
  const ranks = Array.from({ length: 3 }, () => rank("a", "0-1", 2, 2));
  expect(areCrowded(ranks)).toBe(true);
  expect(threadsOf(ranks, 0)).toBe(1);
});

test("cores that a launcher leaves idle are reported, those that a queue gave away are not", () => {
  const ranks = [rank("a", "0", 1), rank("a", "1", 1)];
  expect(unusedCores(ranks, "mpirun of Open MPI")).toBe(
    "the launcher lets 2 ranks use 2 of the 8 cores of a; with mpirun, --bind-to none lets them use all",
  );
  expect(unusedCores(ranks, "srun")).toBeUndefined();
});
