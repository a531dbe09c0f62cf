import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "./errors.js";
import { visibleLine, visibleText } from "./visibleText.js";

describe("visibleLine", () => {
  test.each([
    ["plain text, ünïcode 日本 🙂", "plain text, ünïcode 日本 🙂"],
    ["x\x1b]0;PWN\x07\x1b[2J.png", "x\\x1b]0;PWN\\x07\\x1b[2J.png"],
    ["a\nb\r\tc\x7f", "a\\nb\\r\\tc\\x7f"],
    ["\x9b31m", "\\x9b31m"],
    ["gpj.\u202egnp\u2028\u2029", "gpj.\\u202egnp\\u2028\\u2029"],
    ["bad\udcff\ud800", "bad\\xff\\ud800"],
  ])("shows %j as %j", (text, shown) => {
    expect(visibleLine(text)).toBe(shown);
  });

  test("leaves nothing that a terminal obeys, and changes nothing twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const shown = visibleLine(text);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
        expect(shown).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/);
        expect(visibleLine(shown)).toBe(shown);
        expect(visibleText(text).replaceAll("\n", "\\n")).toBe(shown);
      }),
    );
  });
});

test("an InputError is one line, whatever it is about", () => {
  const error = new InputError((nameOf) => `${nameOf("a\nb")} of x\x1b[2J`, { where: "\x07train" });
  expect(error.message).toBe("\\x07train: a\\nb of x\\x1b[2J");
  expect(error.describe((option) => `--${option}`)).toBe("--a\\nb of x\\x1b[2J");
  expect(error.by("other").message).toBe("other: a\\nb of x\\x1b[2J");
});
