/** The turn store: each word once, whatever happens to the connection and the server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codePoints, type FeedEvent, type wire } from "@dwell/client";
import { isDeleted, isFinal, isMoving, Turn } from "../src/store/turn.ts";

const SESSION = "01M7GMRQ9XSMQNJC9YSRYDE14A";
const TURN = "01M7GMRQJNNEN70QX53M1F02HG";
const AT = "2026-01-01T12:00:00.000Z";
const about = { session_id: SESSION, turn_id: TURN, agent_id: "main", at: AT };

type Accepted = Extract<wire.SessionEvent, { type: "message.accepted" }>;

function begun(): Turn {
  const data = { turn_id: TURN, agent_id: "main", message: "Tell me a story" };
  const event: Accepted = { ...about, seq: 2, type: "message.accepted", data };
  return Turn.fromAccepted(event);
}

function live(offset: number, delta: string): FeedEvent {
  return { ...about, type: "chat.token", data: { offset, delta } };
}

function kept(seq: number, offset: number, delta: string): FeedEvent {
  return { ...about, seq, type: "chat.token", data: { offset, delta } };
}

function thought(seq: number, offset: number, delta: string): wire.SessionEvent {
  return { ...about, seq, type: "agent.thinking", data: { offset, delta } };
}

function status(seq: number, data: wire.StatusChanged): FeedEvent {
  return { ...about, seq, type: "turn.status", data };
}

function final(seq: number, message: string): FeedEvent {
  return { ...about, seq, type: "chat.final", data: { message, model: "test" } };
}

function stands(change: Partial<wire.TurnView> = {}): wire.TurnView {
  return {
    ...{ turn_id: TURN, session_id: SESSION, status: "streaming", agent_id: "main", text: "", steps: [], attempts: 1 },
    ...{ request: { message: "Tell me a story" }, created_at: AT, updated_at: AT, last_seq: 5 },
    ...change,
  };
}

/** Waits for the next frame, which is a timer without a screen. */
const drawn = () => new Promise((resolve) => setTimeout(resolve, 300));

test("a message that is accepted is a turn that waits", () => {
  const turn = begun();
  assert.equal(turn.state.value.status, "pending");
  assert.equal(turn.state.value.asked.message, "Tell me a story");
  turn.take({ ...about, seq: 3, type: "message.queued", data: { turn_id: TURN, position: 2 } });
  assert.equal(turn.state.value.position, 2);
  turn.take({ ...about, seq: 4, type: "turn.stage", data: { stage: "receive" } });
  assert.equal(turn.state.value.status, "running");
  assert.equal(turn.state.value.position, undefined);
});

test("words that come live and again from the journal are there once", async () => {
  const turn = begun();
  turn.take(live(0, "Once "));
  turn.take(live(5, "upon "));
  turn.take(kept(4, 0, "Once upon "));
  turn.take(live(10, "a time"));
  turn.take(live(5, "upon a time"));
  await drawn();
  assert.equal(turn.text.value, "Once upon a time");
  assert.equal(turn.state.value.status, "streaming");
});

test("an event that is told again changes nothing", async () => {
  const turn = begun();
  turn.take(kept(4, 0, "One"));
  turn.take(kept(4, 3, " two"));
  const steer: FeedEvent = { ...about, seq: 5, type: "message.steered", data: { turn_id: TURN, message: "shorter" } };
  turn.take(steer);
  turn.take(steer);
  await drawn();
  assert.equal(turn.text.value, "One");
  assert.equal(turn.state.value.steers.length, 1);
});

test("a restart in mid-answer loses no word and doubles none", async () => {
  const turn = begun();
  turn.take(kept(4, 0, "Once upon "));
  // These words were only sent live; the server died before they were in the journal.
  turn.take(live(10, "a time there was"));
  turn.take(status(5, { status: "interrupted", reason: "restart" }));
  assert.equal(turn.state.value.status, "interrupted");
  turn.take(status(6, { status: "resumed", attempt: 2, text_offset: 10 }));
  await drawn();
  assert.equal(turn.text.value, "Once upon ");
  assert.equal(turn.state.value.status, "streaming");
  assert.equal(turn.state.value.attempts, 2);
  turn.take(live(10, "a midnight"));
  turn.take(kept(7, 10, "a midnight dreary"));
  turn.take(final(8, "Once upon a midnight dreary"));
  turn.take(status(9, { status: "completed" }));
  await drawn();
  assert.equal(turn.text.value, "Once upon a midnight dreary");
  assert.ok(isFinal(turn.state.value.status));
});

