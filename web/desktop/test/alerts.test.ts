/** Alerts: what waits for the user, in words, and what of it is new. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { changes, titleWith, waitingOf } from "../src/alerts/waiting.ts";

const approval = { approval_id: "A1", session_id: "S1", tool: "book_table", reason: "it acts" };
const question = { dialog_id: "D1", title: "Which colour?", text: "For the wall" };

test("approvals name their tool and session, questions their title and the open session", () => {
  assert.deepEqual(waitingOf([approval], [question], "S2"), [
    { id: "A1", session: "S1", title: "Allow “Book table”?", body: "it acts" },
    { id: "D1", session: "S2", title: "Which colour?", body: "For the wall" },
  ]);
});

test("each is announced once, and is over once it is answered", () => {
  const both = waitingOf([approval], [question], "S1");
  const first = changes(new Set(), both);
  assert.deepEqual(
    first.fresh.map(({ id }) => id),
    ["A1", "D1"],
  );
  assert.deepEqual(first.over, []);
  const second = changes(new Set(["A1", "D1"]), waitingOf([], [question], "S1"));
  assert.deepEqual(second, { fresh: [], over: ["A1"] });
});

test("the title counts what waits", () => {
  assert.equal(titleWith(0, "Chat · Dwell"), "Chat · Dwell");
  assert.equal(titleWith(2, "Chat · Dwell"), "(2) Chat · Dwell");
});
