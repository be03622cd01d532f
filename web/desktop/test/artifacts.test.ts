/** Artifacts: how they are displayed, and CSV parsing. */
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { asNumbers, readCsv } from "../src/artifacts/csv.ts";
import { kindWords, shapeOf } from "../src/artifacts/kinds.ts";

describe("a CSV file", () => {
  const read = (text: string) => {
    const { head, rows } = readCsv(text);
    return [head, ...rows];
  };

  it("is read with any end of line, with or without one at the end", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      assert.deepEqual(read(`a,b${end}1,2${end}`), [
        ["a", "b"],
        ["1", "2"],
      ]);
      assert.deepEqual(read(`a,b${end}1,2`), read(`a,b${end}1,2${end}`));
    }
  });

  it("keeps what stands in quotes: commas, ends of lines, quotes", () => {
    assert.deepEqual(read('a,b\n"x, y","first\nsecond"\n"say ""hi""",""\n'), [
      ["a", "b"],
      ["x, y", "first\nsecond"],
      ['say "hi"', ""],
    ]);
  });

  it("is read as far as it can be where it is not quite right", () => {
    assert.deepEqual(read('\ufeffa,b\n"x"y,z\n\n1\n1,2,3\n"open, and never\nclosed'), [
      ["a", "b", ""],
      ["xy", "z", ""],
      ["1", "", ""],
      ["1", "2", "3"],
      ["open, and never\nclosed", "", ""],
    ]);
    assert.deepEqual(readCsv(""), { head: [], rows: [], isCut: false });
    assert.deepEqual(read("a,"), [["a", ""]]);
  });

  it("comes back as it was, whatever stands in its cells", () => {
    let chance = 11;
    const roll = (below: number) => {
      chance = (chance * 1103515245 + 12345) % 2147483648;
      return Math.floor((chance / 2147483648) * below);
    };
    const cell = () => Array.from({ length: roll(6) }, () => 'ab",\n\r 🙂'[roll(8)] ?? "").join("");
    for (let round = 0; round < 300; round += 1) {
      const width = 2 + roll(3);
      const rows = Array.from({ length: 1 + roll(5) }, () => Array.from({ length: width }, cell));
      const text = rows.map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(",")).join("\r\n");
      assert.deepEqual(read(text), rows, JSON.stringify(text));
    }
  });

  it("is cut where it is long, and says so", () => {
    const text = `n\n${Array.from({ length: 1_500 }, (_, index) => index).join("\n")}\n`;
    const { rows, isCut } = readCsv(text);
    assert.deepEqual([rows.length, rows.at(-1), isCut], [1_000, ["999"], true]);
    assert.equal(readCsv(text, 1_500).isCut, false);
  });

  it("has numbers where a whole column is numbers, and nothing that only looks like one", () => {
    const rows = [
      ["1", "007", "2.5"],
      ["-12", "8", ""],
    ];
    assert.deepEqual(asNumbers(rows, 3), [
      [1, "007", 2.5],
      [-12, "8", null],
    ]);
  });
});

test("files are shown as what they are, where that is safe and not too much", () => {
  const shapes = {
    "text/markdown; charset=utf-8": "markdown",
    "TEXT/HTML": "html",
    "text/csv": "table",
    "image/svg+xml": "picture",
    "image/tiff": "none",
    "text/javascript": "text",
    "application/json": "text",
    "application/pdf": "none",
    "": "none",
  };
  for (const [kind, shape] of Object.entries(shapes)) assert.equal(shapeOf(kind), shape, kind);
  assert.equal(shapeOf("text/csv", 9_000_000), "none");
  assert.equal(shapeOf("image/png", 9_000_000), "picture");
  assert.equal(kindWords("image/svg+xml"), "Drawing");
  assert.equal(kindWords("application/pdf"), "application/pdf");
});