test("a restart that begins anew takes back every word", async () => {
  const turn = begun();
  turn.take(live(0, "Half an ans"));
  turn.take(status(4, { status: "resumed", text_offset: 0 }));
  assert.equal(turn.state.value.status, "running");
  turn.take(live(0, "Whole answer"));
  await drawn();
  assert.equal(turn.text.value, "Whole answer");
});

test("offsets count code points, not units of the string", async () => {
  const turn = begun();
  turn.take(live(0, "👩🏽‍🚀 flies"));
  turn.take(kept(4, 0, "👩🏽‍🚀 flies"));
  turn.take(live(codePoints("👩🏽‍🚀 flies"), " home"));
  await drawn();
  assert.equal(turn.text.value, "👩🏽‍🚀 flies home");
});

test("live words behind a hole wait for the journal", async () => {
  const turn = Turn.of(stands({ text: "Once " }));
  turn.take(live(10, "a time"));
  await drawn();
  assert.equal(turn.text.value, "Once ");
  turn.take(kept(6, 5, "upon a time"));
  await drawn();
  assert.equal(turn.text.value, "Once upon a time");
});

test("a turn that is read in the middle goes on from there", async () => {
  const turn = Turn.of(stands({ text: "Once upon ", last_seq: 5 }));
  // Already in the text.
  turn.take(kept(5, 5, "upon "));
  turn.take(kept(6, 10, "a time"));
  await drawn();
  assert.equal(turn.text.value, "Once upon a time");
});

test("the answer counts where it is not what was streamed", async () => {
  const turn = begun();
  turn.take(live(0, "secret 1234"));
  turn.take(final(4, "secret [removed]"));
  turn.take(status(5, { status: "completed" }));
  turn.take(live(11, " more"));
  await drawn();
  assert.equal(turn.text.value, "secret [removed]");
});

test("a failed turn keeps its words and says why", async () => {
  const turn = begun();
  turn.take(live(0, "Half"));
  const error = { code: "model_unavailable", message: "The model is away.", recoverable: true };
  turn.take(status(4, { status: "failed", error }));
  await drawn();
  assert.equal(turn.text.value, "Half");
  assert.deepEqual(turn.state.value.error, error);
  assert.ok(!isMoving(turn.state.value.status));
});

test("what the journal has of an earlier turn is filled in", () => {
  const turn = Turn.of(stands({ status: "completed", text: "Yes." }));
  turn.mergeEvents([
    { ...about, seq: 3, type: "memory.used", data: { items: [{ level: "profile", text: "vegan" }] } },
    thought(4, 0, "Hm, "),
    thought(5, 4, "yes."),
    { ...about, seq: 6, type: "message.steered", data: { turn_id: TURN, message: "be brief" } },
  ]);
  assert.equal(turn.state.value.memory?.items?.length, 1);
  assert.equal(turn.thinking.value, "Hm, yes.");
  assert.equal(turn.state.value.steers[0]?.message, "be brief");
  assert.equal(turn.text.value, "Yes.");
});

test("reasoning that was joined in the middle gets its beginning, and keeps its end", async () => {
  const turn = Turn.of(stands());
  turn.take(thought(7, 10, "and so on"));
  await drawn();
  assert.equal(turn.thinking.value, "and so on");
  turn.mergeEvents([thought(4, 0, "First this")]);
  assert.equal(turn.thinking.value, "First thisand so on");
});

test("questions that are open are read from the journal too", () => {
  const turn = Turn.of(stands({ status: "waiting" }));
  const approval = (id: string): wire.SessionEvent => ({
    ...about,
    seq: 6,
    type: "approval.request",
    data: {
      ...{ approval_id: id, turn_id: TURN, call_id: "1", tool: "send", arguments: {}, digest: "", safety: "sends" },
      ...{ effect: "at_most_once", reason: "it sends", expires_at: AT },
    },
  });
  const answered: wire.SessionEvent = {
    ...about,
    seq: 7,
    type: "approval.resolved",
    data: { approval_id: "a", decision: "once", by: "owner" },
  };
  turn.mergeEvents([approval("a"), answered, approval("b")]);
  assert.deepEqual(
    turn.state.value.approvals.map(({ approval_id }) => approval_id),
    ["b"],
  );
});

test("a turn counts as deleted when its message and its answer are", () => {
  const asked = { message: "[forgotten]" };
  const response = { message: "[forgotten]" } as wire.Response;
  assert.ok(isDeleted({ asked, response }));
  assert.ok(isDeleted({ asked, response: undefined }));
  assert.ok(!isDeleted({ asked: { message: "What does [forgotten] mean?" }, response }));
  assert.ok(!isDeleted({ asked, response: { message: "It is a mark." } as wire.Response }));
});
