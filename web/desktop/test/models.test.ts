/** Formatting of models and their providers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { wire } from "@dwell/client";
import {
  formatFigure,
  modelsWith,
  formatPrice,
  providerState,
  describeProvider,
} from "../src/settings/model-figures.ts";
import { settingsFrom, typedSettings } from "../src/settings/typed-settings.ts";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const provider: wire.ProviderView = {
  ...{ name: "openai", server: "vllm", address: "http://127.0.0.1:8000/v1" },
  ...{ default_model: "qwen3", default_source: "asked", models: 1 },
};

test("figures and prices", () => {
  assert.equal(formatFigure({ value: true, source: "asked" }), "yes");
  assert.match(formatFigure({ value: 32_768, source: "set" }), /^32.?768$/);
  assert.match(formatPrice({ value: 2.5, source: "table" }), /^\$2.50$/);
  assert.match(formatPrice({ value: 0.0375, source: "table" }), /^\$0.0375$/);
});

test("the state of a provider", () => {
  const asked_at = "2026-01-01T11:55:00Z";
  assert.deepEqual(providerState(provider, NOW), { words: "not checked yet", isBad: false });
  assert.deepEqual(providerState({ ...provider, asked_at }, NOW), { words: "updated 5 min ago", isBad: false });
  const failed = { ...provider, error: "it cannot be reached" };
  assert.deepEqual(providerState(failed, NOW), { words: "unreachable", isBad: true });
  assert.equal(providerState({ ...failed, asked_at }, NOW).words, "unreachable; using its answer from 5 min ago");
});

test("a provider in one line", () => {
  assert.equal(describeProvider(provider), "vLLM · http://127.0.0.1:8000/v1 · 1 model · default qwen3 (asked)");
  assert.match(describeProvider({ ...provider, models: null }), /does not list its models/);
});

test("what is typed becomes settings, and what has no field stays", () => {
  const page = { default: "openai/qwen3", settings: { temperature: 0.3, seed: 7 } } as wire.ModelPage;
  assert.deepEqual(typedSettings(page), { temperature: "0.3", longest: "", window: "" });
  assert.deepEqual(settingsFrom({ temperature: "", longest: "900", window: " 8192 " }, page), {
    settings: { seed: 7, max_output_tokens: 900 },
    overrides: { context_tokens: 8192 },
  });
  assert.deepEqual(settingsFrom({ temperature: "0", longest: "", window: "" }, page), {
    settings: { seed: 7, temperature: 0 },
  });
  // A window that was set and is left alone is not sent; an emptied one is removed.
  const known = { value: true, source: "asked" } as const;
  const model = { name: page.default, provider: "openai", tools: known, images: known, thinking: known };
  const set = { ...page, models: [{ ...model, context_tokens: { value: 8192, source: "set" } as const }] };
  assert.equal(typedSettings(set).window, "8192");
  assert.equal("overrides" in settingsFrom(typedSettings(set), set), false);
  assert.deepEqual(settingsFrom({ ...typedSettings(set), window: "" }, set).overrides, {});
});

test("models are found by parts of their names", () => {
  const known = { value: true, source: "asked" } as const;
  const of = (name: string): wire.ModelView => ({
    ...{ name, provider: "p", context_tokens: known, tools: known, images: known, thinking: known },
  });
  const models = [of("p/Qwen3-8b"), of("p/qwen3-coder"), of("p/gpt-5")];
  const names = (words: string) => modelsWith(words, models).map(({ name }) => name);
  assert.deepEqual(names("qwen 8B"), ["p/Qwen3-8b"]);
  assert.equal(names(" ").length, 3);
});
