/** Alerts: what waits for the user, in words, and what of it is new. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { wire } from "@dwell/client";
import { changes, placeOf, titleWith, unseenOf, waitingAlerts, waitingOf, withRaised } from "../src/alerts/waiting.ts";

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

const alert: wire.Alert = {
  alert_id: "L1",
  session_id: "S1",
  at: "2026-11-18T10:00:00Z",
  kind: "reminder",
  title: "Pizza",
  schedule_id: "P1",
};

test("an alert waits until it is seen; an approval waits as itself", () => {
  const raised = withRaised([], alert);
  assert.equal(withRaised(raised, alert), raised);
  const both = withRaised(raised, { ...alert, alert_id: "L2", kind: "approval_waiting" });
  assert.deepEqual(
    unseenOf(both).map(({ alert_id: id }) => id),
    ["L1"],
  );
  assert.deepEqual(unseenOf(raised.map((one) => ({ ...one, seen: true }))), []);
});

test("only an alert that came while the page was open is announced", () => {
  const unseen = unseenOf(withRaised([], alert));
  assert.equal(waitingAlerts(unseen, new Set())[0]?.isQuiet, true);
  assert.equal(waitingAlerts(unseen, new Set(["L1"]))[0]?.isQuiet, false);
});

test("an alert leads to its turn, or to its schedule", () => {
  assert.deepEqual(placeOf(alert), { view: "planned", detail: "P1" });
  assert.deepEqual(placeOf({ ...alert, turn_id: "T1" }), { view: "talk", session: "S1", detail: "T1" });
});
