/** Texts about the work of a turn, and attachments of a message. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { wire } from "@dwell/client";
import { Turn, type TurnState } from "../src/store/turn.ts";
import { citationsOf } from "../src/talk/marks.ts";
import { refuseText, splitFiles, withFiles } from "../src/talk/files.ts";
import {
  shortArguments,
  callsOf,
  contentOf,
  summaryLine,
  queuePosition,
  stageWords,
  tookMs,
} from "../src/talk/work.ts";

const STEPS: wire.Step[] = [
  {
    type: "plan",
    detail: {
      calls: [
        { call_id: "1", tool: "calculator", arguments: { expression: "2+3" } },
        { call_id: "2", tool: "get_state", arguments: { area: "kitchen" } },
      ],
    },
  },
  { type: "tool_call", detail: { call_id: "1", tool: "calculator", arguments: { expression: "2+3" } } },
  {
    type: "tool_result",
    detail: { call_id: "1", tool: "calculator", content: "5", sources: [{ title: "A", source: "a" }] },
  },
];

function state(change: Partial<TurnState> = {}): TurnState {
  const at = "2026-01-01T12:00:00.000Z";
  const turn = Turn.of({
    ...{ turn_id: "t", session_id: "s", status: "running", agent_id: "main", text: "", steps: [], attempts: 1 },
    ...{ request: { message: "?" }, created_at: at, updated_at: "2026-01-01T12:00:04.200Z", last_seq: 1 },
  });
  return { ...turn.state.value, ...change };
}

test("a call is followed from the plan to its result", () => {
  assert.deepEqual(
    callsOf(STEPS).map(({ tool, status }) => [tool, status]),
    [
      ["calculator", "ok"],
      ["get_state", "asked"],
    ],
  );
  assert.deepEqual(callsOf(STEPS)[0]?.arguments, { expression: "2+3" });
  assert.equal(callsOf(STEPS.slice(0, 2))[0]?.status, "running");
});

test("what it is at", () => {
  assert.equal(stageWords(state({ stage: "understand" }), [], false), "Understanding…");
  assert.equal(stageWords(state({ stage: "execute" }), [], true), "Thinking…");
  assert.equal(stageWords(state(), callsOf(STEPS.slice(0, 2)), false), "Calling Calculator…");
  assert.equal(stageWords(state({ status: "streaming" }), callsOf(STEPS), true), "Answering…");
});

test("what it did, in one line", () => {
  const memory = { items: [{ level: "fact" as const, text: "a" }] };
  const done = state({ status: "completed", memory });
  assert.equal(summaryLine(done, callsOf(STEPS), false), "Used 2 tools · recalled 1 memory · 4.2 s");
  assert.equal(summaryLine(done, [], true), "Recalled 1 memory · reasoned · 4.2 s");
  assert.equal(summaryLine(state({ status: "completed", stats: { duration_ms: 0 } }), [], false), "Details");
  assert.equal(tookMs(state()), undefined);
});

test("sources are the answer's, and before there is one the tools'", () => {
  assert.deepEqual(citationsOf(state({ steps: STEPS }), ""), [{ title: "A", source: "a" }]);
  assert.deepEqual(citationsOf(state({ steps: STEPS, response: { message: "5", model: "m" } }), "5"), []);
});

test("places in a line", () => {
  assert.deepEqual([1, 2, 3, 4, 11, 22, 113].map(queuePosition), [
    "Next in the queue",
    "2nd in the queue",
    "3rd in the queue",
    "4th in the queue",
    "11th in the queue",
    "22nd in the queue",
    "113th in the queue",
  ]);
});

test("arguments and results in short", () => {
  assert.equal(shortArguments({ a: "x\ny", b: [1, true], c: null }), "x y, 1, yes");
  assert.ok(shortArguments({ a: "z".repeat(500) }).length < 100);
  assert.deepEqual(contentOf('{"a":1}'), { a: 1 });
  assert.equal(contentOf("{not json"), "{not json");
});

test("texts go along in the message, and come out of it again", () => {
  const text = 'let a = "```";\nlet b = "`";';
  const message = withFiles("Look at this", [
    { kind: "text", id: "1", name: "main.ts", text },
    { kind: "text", id: "2", name: "notes", text: "one\n\ntwo\n" },
  ]);
  const { words, files } = splitFiles(message);
  assert.equal(words, "Look at this");
  assert.deepEqual(files, [
    { name: "main.ts", language: "ts", text },
    { name: "notes", language: "", text: "one\n\ntwo" },
  ]);
  assert.deepEqual(splitFiles("no `File` here"), { words: "no `File` here", files: [] });
});

test("what is no text is refused with what to do", () => {
  assert.equal(refuseText("a.txt", "words", 5), undefined);
  assert.match(refuseText("a.zip", "PK\u0000", 3) ?? "", /neither an image/);
  assert.match(refuseText("a.txt", "words", 1e6) ?? "", /too large/);
});
