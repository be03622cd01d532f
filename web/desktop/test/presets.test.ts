/** Prompts with variables, personas, and text for a voice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { filled, readPersona, readPrompt, settingsOf, variablesOf } from "../src/presets/items.ts";
import { deleteItem, loadPrompts, prompts } from "../src/presets/store.ts";
import { spokenPieces, spokenText, withHeard } from "../src/speech/words.ts";

test("variables are named once each, in their order, and filled in everywhere", () => {
  const text = "Translate {{ text }} to {{language}}, as {{language}} is spoken. {{}} {x} {{a\nb}}";
  assert.deepEqual(variablesOf(text), ["text", "language"]);
  const values = new Map([
    ["text", "a $& b {{language}}"],
    ["language", "Dutch"],
  ]);
  assert.equal(filled(text, values), "Translate a $& b {{language}} to Dutch, as Dutch is spoken. {{}} {x} {{a\nb}}");
  assert.equal(filled("{{one}} {{two}}", new Map([["one", "1"]])), "1 {{two}}");
});

test("what is stored is read with care", () => {
  assert.deepEqual(readPrompt("1", { title: "T", text: "x" }), { id: "1", title: "T", text: "x" });
  for (const odd of [undefined, null, 1, "x", {}, { title: 1, text: "x" }])
    assert.equal(readPrompt("1", odd), undefined);
  const persona = readPersona("2", { name: "Chef", instructions: "Cook.", tools: ["a", 1] });
  assert.deepEqual(persona, { id: "2", name: "Chef", instructions: "Cook.", model: undefined, tools: ["a"] });
  assert.equal(readPersona("2", { name: "Chef" }), undefined);
});

test("an answer from before a prompt was deleted does not bring it back", async (context) => {
  const value = Buffer.from(JSON.stringify({ title: "Translate", text: "x" })).toString("base64");
  const before = Response.json({ data: [{ key: ["dwell.page", "prompts", "1"], value }] });
  let answerFirst = (_: Response): void => undefined;
  const answers = [
    new Promise<Response>((resolve) => (answerFirst = resolve)),
    Promise.resolve(Response.json({})),
    Promise.resolve(Response.json({ data: [] })),
  ];
  context.mock.method(globalThis, "fetch", () => answers.shift());
  const opened = loadPrompts();
  await deleteItem("prompts", "1");
  assert.deepEqual(prompts.value, []);
  answerFirst(before);
  await opened;
  assert.deepEqual(prompts.value, []);
});

test("a persona sets only what was chosen", () => {
  assert.deepEqual(settingsOf({ id: "1", name: "Chef", instructions: " " }), { preferences: { persona: "Chef" } });
  assert.deepEqual(settingsOf({ id: "1", name: "Chef", instructions: "Cook.", model: "a/b", tools: [] }), {
    model: "a/b",
    preferences: { persona: "Chef", instructions: "Cook." },
    policy: { allow: [] },
  });
});

test("code and signs are not read aloud, and lines end as sentences", () => {
  const answer = "## Soup\n\n- **two** onions\n- salt\n\n```js\nboil();\n```\n\nThen [wait](https://example.org)[1].";
  assert.equal(spokenText(answer), "Soup. two onions. salt. Then wait.");
  assert.equal(spokenText("| Day | Meal |\n|---|---|\n| Monday | Soup |"), "Day, Meal. Monday, Soup");
});

test("long texts are spoken in pieces that end between sentences or words", () => {
  assert.deepEqual(spokenPieces("One. Two! Three?", 9), ["One. Two!", "Three?"]);
  assert.deepEqual(spokenPieces("a long sentence without an end", 10), ["a long", "sentence", "without an", "end"]);
  assert.deepEqual(spokenPieces("abcdefghij", 4), ["abcd", "efgh", "ij"]);
  assert.deepEqual(spokenPieces(""), []);
});

test("what was heard goes behind the draft", () => {
  assert.equal(withHeard("", " hello "), "hello");
  assert.equal(withHeard("I say", "hello"), "I say hello");
  assert.equal(withHeard("I say\n", "hello"), "I say\nhello");
  assert.equal(withHeard("I say", " "), "I say");
});
