/** Turns, sessions, memory and errors, against the real server. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  CannotConnect,
  ConnectionLost,
  connect,
  type Dwell,
  Refused,
  TurnError,
  type TurnEvent,
  ticketFrom,
} from "../src/index.js";
import { clientOf, FAST_RETRY, Program, ScriptedModel, skip, TOKEN, WebSocket, words } from "./support.js";

describe("with the offline model", { skip }, () => {
  let program: Program;
  let client: Dwell;
  before(async () => {
    program = await new Program().start();
    client = await clientOf(program.url);
  });
  after(async () => {
    client.close();
    await program.end();
  });

  test("a question is answered", async () => {
    const final = await client.chat("What is 2 + 3?", { session: "sums" });
    assert.equal(final.message, "2 + 3 is 5.");
    assert.equal(final.response?.model, "offline");
  });

  test("a stream yields everything once and ends", async () => {
    const events: TurnEvent[] = [];
    for await (const event of client.stream("What is 20 + 3?", { session: "sums" })) events.push(event);
    assert.equal(events[0]?.type, "started");
    assert.equal(events.at(-1)?.type, "final");
    const text = events.map((event) => (event.type === "token" ? event.text : "")).join("");
    assert.equal(text, "20 + 3 is 23.");
    const stages = events.flatMap((event) => (event.type === "stage" ? [event.stage] : []));
    assert.deepEqual(stages, ["receive", "understand", "plan", "execute", "complete"]);
    const steps = events.flatMap((event) => (event.type === "step" ? [event.step.type] : []));
    assert.deepEqual(steps, ["plan", "tool_call", "tool_result"]);
  });

  test("a stream that is left leaves the turn alone", async () => {
    const stream = client.stream("What is 7 + 5?", { session: "left" });
    for await (const event of stream) if (event.type === "started") break;
    assert.equal((await client.attach(String(stream.turnId)).result()).message, "7 + 5 is 12.");
  });

  test("the same key gives the same turn", async () => {
    const options = { session: "keyed", idempotency_key: "k-1" };
    const first = await client.chat("What is 3 + 3?", options);
    const again = await client.chat("What is 3 + 3?", options);
    assert.equal(again.turnId, first.turnId);
    await assert.rejects(client.chat("What is 4 + 4?", options), (error: unknown) => {
      assert.ok(error instanceof Refused);
      assert.equal(error.code, "idempotency_conflict");
      assert.notEqual(error.hint, "");
      return true;
    });
  });

  test("events are replayed and followed", async () => {
    await client.chat("What is 5 + 5?", { session: "replayed" });
    const numbers: number[] = [];
    for await (const event of client.follow("replayed", { after: 3, live: true })) {
      if (event.seq !== undefined) numbers.push(event.seq);
      if (event.type === "chat.final") break;
    }
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 4),
    );
  });

  test("following a session sends a snapshot of the desktop", async () => {
    const session = await client.startSession({ key: "desktop" });
    for await (const event of client.follow(session, { after: session.last_seq, desktop: true })) {
      assert.ok(event.type === "desktop.snapshot");
      assert.equal(event.data.monitors[0]?.monitor_id, "main");
      break;
    }
  });

  test("events are limited to monitors, also to a new one", async () => {
    await client.startSession({ key: "monitors" });
    const seen = (async () => {
      for await (const event of client.follow("monitors")) {
        if (event.type === "chat.final") return event.data.message;
      }
      return undefined;
    })();
    await client.watchMonitors("monitors", ["main", "work"]);
    await client.request("monitor.subscribe", { conversation_id: "monitors", monitor_id: "work" });
    await client.chat("What is 9 + 9?", { session: "monitors", monitor_id: "work" });
    assert.equal(await seen, "9 + 9 is 18.");
  });

  test("sessions are listed and ended", async () => {
    const session = await client.startSession({ key: "garden" });
    assert.equal((await client.sessions({ limit: 1 })).data.length, 1);
    assert.equal((await client.endSession(session, "done")).status, "ended");
    await assert.rejects(client.chat("hello", { session }), { code: "session_ended" });
  });

  test("a deleted session is gone, and its followers hear of it", async () => {
    await client.chat("What is 3 + 3?", { session: "shed" });
    const session = await client.session("shed");
    const seen: string[] = [];
    let isRead: () => void = () => undefined;
    const read = new Promise<void>((resolve) => (isRead = resolve));
    const followed = (async () => {
      for await (const event of client.follow(session)) {
        seen.push(event.type);
        if (event.type === "chat.final") isRead();
      }
    })();
    const failed = assert.rejects(followed, { code: "not_found", message: /deleted/ });
    await read;
    const gone = await client.deleteSession("shed", { memories: true });
    assert.equal(gone.session_id, session.session_id);
    await failed;
    assert.equal(seen.at(-1), "session.ended");
    await assert.rejects(client.deleteSession(session), { code: "not_found" });
  });

  test("memory is written, found and forgotten", async () => {
    const line = await client.setProfile("diet", "vegan", { priority: 80 });
    assert.equal(line.priority, 80);
    assert.equal((await client.search("which diet", { scope: "user" })).items[0]?.value, "vegan");
    assert.equal((await client.getMemories({ key: "diet" })).items.length, 1);
    assert.equal((await client.forget({ key: "diet" })).items?.length, 1);
    assert.equal((await client.getMemories({ key: "diet", history: true })).items.length, 0);
  });

  test("a ticket opens a connection, each time a new one", async () => {
    const other = await connect(program.url, {
      ticket: () => ticketFrom(program.url, TOKEN),
      WebSocket,
      patience: FAST_RETRY,
    });
    assert.equal((await other.chat("What is 1 + 2?", { session: "ticket" })).message, "1 + 2 is 3.");
    other.close();
    await assert.rejects(ticketFrom(program.url, "wrong"), { code: "unauthorized" });
  });

  test("a wrong token is refused by name", async () => {
    await assert.rejects(clientOf(program.url, { token: "wrong" }), (error: unknown) => {
      assert.ok(error instanceof Refused && error.isUnauthorized);
      assert.match(error.hint, /token/);
      return true;
    });
  });

  test("a server that is not there is an error at once", async () => {
    await assert.rejects(clientOf("http://127.0.0.1:9"), CannotConnect);
    await assert.rejects(clientOf("127.0.0.1"), /address of a server/);
  });

  test("bad input is named", async () => {
    const bad = { conversation_id: "x", message: 5 } as unknown as { conversation_id: string; message: string };
    await assert.rejects(client.request("chat.send", bad), { code: "invalid_request" });
    await assert.rejects(client.turn("01ARZ3NDEKTSV4RRFFQ69G5FAV"), { code: "not_found" });
    await assert.rejects(client.cancel({}), TypeError);
  });

  test("a closed client says so", async () => {
    const other = await clientOf(program.url);
    const waiting = other.follow("closing", { after: 1 }).next();
    await other.sessions();
    other.close();
    await assert.rejects(waiting, ConnectionLost);
    await assert.rejects(other.sessions(), ConnectionLost);
  });
});

describe("with a scripted model", { skip }, () => {
  let program: Program;
  let model: ScriptedModel;
  let client: Dwell;
  before(async () => {
    model = await ScriptedModel.start();
    program = await new Program(model).start();
    client = await clientOf(program.url);
  });
  after(async () => {
    client.close();
    await program.end();
    model.stop();
  });

  test("two sessions share one socket", async () => {
    model.rule = (messages) => {
      const name = JSON.stringify(messages.at(-1)).includes("red") ? "red" : "blue";
      return words(Array(30).fill(name).join(" "), 5);
    };
    const [red, blue] = await Promise.all([
      client.chat("say red please", { session: "r" }),
      client.chat("say blue please", { session: "b" }),
    ]);
    assert.deepEqual(new Set(red.message.trim().split(" ")), new Set(["red"]));
    assert.deepEqual(new Set(blue.message.trim().split(" ")), new Set(["blue"]));
  });

  test("a running turn is cancelled", async () => {
    model.rule = () => words("one two three ".repeat(200), 20);
    const stream = client.stream("count for me", { session: "c" });
    for (;;) {
      const { value } = await stream.next();
      if (value?.type === "token") break;
    }
    const turnId = String(stream.turnId);
    assert.deepEqual((await client.cancel({ turnId, reason: "enough" })).turn_ids, [turnId]);
    const final = await stream.result();
    assert.deepEqual([final.status, final.reason], ["cancelled", "enough"]);
    assert.equal(final.message, stream.text);
    assert.equal((await client.turn(turnId)).text, stream.text);
  });

  test("a chat that is cancelled throws", async () => {
    model.rule = () => words("one two three ".repeat(200), 20);
    const chat = client.chat("count again", { session: "d" });
    const cancelled = assert.rejects(chat, (error) => error instanceof TurnError && error.status === "cancelled");
    for await (const event of client.follow("d", { live: true })) if (event.type === "chat.token") break;
    await client.cancel({ session: "d" });
    await cancelled;
  });
});
