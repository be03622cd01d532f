/** Formats what is known about models and their providers. */
import type { wire } from "@dwell/client";
import { ago, inLocale, plainNumber } from "../kit/format.ts";
import { texts } from "../languages/settings.ts";

/** Where figures come from, highest precedence first. */
export function figureSources(): readonly (readonly [wire.FigureSource, string])[] {
  return [
    ["set", texts().fromTheConfiguration],
    ["asked", texts().fromTheProvider],
    ["table", texts().fromDwellsListKnown],
    ["assumed", texts().unknownACautiousDefault],
  ];
}

function serverNames(): Record<wire.ModelServerKind, string> {
  return {
    openai: "OpenAI",
    anthropic: "Anthropic",
    gemini: "Gemini",
    azure: "Azure OpenAI",
    openrouter: "OpenRouter",
    ollama: "Ollama",
    llama_cpp: "llama.cpp",
    vllm: "vLLM",
    lm_studio: "LM Studio",
    other: texts().openaiCompatibleServer,
  };
}

const dollars = inLocale(
  (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 6 }),
);

/** A figure's value: `yes`, `32,768`. */
export function formatFigure({ value }: wire.ModelFigure): string {
  if (typeof value === "boolean") return value ? texts().yes : texts().no;
  return plainNumber(value);
}

/** A price in dollars: `$2.50`. */
export function formatPrice({ value }: wire.ModelFigure): string {
  return texts().price(dollars().format(Number(value)));
}

/** The state of a provider: whether and when it listed its models. */
export function providerState(provider: wire.ProviderView, now = Date.now()): { words: string; isBad: boolean } {
  const told = provider.asked_at ? ago(provider.asked_at, now) : undefined;
  if (provider.error) {
    return { words: told ? texts().unreachableUsingItsAnswer(told) : texts().unreachable, isBad: true };
  }
  return { words: told ? texts().updatedTold(told) : texts().notCheckedYet, isBad: false };
}

/** A provider in one line: `vLLM · http://127.0.0.1:8000/v1 · 3 models · default qwen3 (asked)`. */
export function describeProvider(provider: wire.ProviderView): string {
  const { server, address, models, default_model: model, default_source: source } = provider;
  const count = models == null ? texts().doesNotListIts : texts().modelCount(models);
  return [serverNames()[server], address, count, model && texts().defaultModelSource(model, source)]
    .filter(Boolean)
    .join(" · ");
}

/** The models whose names contain all these words. */
export function modelsWith(words: string, models: readonly wire.ModelView[]): readonly wire.ModelView[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)));
}
