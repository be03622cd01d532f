/** What sessions are called, also those that are not in the list: asked once each, when somebody wants to know. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api } from "../../house/api.ts";
import { sessions, titleOf } from "../../house/sessions.ts";

const asked = signal<ReadonlyMap<string, string>>(new Map());
const under = new Set<string>();

/** The title of a session; undefined until it is known. */
export function titleFor(id: string): string | undefined {
  const listed = sessions.value.find(({ session_id }) => session_id === id);
  if (listed) return titleOf(listed);
  const known = asked.value.get(id);
  if (known === undefined && !under.has(id)) void ask(id);
  return known;
}

async function ask(id: string): Promise<void> {
  under.add(id);
  try {
    const session = await api<wire.SessionView>("GET", `/api/v1/sessions/${id}`);
    asked.value = new Map(asked.value).set(id, titleOf(session));
  } catch {
    // A session that is gone has no title.
    asked.value = new Map(asked.value).set(id, "a session that is gone");
  }
}
