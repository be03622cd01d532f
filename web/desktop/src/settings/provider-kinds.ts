/** The providers that can be set up, and what each needs. */
import type { wire } from "@dwell/client";
import { texts } from "../languages/settings.ts";

/** A provider as people choose it: a server of one's own speaks OpenAI's API. */
export type ProviderKind = wire.ProviderName | "other";

type Need = "none" | "optional" | "required";

/** The names of products are the same in every language. */
const PRODUCTS: readonly (readonly [ProviderKind, string])[] = [
  ["openai", "OpenAI"],
  ["anthropic", "Anthropic"],
  ["gemini", "Google Gemini"],
  ["openrouter", "OpenRouter"],
  ["ollama", "Ollama"],
];

/** The choices. */
export function providerKinds(): readonly { id: ProviderKind; label: string }[] {
  return [...PRODUCTS.map(([id, label]) => ({ id, label })), { id: "other", label: texts().otherServer }];
}

/** What a provider needs, with an example of its address. */
export function neededOf(kind: ProviderKind): { key: Need; address: Need; example?: string } {
  switch (kind) {
    case "ollama":
      return { key: "none", address: "optional", example: "http://127.0.0.1:11434" };
    case "other":
      return { key: "optional", address: "required", example: "http://127.0.0.1:8000/v1" };
    case "openai":
    case "anthropic":
    case "gemini":
    case "openrouter":
      return { key: "required", address: "none" };
  }
}

/** Its name on the wire. */
export function wireName(kind: ProviderKind): wire.ProviderName {
  return kind === "other" ? "openai" : kind;
}
