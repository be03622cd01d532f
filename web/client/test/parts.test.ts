/** Unit tests, without a server. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { FeedEvent } from "../src/events.js";
import { Feed, RECENT } from "../src/feed.js";
import { isRepeatable, REPEATABLE, sessionRef, Transcript } from "../src/index.js";
import { socketAddress } from "../src/access.js";
import { Listener } from "../src/listener.js";
import { TurnReader } from "../src/turn-reader.js";

// Compiled, this file is two folders deeper than its source.
const reference = readFileSync(new URL("../../../../docs/reference/wire.md", import.meta.url), "utf8");

function feedEvent(type: string, data: object, seq?: number): FeedEvent {
  return { type, session_id: "s", turn_id: "t", agent_id: "main", at: "", data, seq } as unknown as FeedEvent;
}

test("every message of the wire reference is known, and none else", () => {
  const section = reference.split("## Messages from the client")[1]?.split("\n## ")[0] ?? "";
  const names = [...section.matchAll(/^### `(.+)`$/gm)].map((match) => match[1]);
  assert.ok(names.length > 30);
  // A server may be older than the client.
  const newer = ["tool.serve", "tool.progress"].filter((name) => !names.includes(name));
  assert.deepEqual(Object.keys(REPEATABLE).sort(), [...names, ...newer].sort());
});

test("what is safe to repeat depends on what it carries", () => {
  assert.ok(isRepeatable("turn.get", {}));
  assert.ok(isRepeatable("chat.send", { idempotency_key: "k" }));
  assert.ok(!isRepeatable("chat.send", {}));
  assert.ok(isRepeatable("agent.cancel", { turn_id: "t" }));
  assert.ok(!isRepeatable("agent.cancel", { session_id: "s" }));
  assert.ok(!isRepeatable("invented.tomorrow", {}));
});

test("text comes once however it is repeated", () => {
  const text = Array.from("hé🙂llo wörld, 🙂🙂 and more");
  const piece = (from: number, to: number) => text.slice(from, to).join("");
  let chance = 7;
  const roll = (below: number) => {
    chance = (chance * 1103515245 + 12345) % 2147483648;
    return Math.floor((chance / 2147483648) * below);
  };
  for (let round = 0; round < 200; round += 1) {
    const transcript = new Transcript();
    let [shown, settled] = ["", 0];
    while (settled < text.length) {
      const isNumbered = roll(10) < 4;
      const start = isNumbered ? settled : roll(text.length);
      const end = start + roll(text.length - start + 1);
      shown += transcript.take(start, piece(start, end), isNumbered);
      if (isNumbered) settled = end;
      assert.ok(text.join("").startsWith(shown));
    }
    assert.equal(shown, text.join(""));
    assert.equal(transcript.text, shown);
  }
});

test("research events keep their types", () => {
  const reader = new TurnReader("s", "t");
  const types = ["research.started", "research.chunk", "research.done"].map(
    (type, index) => reader.read(feedEvent(type, { call_id: "c" }, index + 2))[0]?.type,
  );
  assert.deepEqual(types, ["research_started", "research_chunk", "research_done"]);
});

test("void text is sent again", () => {
  const reader = new TurnReader("s", "t");
  reader.read(feedEvent("chat.token", { offset: 0, delta: "🙂ello wor" }));
  const resumed = reader.read(feedEvent("turn.status", { status: "resumed", text_offset: 5 }, 7));
  assert.deepEqual(resumed.at(-1), { type: "restarted", offset: 5, seq: 7 });
  assert.deepEqual(reader.read(feedEvent("chat.token", { offset: 5, delta: "!" }, 8)), [
    { type: "token", offset: 5, text: "!", seq: 8 },
  ]);
  const [final] = reader.read(feedEvent("turn.status", { status: "failed" }, 9));
  assert.ok(final?.type === "final");
  assert.equal(final.message, "🙂ello!");
});

test("unknown events are passed on", () => {
  const event = feedEvent("turn.mood", { mood: "fine" }, 3);
  assert.deepEqual(new TurnReader("s", "t").read(event), [{ type: "other", event, seq: 3 }]);
});

test("a listener takes numbers once and in order, and catches up when it was full", async () => {
  const listener = new Listener<number>({ after: 2, read: (event) => [event.seq ?? 0], capacity: 2 });
  const offer = (seq: number) => listener.offer(feedEvent("x", {}, seq), true);
  assert.deepEqual([offer(2), offer(4), offer(3), offer(4), offer(5)], ["known", "gap", "taken", "taken", "full"]);
  listener.catchUp = () => {
    assert.equal(listener.cursor, 4);
    offer(5);
  };
  assert.deepEqual([await listener.get(), await listener.get(), await listener.get()], [3, 4, 5]);
});

test("a feed serves late listeners from what it keeps", () => {
  const listen = (after: number) => new Listener<unknown>({ after, read: (event) => [event], capacity: 10_000 });
  const feed = new Feed("s");
  assert.ok(!feed.serve(listen(0), true), "it is not joined yet");
  feed.begin();
  assert.ok(feed.serve(listen(0), true));
  assert.ok(!feed.serve(listen(0), false), "what came before is not known");
  for (let seq = 6; seq < 6 + RECENT; seq += 1) feed.take(feedEvent("x", {}, seq));
  const late = listen(5);
  assert.ok(feed.serve(late, false));
  assert.equal(late.cursor, 5 + RECENT);
  feed.take(feedEvent("x", {}, 6 + RECENT));
  assert.ok(!feed.serve(listen(5), false), "its beginning is no longer kept");
});

test("addresses lead to the socket, ids and names are told apart", () => {
  assert.equal(socketAddress("http://127.0.0.1:7437"), "ws://127.0.0.1:7437/ws");
  assert.equal(socketAddress("https://home.example/dwell/"), "wss://home.example/dwell/ws");
  assert.equal(socketAddress("ws://127.0.0.1:1/ws"), "ws://127.0.0.1:1/ws");
  assert.deepEqual(sessionRef("01ARZ3NDEKTSV4RRFFQ69G5FAV"), { session_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
  assert.deepEqual(sessionRef("kitchen"), { conversation_id: "kitchen" });
});
