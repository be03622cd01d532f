/** What is known of models and their providers, in words. */
import type { wire } from "@dwell/client";
import { ago, plainNumber } from "../kit/format.ts";

/** Where figures come from, the first that counts first. */
export const SOURCES: readonly (readonly [wire.FigureSource, string])[] = [
  ["set", "in the configuration"],
  ["asked", "the provider said so"],
  ["table", "Dwell's list of known models"],
  ["assumed", "not known, so a cautious guess"],
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
  other: "A server with OpenAI's API",
};

const dollars = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 6 });

/** A figure's value: `yes`, `32,768`. */
export function figureWords({ value }: wire.ModelFigure): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return plainNumber(value);
}

/** A price in dollars: `$2.50`. */
export function priceWords({ value }: wire.ModelFigure): string {
  return `$${dollars.format(Number(value))}`;
}

/** How it stands with a provider: whether it told what it has, and when. */
export function providerState(provider: wire.ProviderView, now = Date.now()): { words: string; isBad: boolean } {
  const told = provider.asked_at ? ago(provider.asked_at, now) : undefined;
  if (provider.error) {
    return { words: told ? `could not be asked; its answer of ${told} counts` : "could not be asked", isBad: true };
  }
  return { words: told ? `asked ${told}` : "not asked yet", isBad: false };
}

/** What a provider is and has: `vLLM · http://127.0.0.1:8000/v1 · 3 models · default qwen3 (asked)`. */
export function providerWords(provider: wire.ProviderView): string {
  const { server, address, models, default_model: model, default_source: source } = provider;
  const count =
    models == null ? "does not list its models" : models === 1 ? "1 model" : `${plainNumber(models)} models`;
  return [SERVERS[server], address, count, model && `default ${model} (${source})`].filter(Boolean).join(" · ");
}

/** The models that have all these words in their names. */
export function modelsWith(words: string, models: readonly wire.ModelView[]): readonly wire.ModelView[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)));
}
