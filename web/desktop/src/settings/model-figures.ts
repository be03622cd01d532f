/** Formats what is known about models and their providers. */
import type { wire } from "@dwell/client";
import { ago, plainNumber } from "../kit/format.ts";

/** Where figures come from, highest precedence first. */
export const SOURCES: readonly (readonly [wire.FigureSource, string])[] = [
  ["set", "from the configuration"],
  ["asked", "from the provider"],
  ["table", "from Dwell's list of known models"],
  ["assumed", "unknown, a cautious default"],
];

const SERVERS: Record<wire.ModelServerKind, string> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Gemini",
  azure: "Azure OpenAI",
  openrouter: "OpenRouter",
  ollama: "Ollama",
  llama_cpp: "llama.cpp",
  vllm: "vLLM",
  lm_studio: "LM Studio",
  other: "OpenAI-compatible server",
};

const dollars = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 6 });

/** A figure's value: `yes`, `32,768`. */
export function formatFigure({ value }: wire.ModelFigure): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return plainNumber(value);
}

/** A price in dollars: `$2.50`. */
export function formatPrice({ value }: wire.ModelFigure): string {
  return `$${dollars.format(Number(value))}`;
}

/** The state of a provider: whether and when it listed its models. */
export function providerState(provider: wire.ProviderView, now = Date.now()): { words: string; isBad: boolean } {
  const told = provider.asked_at ? ago(provider.asked_at, now) : undefined;
  if (provider.error) {
    return { words: told ? `unreachable; using its answer from ${told}` : "unreachable", isBad: true };
  }
  return { words: told ? `updated ${told}` : "not checked yet", isBad: false };
}

/** A provider in one line: `vLLM · http://127.0.0.1:8000/v1 · 3 models · default qwen3 (asked)`. */
export function describeProvider(provider: wire.ProviderView): string {
  const { server, address, models, default_model: model, default_source: source } = provider;
  const count =
    models == null ? "does not list its models" : models === 1 ? "1 model" : `${plainNumber(models)} models`;
  return [SERVERS[server], address, count, model && `default ${model} (${source})`].filter(Boolean).join(" · ");
}

/** The models whose names contain all these words. */
export function modelsWith(words: string, models: readonly wire.ModelView[]): readonly wire.ModelView[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)));
}
