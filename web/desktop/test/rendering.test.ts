/** What answers contain beyond Markdown: formulas, footnotes, and tables that sort and copy. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GrowingMarkdown, readMarkdown } from "../src/kit/markdown-blocks.ts";
import { asTsv, numberIn, orderOf } from "../src/kit/table-text.ts";

type Found = { type: string; tex?: string; label?: string; isBlock?: boolean };

/** The tokens of some types, wherever they are. */
function tokens(text: string, ...types: string[]): Found[] {
  const all: Found[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === "object" && value !== null) {
      if (types.includes((value as Found).type)) all.push(value as Found);
      Object.values(value).forEach(visit);
    }
  };
  visit(readMarkdown(text));
  return all;
}

const tex = (text: string) => tokens(text, "math").map((token) => token.tex);

test("formulas are found within lines and on lines of their own", () => {
  assert.deepEqual(tex("Area $\\pi r^2$ and \\(a+b\\)."), ["\\pi r^2", "a+b"]);
  assert.deepEqual(tex("Sum:\n\n$$\n\\sum_{i=1}^n i\n$$\n\nDone"), ["\\sum_{i=1}^n i"]);
  assert.deepEqual(tex("\\[ x = 1 \\]"), ["x = 1"]);
  assert.deepEqual(tex("Sum:\n$$x$$\nafter"), ["x"]);
  assert.deepEqual(
    tokens("$$x$$", "math").map(({ isBlock }) => isBlock),
    [true],
  );
  assert.deepEqual(tokens("It is $$x$$ here", "math").length, 1);
  assert.deepEqual(tex("$a_1 * b_2 * c$"), ["a_1 * b_2 * c"], "and nothing in it is slanted");
  assert.deepEqual(tex("| a |\n|---|\n| $x$ |"), ["x"]);
});

test("money, code and half a formula stay text", () => {
  for (const text of [
    "It costs $5 and $10.",
    "From $5 to $10 a day",
    "$ 5 $",
    "`$x$`",
    "```\n$$x$$\n```",
    "\\$x\\$",
    "$$\nhalf",
    "$$\na\n\nb\n$$",
    "$x",
  ]) {
    assert.deepEqual(tex(text), [], text);
  }
});

test("footnotes have a mark, and a text that may go on in lines that are indented", () => {
  const text = "Rain[^1] and sun[^sun].\n\n[^1]: From *above*.\n[^sun]: Of the\n  day.\n\nEnd [^not a label].";
  assert.deepEqual(
    tokens(text, "footnote_ref").map(({ label }) => label),
    ["1", "sun"],
  );
  assert.deepEqual(
    tokens(text, "footnote").map(({ label }) => label),
    ["1", "sun"],
  );
  assert.equal(tokens("[^1]: From *above*.", "em").length, 1);
  assert.equal(tokens("Before\n[^1]: After a paragraph", "footnote").length, 1);
  assert.equal(tokens("[1]: https://example.com", "footnote").length, 0);
});

test("formulas and footnotes that come letter by letter end as read at once", () => {
  const text =
    "Area $x^2$ of it.\n\nText\n$$\n\\frac{1}{2}\n$$\nmore $5 here\n\n\\[\ny\n\\]\n\nRain[^1].\n\n[^1]: From above.\n[^2]: Two\n  lines.\n\nEnd";
  const growing = new GrowingMarkdown();
  for (let length = 1; length < text.length; length += 1) {
    const blocks = growing.read(text.slice(0, length), true);
    assert.equal(blocks.map(({ raw }) => raw).join(""), text.slice(0, length));
  }
  const end = growing.read(text, false).map(({ token }) => token.type);
  assert.deepEqual(
    end,
    readMarkdown(text).map(({ type }) => type),
  );
});

test("numbers in cells are read as people write them", () => {
  const cases: [string, number | undefined][] = [
    ["1,234.5", 1234.5],
    ["3,5", 3.5],
    ["-12 %", -12],
    ["€ 5", 5],
    ["7 km", 7],
    ["−3", -3],
    ["USD 20", 20],
    ["21 °C", 21],
    ["Monday", undefined],
    ["1.2.3", undefined],
    ["", undefined],
  ];
  for (const [text, value] of cases) assert.equal(numberIn(text), value, text);
});

test("rows are sorted by numbers where all cells are, by words otherwise, with empty cells last", () => {
  const rows = [
    ["b", "10"],
    ["a", "9"],
    ["", "1,000"],
    ["c", ""],
  ];
  assert.deepEqual(orderOf(rows, undefined), [0, 1, 2, 3]);
  assert.deepEqual(orderOf(rows, { column: 1, isDown: false }), [1, 0, 2, 3]);
  assert.deepEqual(orderOf(rows, { column: 1, isDown: true }), [2, 0, 1, 3]);
  assert.deepEqual(orderOf(rows, { column: 0, isDown: false }), [1, 0, 3, 2]);
  assert.equal(
    asTsv([
      ["a", "b\tc"],
      ["1", " 2\n3 "],
    ]),
    "a\tb c\n1\t2 3",
  );
});
