/** The models there are, and what is known of each, as the server told it last. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api } from "./api.ts";

/** Everything about them; undefined until it was read. */
export const modelPage = signal<wire.ModelPage | undefined>(undefined);

/** Reads what the server knows of them. */
export async function readModels(): Promise<void> {
  modelPage.value = await api<wire.ModelPage>("GET", "/api/v1/models");
}

/** Has the server ask every provider again. */
export async function refreshModels(): Promise<wire.ModelPage> {
  const page = await api<wire.ModelPage>("POST", "/api/v1/models/refresh", {});
  modelPage.value = page;
  return page;
}
