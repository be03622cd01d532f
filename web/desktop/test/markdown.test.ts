/**
 * Incremental Markdown: finished blocks stay the same objects, and nothing dangerous gets through.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Block, GrowingMarkdown, readMarkdown } from "../src/kit/markdown-blocks.ts";
import { linkOf, pictureOf, plainText, unescapeEntities } from "../src/kit/markdown-safe.ts";

const TEXT = `# A title

Some words with **weight** and a [link](https://example.com).

- one
- two

  more of two

- three

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`rust
fn main() {
    println!("x");
}
\`\`\`

Setext
------

> a quote
> goes on

1. first
2. second

The end.`;

const typesOf = (blocks: readonly Block[]) => blocks.map(({ token }) => token.type);

test("a text that comes letter by letter ends as one that is read at once", () => {
  const growing = new GrowingMarkdown();
  for (let length = 1; length < TEXT.length; length += 1) growing.read(TEXT.slice(0, length), true);
  const end = growing.read(TEXT, false);
  assert.deepEqual(
    end.map(({ raw }) => raw),
    readMarkdown(TEXT).map(({ raw }) => raw),
  );
  assert.deepEqual(
    typesOf(end),
    readMarkdown(TEXT).map(({ type }) => type),
  );
});

test("at every moment the blocks hold the whole text", () => {
  const growing = new GrowingMarkdown();
  for (let length = 1; length <= TEXT.length; length += 7) {
    const text = TEXT.slice(0, length);
    const raw = growing
      .read(text, true)
      .map((block) => block.raw)
      .join("");
    assert.equal(raw, text);
  }
});

test("finished blocks stay the very same", () => {
  const growing = new GrowingMarkdown();
  const [first] = growing.read("First.\n\nSecond", true);
  const again = growing.read("First.\n\nSecond goes on", true);
  assert.equal(again[0], first);
  const last = again.at(-1);
  const finished = growing.read("First.\n\nSecond goes on", false);
  assert.equal(finished.at(-1), last);
});

test("ids are never used twice", () => {
  const growing = new GrowingMarkdown();
  for (let length = 1; length <= TEXT.length; length += 3) {
    const ids = growing.read(TEXT.slice(0, length), true).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  }
});

test("only the end of a long text is read anew", () => {
  const growing = new GrowingMarkdown();
  let text = "";
  for (let count = 0; count < 2_000; count += 1) text += `Paragraph ${count} with some *words* in it.\n\n`;
  const before = growing.read(text, true);
  const after = growing.read(`${text}word `, true);
  const anew = after.filter((block, index) => block !== before[index]);
  assert.ok(before.length > 1_999 && anew.length <= 2, `${anew.length} of ${after.length} were read anew`);
});

test("words that were taken back are gone", () => {
  const growing = new GrowingMarkdown();
  growing.read("One.\n\nTwo.\n\nThree.\n\nFour", true);
  const blocks = growing.read("One.\n\nTwo and", true);
  assert.equal(blocks.map(({ raw }) => raw).join(""), "One.\n\nTwo and");
});

test("a link that is defined below reaches what is above", () => {
  const growing = new GrowingMarkdown();
  const text = "See [the page][1].\n\nMore.\n\n[1]: https://example.com";
  growing.read(text, true);
  const [first] = growing.read(text, false);
  assert.match(JSON.stringify(first?.token), /"type":"link"/);
});

test("marks of sources are found, others stay text", () => {
  const inside = JSON.stringify(
    readMarkdown("It rains [memory:42] and [x] snows [https://a.b/c].", ["memory:42", "https://a.b/c"]),
  );
  assert.equal(inside.match(/"type":"citation"/g)?.length, 2);
  assert.doesNotMatch(JSON.stringify(readMarkdown("It rains [memory:42].")), /citation/);
});

test("a source that becomes known changes finished blocks", () => {
  const growing = new GrowingMarkdown();
  growing.read("Rain [a].\n\nSun.\n\nEnd", true);
  const blocks = growing.read("Rain [a].\n\nSun.\n\nEnd", false, ["a"]);
  assert.match(JSON.stringify(blocks[0]?.token), /citation/);
});

test("links lead to the web, to mail and to what was kept, nowhere else", () => {
  assert.equal(linkOf("https://example.com/a"), "https://example.com/a");
  assert.equal(linkOf("mailto:a@example.com"), "mailto:a@example.com");
  for (const bad of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "/api/v1/entry",
    "#/x",
  ]) {
    assert.equal(linkOf(bad), undefined, bad);
  }
  const id = "01M7GMRQ9XSMQNJC9YSRYDE14A";
  assert.equal(linkOf(`artifact:${id}`), `/api/v1/artifacts/${id}`);
  assert.equal(linkOf(`/api/v1/artifacts/${id}/../../entry`), undefined);
});

test("pictures are the text's own or the server's own", () => {
  assert.equal(pictureOf("https://example.com/a.png"), undefined);
  assert.equal(pictureOf("data:text/html;base64,AA"), undefined);
  assert.equal(pictureOf("data:image/png;base64,AA"), "data:image/png;base64,AA");
  assert.equal(
    pictureOf("/api/v1/artifacts/01M7GMRQ9XSMQNJC9YSRYDE14A"),
    "/api/v1/artifacts/01M7GMRQ9XSMQNJC9YSRYDE14A",
  );
});

test("markup stays what it is: a token that is shown as text", () => {
  const [block] = readMarkdown("<img src=x onerror=alert(1)>");
  assert.equal(block?.type, "html");
});

test("characters by name and number", () => {
  assert.equal(unescapeEntities("a &amp; b &lt;c&gt; &#8364; &#x1F600; &nope;"), "a & b <c> € 😀 &nope;");
});

test("a text as it is said aloud has no marks", () => {
  assert.equal(
    plainText("# Hi\n\n- **one** *and* snake_case_name [two](https://x.y)\n\n```js\ncode()\n```"),
    "Hi one and snake_case_name two code()",
  );
});
