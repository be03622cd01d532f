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

/** Makes the server query every provider again. */
export async function refreshModels(): Promise<wire.ModelPage> {
  const page = await api<wire.ModelPage>("POST", "/api/v1/models/refresh", {});
  modelPage.value = page;
  return page;
}
