import { describe, expect, test } from "vitest";
import { AddressSpaceError, planWithin } from "./addressSpace.js";

const GiB = 2 ** 30;
const most = 4 * GiB;
const plan = (limit: number, used: number, isGuarded = true) =>
  planWithin({ limit: limit * GiB, used: used * GiB }, most, isGuarded);

describe("planWithin", () => {
  test("leaves the whole memory, and as many threads as fit", () => {
    expect(plan(1000, 1)).toMatchObject({ memoryBytes: most });
    expect(plan(1000, 1).threads).toBeGreaterThan(256);
    expect(plan(12, 1)).toMatchObject({ memoryBytes: most, threads: 7 });
    expect(plan(11.5, 1.1)).toMatchObject({ memoryBytes: most, threads: 1 });
    expect(plan(12, 1).reason).toBe("address space is limited to 12.0 GiB (ulimit -v)");
  });

  test("refuses a memory that V8 cannot reserve, and names what helps", () => {
    expect(() => plan(8, 1)).toThrow(
      new AddressSpaceError(
        "address space is limited to 8.0 GiB (ulimit -v); WebAssembly needs 12 GiB, " +
          "or NODE_OPTIONS=--disable-wasm-trap-handler",
      ),
    );
  });

  test("makes the memory smaller where only its own size counts", () => {
    expect(plan(8, 1, false)).toMatchObject({ memoryBytes: most });
    expect(plan(4, 1, false)).toMatchObject({ memoryBytes: 2 * GiB });
    expect(plan(2, 1, false)).toMatchObject({ memoryBytes: GiB / 2 });
    expect(() => plan(1.4, 1, false)).toThrow("address space is limited to 1.4 GiB (ulimit -v)");
    expect(() => plan(1, 1, false)).toThrow(AddressSpaceError);
  });

  test("never plans for more than the limit", () => {
    for (let limit = 1; limit < 30; limit += 0.1) {
      for (const isGuarded of [true, false]) {
        try {
          const { memoryBytes, threads } = plan(limit, 0.8, isGuarded);
          const reserved = (isGuarded ? 10 * GiB : memoryBytes) + (threads - 1) * 80 * 2 ** 20;
          expect(0.8 * GiB + reserved).toBeLessThan(limit * GiB);
        } catch (error) {
          expect(error).toBeInstanceOf(AddressSpaceError);
        }
      }
    }
  });
});
