/** Descriptions and rows of the journal. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { wire } from "@dwell/client";
import { sectionDuration, offsetsOf, rowAt, rowOf, rowsOf, visibleRows, filterEvents } from "../src/journal/rows.ts";
import { groupOf, describeEvent, titlesOf } from "../src/journal/words.ts";

type Body = wire.SessionEvent extends infer E
  ? E extends { type: string; data: unknown }
    ? Pick<E, "type" | "data">
    : never
  : never;

function event(seq: number, body: Body, turn?: string): wire.SessionEvent {
  const at = new Date(Date.UTC(2026, 10, 15, 20, 0, seq)).toISOString();
  return {
    seq,
    session_id: "s",
    at,
    ...(turn !== undefined && { turn_id: turn, agent_id: "main" }),
    ...body,
  };
}

const said = (seq: number, message: string, turn: string) =>
  event(seq, { type: "message.accepted", data: { turn_id: turn, agent_id: "main", message } }, turn);
const wrote = (seq: number, delta: string, turn: string) =>
  event(seq, { type: "chat.token", data: { offset: 0, delta } }, turn);
const ended = (seq: number, turn: string) => event(seq, { type: "turn.status", data: { status: "completed" } }, turn);

describe("events in words", () => {
  it("says what happened", () => {
    const call: wire.Step = {
      type: "tool_call",
      detail: { call_id: "1", tool: "home_search", arguments: { text: "lamp", limit: 3 } },
    };
    assert.equal(describeEvent(said(1, "hello", "t")), "You: “hello”");
    assert.equal(describeEvent(event(2, { type: "step", data: call })), "Called home_search with text “lamp”, limit 3");
    const resolved: Body = { type: "approval.resolved", data: { approval_id: "a", decision: "once", by: "owner" } };
    assert.equal(describeEvent(event(3, resolved)), "Approval: allowed once");
    const stage: Body = { type: "turn.stage", data: { stage: "plan", detail: { way: "tool_loop" } } };
    assert.equal(describeEvent(event(4, stage)), "Planned: tool loop");
    assert.equal(describeEvent(ended(5, "t")), "Completed");
    const failed: Body = {
      type: "turn.status",
      data: { status: "failed", error: { code: "x", message: "the model is away", recoverable: true } },
    };
    assert.equal(describeEvent(event(6, failed)), "Failed: the model is away");
  });

  it("knows windows by their titles", () => {
    const bounds = { x: 0, y: 0, width: 1, height: 1 };
    const content = { type: "text" as const, text: "" };
    const opened = event(1, {
      type: "actions",
      data: { actions: [{ type: "window.create", window_id: "w1", title: "Shopping", bounds, content }] },
    });
    const closed = event(2, { type: "actions", data: { actions: [{ type: "window.close", window_id: "w1" }] } });
    assert.equal(describeEvent(opened), "Window “Shopping” opened");
    assert.equal(describeEvent(closed, titlesOf([opened])), "Window “Shopping” closed");
    assert.equal(describeEvent(closed), "Window w1 closed");
  });

  it("gives what a newer server tells a name of its own", () => {
    const unknown = { ...ended(1, "t"), type: "weather.changed", data: {} } as unknown as wire.SessionEvent;
    assert.equal(describeEvent(unknown), "Weather changed");
    assert.equal(groupOf(unknown), "status");
  });
});

describe("rows of a journal", () => {
  const events = [
    event(1, { type: "session.started", data: { owner: "o", settings: {} } }),
    said(2, "first", "a"),
    wrote(3, "one", "a"),
    said(4, "second", "b"),
    ended(5, "a"),
    wrote(6, "two", "b"),
    ended(7, "b"),
  ];
  const none = { folded: new Set<number>(), open: new Set<number>() };

  it("are filtered by group, turn and words", () => {
    const sifted = (filter: Partial<Parameters<typeof filterEvents>[1]>) =>
      filterEvents(events, { groups: new Set(), words: "", ...filter }, describeEvent).map(({ seq }) => seq);
    assert.deepEqual(sifted({}), [1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual(sifted({ groups: new Set(["text"]) }), [3, 6]);
    assert.deepEqual(sifted({ turnId: "a" }), [2, 3, 5]);
    assert.deepEqual(sifted({ words: "SECOND" }), [4]);
  });

  it("have a head above each stretch of a turn, which says when it goes on", () => {
    const rows = rowsOf(events, { isGrouped: true, ...none });
    const heads = rows.flatMap((row) => (row.type === "turn" ? [row.turn] : []));
    assert.deepEqual(
      heads.map(({ turnId, count, isContinued }) => [turnId, count, isContinued]),
      [
        [undefined, 1, false],
        ["a", 2, false],
        ["b", 1, false],
        ["a", 1, true],
        ["b", 2, true],
      ],
    );
    const last = heads.at(-1);
    assert.ok(last);
    assert.equal(last.ended, "completed");
    assert.equal(sectionDuration(last), 1_000);
    assert.equal(rowsOf(events, { isGrouped: false, ...none }).length, 7);
  });

  it("are folded, opened, and found by number", () => {
    const rows = rowsOf(events, { isGrouped: true, folded: new Set([2]), open: new Set([4]) });
    assert.equal(rowOf(rows, 3), 2);
    assert.equal(rows[rowOf(rows, 4)]?.key, "4");
    assert.equal(rowOf(rows, 99), -1);
    const offsets = offsetsOf(rows, { turn: 40, event: 30, open: 200 });
    assert.equal(offsets.at(-1), 5 * 40 + 5 * 30 + 200);
  });

  it("read words that came piece by piece as one", () => {
    const pieces = [
      wrote(1, "The ", "a"),
      wrote(2, "garden", "a"),
      wrote(3, "other", "b"),
      ended(4, "b"),
      wrote(5, "on", "b"),
    ];
    const rows = rowsOf(pieces, { isGrouped: false, ...none });
    assert.deepEqual(
      rows.map((row) => (row.type === "event" ? [row.event.seq, row.run?.last, row.run?.text] : [])),
      [
        [1, 2, "The garden"],
        [3, 3, "other"],
        [4, undefined, undefined],
        [5, 5, "on"],
      ],
    );
    assert.equal(rowOf(rows, 2), 0);
  });

  it("are drawn where they are seen, of a hundred thousand", () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ended(index + 1, `t${Math.floor(index / 20)}`));
    const rows = rowsOf(many, { isGrouped: true, ...none });
    const offsets = offsetsOf(rows, { turn: 44, event: 34, open: 280 });
    const { from, to } = visibleRows(offsets, 1_700_000, 900);
    assert.ok(to - from < 70);
    assert.equal(rowAt(offsets, offsets[from] ?? 0), from);
    assert.ok((offsets[from] ?? 0) <= 1_700_000 && (offsets[to] ?? 0) >= 1_700_900);
    assert.deepEqual(visibleRows(new Float64Array(1), 0, 100), { from: 0, to: 0 });
  });
});
