/** The message protocol between the page and an app. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FeedEvent, wire } from "@dwell/client";
import { AppChannel } from "../src/desktop/apps.ts";

const EXPIRES = "2026-01-01T00:00:00.000Z";
const turn = () => new Promise((resolve) => setTimeout(resolve));

function begun(answer: { restore?: wire.AppCommand[]; requests?: wire.AppRequested[] } = {}) {
  const posted: unknown[] = [];
  const told: unknown[] = [];
  const talk = new AppChannel("w", "T", {
    post: ({ dwell: _, ...message }) => posted.push(message),
    ready: () => Promise.resolve(answer),
    respond: (id, given) => told.push([id, given]),
    report: (done) => told.push(done),
    fail: (problem) => assert.fail(String(problem)),
  });
  const say = (message: object) => talk.receive({ dwell: 1, window_id: "w", token: "T", ...message });
  return { talk, say, posted, told };
}

function interaction(did: wire.AppCommand): FeedEvent {
  const interactions: wire.Interaction[] = [{ type: "app.interaction", window_id: "w", did }];
  return { type: "user.interaction", seq: 1, session_id: "S", at: EXPIRES, data: { interactions } };
}

describe("an app", () => {
  it("is greeted, brought back to where it was, and asked what is open, in this order", async () => {
    const asked = {
      request_id: "R",
      window_id: "w",
      request: { type: "query", key: "k" } as const,
      expires_at: EXPIRES,
    };
    const { talk, say, posted } = begun({ restore: [{ name: "set" }], requests: [asked] });
    talk.hello(undefined);
    say({ type: "ready", manifest: {} });
    // The same request also comes as an event; it is forwarded once.
    talk.take({ type: "app.request", seq: 1, session_id: "S", at: EXPIRES, data: asked });
    await turn();
    assert.deepEqual(posted, [
      { type: "hello", window_id: "w", token: "T", params: {} },
      { type: "restore", commands: [{ name: "set" }] },
      { type: "request", request_id: "R", request: asked.request },
    ]);
  });

  it("is not heard without its token, nor with anything else", () => {
    const { talk, say, told } = begun();
    talk.receive({ dwell: 1, window_id: "w", token: "X", type: "did", name: "start" });
    talk.receive({ window_id: "w", token: "T", type: "did", name: "start" });
    talk.receive("did");
    say({ type: "did", name: 3 });
    say({ type: "else" });
    assert.deepEqual(told, []);
    say({ type: "response", request_id: "R", value: 3 });
    say({ type: "response", request_id: "Q", error: "no" });
    say({ type: "interaction", text: "x".repeat(600) });
    assert.deepEqual(told, [["R", { value: 3 }], ["Q", { error: "no" }], { text: "x".repeat(500) }]);
  });

  it("is told what was done in another tab, not what it said itself", async () => {
    const { talk, say, posted } = begun();
    say({ type: "ready", manifest: {} });
    await turn();
    posted.length = 0;
    say({ type: "did", name: "note", arguments: { id: 1, text: "a" } });
    talk.take(interaction({ name: "note", arguments: { text: "a", id: 1 } }));
    assert.deepEqual(posted, []);
    const other = { name: "note", arguments: { text: "b", id: 1 } };
    talk.take(interaction(other));
    assert.deepEqual(posted, [{ type: "restore", commands: [other] }]);
  });
});
