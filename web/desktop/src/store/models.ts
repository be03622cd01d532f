/** The configured models and their properties, as last read from the server. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api } from "./api.ts";

/** The server's answer; undefined until it is loaded. */
export const modelPage = signal<wire.ModelPage | undefined>(undefined);

/** Loads what the server knows about the models. */
export async function readModels(): Promise<void> {
  modelPage.value = await api<wire.ModelPage>("GET", "/api/v1/models");
}

/** Tries a provider out with a real request; nothing is stored. */
export function tryProvider(asked: wire.ProviderTry): Promise<wire.ProviderTried> {
  return api<wire.ProviderTried>("POST", "/api/v1/models/try", asked);
}

/** Stores a provider with its key. */
export function putProvider(provider: wire.ProviderName, put: wire.ProviderPut): Promise<wire.ModelsChanged> {
  return change("PUT", `/api/v1/models/providers/${provider}`, put);
}

/** Forgets a stored provider with its key. */
export function removeProvider(provider: string): Promise<wire.ModelsChanged> {
  return change("DELETE", `/api/v1/models/providers/${encodeURIComponent(provider)}`);
}

/** Stores the models that answer wherever none is chosen. */
export function putDefaultModel(put: wire.DefaultModelPut): Promise<wire.ModelsChanged> {
  return change("PUT", "/api/v1/models/default", put);
}

async function change(method: "PUT" | "DELETE", path: string, body?: unknown): Promise<wire.ModelsChanged> {
  const changed = await api<wire.ModelsChanged>(method, path, body);
  modelPage.value = changed.page;
  return changed;
}

/** Makes the server query every provider again. */
export async function refreshModels(): Promise<wire.ModelPage> {
  const page = await api<wire.ModelPage>("POST", "/api/v1/models/refresh", {});
  modelPage.value = page;
  return page;
}
