/** Texts of the memory view, and diffs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "../src/memory/diff.ts";
import { tabOf } from "../src/memory/tabs.ts";
import {
  describeForgotten,
  fromUsed,
  describeImported,
  isStoredApart,
  ownWords,
  scoreParts,
  sectionName,
  validity,
} from "../src/memory/words.ts";

const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${kind === "same" ? " " : kind === "added" ? "+" : "-"}${text}`);

test("texts are compared by lines", () => {
  assert.deepEqual(shown("a\nb\nc", "a\nx\nc"), [" a", "-b", "+x", " c"]);
  assert.deepEqual(shown("a\nb", "a\nb\nc"), [" a", " b", "+c"]);
  assert.deepEqual(shown("a\nb\nc\nd", "b\nd\ne"), ["-a", " b", "-c", " d", "+e"]);
  assert.deepEqual(shown("same", "same"), [" same"]);
  assert.deepEqual(shown("", "a"), ["-", "+a"]);
});

test("either text can be made from the comparison", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  for (let round = 0; round < 200; round += 1) {
    const text = () => Array.from({ length: random(12) + 1 }, () => "abcd"[random(4)]).join("\n");
    const [before, after] = [text(), text()];
    const lines = diffLines(before, after);
    const without = (kind: string) => lines.filter((line) => line.kind !== kind).map((line) => line.text);
    assert.equal(without("added").join("\n"), before);
    assert.equal(without("removed").join("\n"), after);
  }
});

test("large texts are compared in time", () => {
  const text = (offset: number) => Array.from({ length: 5_000 }, (_, index) => `${index + offset}`).join("\n");
  assert.ok(diffLines(text(0), text(1)).length > 0);
});

test("addresses say which part is meant", () => {
  assert.deepEqual(tabOf(undefined), { tab: "profile" });
  assert.deepEqual(tabOf("facts"), { tab: "facts" });
  assert.deepEqual(tabOf("01M7GMTW3JNQH31F3AWV0QJCRY"), { tab: "used", turn: "01M7GMTW3JNQH31F3AWV0QJCRY" });
  assert.deepEqual(tabOf("nonsense"), { tab: "profile" });
});

test("validity in words", () => {
  const [spring, autumn] = ["2026-03-01T12:00:00.000Z", "2026-10-01T12:00:00.000Z"];
  assert.match(validity(spring, undefined), /^since /);
  assert.match(validity(spring, autumn), / – /);
  assert.match(validity(undefined, autumn), /^until /);
  assert.match(validity(spring, "2026-03-01T12:30:00.000Z"), /, until /);
  assert.equal(validity(undefined, undefined), "");
  assert.equal(isStoredApart(spring, autumn), true);
  assert.equal(isStoredApart(spring, spring), false);
});

test("the parts of a score add up to it", () => {
  const score = { total: 0.57, relevance: 0.27, recency: 0.3, pinned: 0.2, conversation: 0.1, entity: 0, time: -0.3 };
  const sum = scoreParts(score).reduce((total, { value }) => total + value, 0);
  assert.ok(Math.abs(sum - score.total) < 1e-9);
  assert.ok(scoreParts({}).every(({ value }) => value === 0));
});

test("what was done is said", () => {
  assert.equal(describeForgotten({}), "There was nothing to forget.");
  assert.equal(describeForgotten({ items: ["a", "b"], sessions: ["s"] }), "Deleted: 2 items, text in 1 session.");
  assert.equal(describeImported({ facts: 1, entries: 2, known: 1 }), "New: 1 fact, 2 entries. 1 item already existed.");
  assert.equal(describeImported({}), "Nothing new.");
  assert.equal(sectionName("system"), "Dwell's instructions");
  assert.equal(sectionName("something_new"), "Something new");
});

test("a statement's words are shown where they say more than the statement", () => {
  const item = { id: "1", level: "fact", at: "", isUntrusted: false, key: "diet", value: "vegan" } as const;
  assert.equal(ownWords({ ...item, text: "diet: vegan" }), undefined);
  assert.equal(ownWords({ ...item, text: "I am vegan." }), "I am vegan.");
  assert.equal(fromUsed({ level: "entry", text: "words" }).value, undefined);
});
