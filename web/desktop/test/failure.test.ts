/** Hints and notices below incomplete and failed answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { wire } from "@dwell/client";
import { failureHint, waitWords } from "../src/talk/failure.ts";
import { noticesOf } from "../src/talk/notices.tsx";

function error(code: string, recoverable: boolean, details?: unknown): wire.TurnError {
  return { code, message: "It failed.", recoverable, details };
}

function response(change: Partial<wire.Response>): wire.Response {
  return { message: "Yes.", model: "m", ...change };
}

test("what to do depends on what went wrong", () => {
  assert.match(failureHint(error("model_failed", true)) ?? "", /may be temporary/);
  assert.match(failureHint(error("model_refused", false, { status: 401 })) ?? "", /Fix the API key/);
  assert.match(failureHint(error("model_refused", false, { status: 400 })) ?? "", /would fail again/);
  assert.match(failureHint(error("model_rate_limited", true, { retry_after_ms: 90_500 })) ?? "", /in 91 s,/);
  assert.match(failureHint(error("model_rate_limited", true, { retry_after_ms: null })) ?? "", /later/);
  assert.match(failureHint(error("model_filtered", false)) ?? "", /Rephrase/);
});

test("a message that says what to do gets no hint that says it again", () => {
  assert.equal(failureHint(error("model_empty", true)), undefined);
  assert.doesNotMatch(failureHint(error("model_declined", false)) ?? "", /Rephrase/);
});

test("a wait is rounded up", () => {
  assert.deepEqual([0, 1_001, 119_000, 120_000, 7_200_000].map(waitWords), ["1 s", "2 s", "119 s", "2 min", "2 h"]);
});

test("each notice is a sentence, and is said once", () => {
  const notices = ["the budget of `x` is not kept", "The budget of `x` is not kept.", " "];
  assert.deepEqual(noticesOf(response({ notices })), ["The budget of `x` is not kept."]);
  assert.deepEqual(noticesOf(undefined), []);
});

test("why an answer ended is said once, by its notice where there is one", () => {
  const cut = ["The answer was cut at the maximum length."];
  assert.deepEqual(noticesOf(response({ stop_reason: "length", notices: cut })), cut);
  assert.deepEqual(noticesOf(response({ stop_reason: "length" })), cut);
  assert.deepEqual(noticesOf(response({ stop_reason: "complete" })), []);
  assert.deepEqual(noticesOf(response({ stop_reason: "budget" })), []);
});
