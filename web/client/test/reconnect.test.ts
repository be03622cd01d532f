/** Broken connections and killed servers: nothing is lost and nothing comes twice. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { ConnectionLost, codePoints, type Dwell, sliceCodePoints, type TurnEvent } from "../src/index.js";
import { clientOf, cuttingProxy, Program, ScriptedModel, skip, words } from "./support.js";

const STORY = Array.from({ length: 60 }, (_, number) => `${number}·ünï🙂`).join(" ");

/** The text that a consumer assembles as the README describes. */
function assemble(events: TurnEvent[]): string {
  let text = "";
  for (const event of events) {
    if (event.type === "token") {
      assert.equal(event.offset, codePoints(text), "a character is lost or repeated");
      text += event.text;
    }
    if (event.type === "restarted") text = sliceCodePoints(text, 0, event.offset);
  }
  return text;
}

/** A turn's text from the journal's events alone. */
async function journalText(client: Dwell, sessionId: string, turnId: string): Promise<string> {
  let text = "";
  const { events } = await client.request("session.export", { session_id: sessionId });
  for (const event of events) {
    if (event.turn_id !== turnId) continue;
    if (event.type === "chat.token") text += event.data.delta;
    if (event.type === "turn.status" && event.data.status === "resumed") {
      text = sliceCodePoints(text, 0, event.data.text_offset ?? 0);
    }
  }
  return text;
}

describe("trouble", { skip }, () => {
  let program: Program;
  let model: ScriptedModel;
  before(async () => {
    model = await ScriptedModel.start();
    program = await new Program(model).start();
  });
  after(async () => {
    await program.end();
    model.stop();
  });

  test("a stream survives the death of the server", async () => {
    model.rule = () => words(STORY, 10);
    const states: string[] = [];
    const client = await clientOf(program.url, { onConnection: (state) => states.push(state) });
    const stream = client.stream("tell me a story", { session: "story" });
    const events: TurnEvent[] = [];
    let isKilled = false;
    for await (const event of stream) {
      events.push(event);
      if (!isKilled && stream.text.length > 200) {
        isKilled = true;
        await program.kill();
        model.rule = () => words(STORY.toUpperCase(), 1);
        await program.start();
      }
    }
    const final = events.at(-1);
    assert.ok(final?.type === "final");
    assert.equal(final.status, "completed");
    assert.ok(events.some((event) => event.type === "restarted"));
    assert.equal(final.message.trim(), STORY.toUpperCase());
    assert.equal(assemble(events), final.message);
    assert.equal(stream.text, final.message);
    assert.equal(await journalText(client, final.sessionId, final.turnId), final.message);
    assert.deepEqual(states, ["up", "down", "up"]);
    client.close();
  });

  test("connections are cut after every frame from the server", async () => {
    model.rule = () => words(STORY, 5);
    // Each connection carries one frame more than the one before, so that every boundary is cut
    // once.
    let frames = 0;
    const proxy = await cuttingProxy(program.port, () => {
      frames += 1;
      return frames;
    });
    const client = await clientOf(proxy.url);
    for (let round = 0; round < 3; round += 1) {
      frames = 0;
      const stream = client.stream("tell me", { session: "cut" });
      const events: TurnEvent[] = [];
      for await (const event of stream) events.push(event);
      const final = events.at(-1);
      assert.ok(final?.type === "final");
      assert.equal(final.message.trim(), STORY);
      assert.equal(assemble(events), final.message);
    }
    assert.ok(proxy.state.connections > 10, `${proxy.state.connections} connections`);
    client.close();
    proxy.stop();
    const straight = await clientOf(program.url);
    assert.equal((await straight.session("cut")).stats.turns, 3, "nothing was said twice");
    straight.close();
  });

  test("what is not safe to repeat fails by name, and the rest is repeated", async () => {
    let frames = 1;
    const proxy = await cuttingProxy(program.port, () => frames);
    const client = await clientOf(proxy.url);
    const lost = client.startSession();
    const kept = client.sessions();
    // The first connection is cut after its first frame: neither answer comes back on it.
    frames = Number.POSITIVE_INFINITY;
    await assert.rejects(lost, ConnectionLost);
    assert.ok((await kept).data.length > 0);
    client.close();
    proxy.stop();
  });

  test("a chat that is sent while the server is down is answered", async () => {
    model.rule = () => words("I am back");
    const client = await clientOf(program.url);
    await program.kill();
    const chat = client.chat("are you there?", { session: "away" });
    await pause(50);
    await program.start();
    assert.equal((await chat).message.trim(), "I am back");
    client.close();
  });

  test("a silent server is given up", async () => {
    model.rule = () => words("still here");
    const proxy = await cuttingProxy(program.port, () => Number.POSITIVE_INFINITY);
    // Long enough for a busy machine.
    const client = await clientOf(proxy.url, { patience: { keepaliveMs: 1_000, retryMinMs: 10 } });
    // The connection is kept as long as pings are answered.
    await pause(2_500);
    assert.equal(proxy.state.connections, 1);
    proxy.state.mute = 1;
    const final = await client.chat("are you there?", { session: "mute" });
    assert.equal(final.message.trim(), "still here");
    assert.equal(proxy.state.connections, 2);
    client.close();
    proxy.stop();
  });

  test("a slow consumer gets everything and delays no one else", async () => {
    model.rule = () => words("a b c d e f");
    const client = await clientOf(program.url);
    const slow = client.follow("both");
    assert.equal((await slow.next()).value?.seq, 1);
    for (let number = 0; number < 110; number += 1) await client.chat(`again ${number}`, { session: "both" });
    const { last_seq: last } = await client.session("both");
    assert.ok(last > 1025, "more than a buffer holds");
    for (let number = 2; number <= last; number += 1) assert.equal((await slow.next()).value?.seq, number);
    await slow.return();
    client.close();
  });

  test("more sessions than one connection may follow", async () => {
    model.rule = () => words("yes");
    const client = await clientOf(program.url);
    const kept = client.follow("kept");
    assert.equal((await kept.next()).value?.type, "session.started");
    for (let number = 0; number < 70; number += 1) await client.startSession({ key: `many-${number}` });
    await client.chat("are you there?", { session: "kept" });
    for await (const event of kept) if (event.type === "chat.final") break;
    client.close();
  });

  test("a revoked token ends the client", async () => {
    model.rule = () => words("never ending ".repeat(100), 50);
    const client = await clientOf(program.url);
    const stream = client.stream("talk", { session: "t" });
    for (;;) {
      const { value } = await stream.next();
      if (value?.type === "token") break;
    }
    await program.kill();
    program.setToken("another-token-0123456789");
    await program.start();
    await assert.rejects(stream.result(), { code: "unauthorized" });
    await assert.rejects(client.sessions(), { code: "unauthorized" });
  });
});
