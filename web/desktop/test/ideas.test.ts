/** Examples: only those that work with the model and the tools that are there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { wire } from "@dwell/client";
import { chatIdeas, desktopIdeas, isOfflineModel } from "../src/talk/ideas.ts";

const tools = new Set(["calculator", "date_math", "current_time", "window_open", "call_service"]);

test("offline examples need no language model, and four are offered in the chat", () => {
  const offline = chatIdeas({ isOffline: true, tools });
  assert.equal(offline.length, 4);
  assert.ok(offline.every(({ needsModel }) => !needsModel));
  assert.ok(desktopIdeas({ isOffline: true, tools }).every(({ needsModel }) => !needsModel));
  assert.ok(chatIdeas({ isOffline: false, tools }).some(({ needsModel }) => needsModel));
  assert.equal(desktopIdeas({ isOffline: false, tools }).length, 4);
});

test("an example is offered only with the tools it needs", () => {
  const without = (missing: string) => new Set([...tools].filter((tool) => tool !== missing));
  const words = (missing: string) => chatIdeas({ isOffline: true, tools: without(missing) }).map((idea) => idea.words);
  assert.ok(!words("call_service").some((text) => text.includes("lights")));
  assert.ok(!words("calculator").some((text) => text.includes("15%")));
  assert.deepEqual(desktopIdeas({ isOffline: false, tools: without("window_open") }), []);
  assert.ok(chatIdeas({ isOffline: true, tools: new Set() }).length > 0);
});

test("the model that answers is the chosen one, or else the default", () => {
  const figure: wire.ModelFigure = { value: true, source: "table" };
  const facts = { context_tokens: figure, tools: figure, images: figure, thinking: figure };
  const view = (name: string, provider: string) => ({ name, provider, ...facts }) as wire.ModelView;
  const models = [view("offline", "offline"), view("ollama/qwen3", "ollama")];
  const page = { data: models.map(({ name }) => name), default: "ollama/qwen3", models };
  assert.equal(isOfflineModel(page, undefined), false);
  assert.equal(isOfflineModel(page, "offline"), true);
  assert.equal(isOfflineModel({ ...page, default: "offline" }, undefined), true);
  assert.equal(isOfflineModel({ ...page, default: "offline" }, "ollama/qwen3"), false);
  assert.equal(isOfflineModel({ data: ["openai/gpt"], default: "openai/gpt" }, undefined), false);
  assert.equal(isOfflineModel(undefined, undefined), true, "until the models are known");
});
