/** Prompts and personas of the owner, stored on the server as values, so that every browser has them. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api } from "../store/api.ts";
import { type Persona, type Prompt, readPersona, readPrompt } from "./items.ts";

const BELOW = "dwell.page";
/** More are not shown. */
const LIMIT = 500;

type Kind = "prompts" | "personas";

/** The prompts, by title; undefined until they are loaded. */
export const prompts = signal<readonly Prompt[] | undefined>(undefined);
/** The personas, by name; undefined until they are loaded. */
export const personas = signal<readonly Persona[] | undefined>(undefined);

/** How often each was loaded. */
const loads: Record<Kind, number> = { prompts: 0, personas: 0 };

/** Loads the prompts. */
export async function loadPrompts(): Promise<void> {
  const found = await readNewest("prompts", readPrompt);
  if (found) prompts.value = found.sort((one, other) => one.title.localeCompare(other.title));
}

/** Loads the personas. */
export async function loadPersonas(): Promise<void> {
  const found = await readNewest("personas", readPersona);
  if (found) personas.value = found.sort((one, other) => one.name.localeCompare(other.name));
}

/** Nothing if it was loaded again meanwhile: an answer from before a change may come after one from after it. */
async function readNewest<T>(
  kind: Kind,
  read: (id: string, value: unknown) => T | undefined,
): Promise<T[] | undefined> {
  const load = ++loads[kind];
  const found = await readAll(kind, read);
  return load === loads[kind] ? found : undefined;
}

async function readAll<T>(kind: Kind, read: (id: string, value: unknown) => T | undefined): Promise<T[]> {
  const page = await api<wire.ValuePage>("POST", "/api/v1/values/list", { below: [BELOW, kind], limit: LIMIT });
  return page.data.flatMap(({ key, value }) => {
    const id = key.at(-1);
    const item = id === undefined || value == null ? undefined : read(id, decoded(value));
    return item === undefined ? [] : [item];
  });
}

/** Stores a prompt. */
export async function savePrompt({ id, ...prompt }: Prompt): Promise<void> {
  await write("prompts", id, prompt);
  await loadPrompts();
}

/** Stores a persona. */
export async function savePersona({ id, ...persona }: Persona): Promise<void> {
  await write("personas", id, persona);
  await loadPersonas();
}

/** Deletes a prompt or a persona. */
export async function deleteItem(kind: Kind, id: string): Promise<void> {
  await api("POST", "/api/v1/values/write", { deletes: [[BELOW, kind, id]] });
  await (kind === "prompts" ? loadPrompts() : loadPersonas());
}

async function write(kind: Kind, id: string, value: object): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  await api("POST", "/api/v1/values/write", { puts: [{ key: [BELOW, kind, id], value: text }] });
}

function decoded(value: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
