/** Titles of sessions that may not be in the list, loaded once each on demand. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api } from "../../store/api.ts";
import { sessions, titleOf } from "../../store/sessions.ts";
import { texts } from "../../languages/sessions.ts";

const asked = signal<ReadonlyMap<string, string>>(new Map());
const under = new Set<string>();

/** The title of a session; undefined until it is loaded. */
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
    // A deleted session has no title.
    asked.value = new Map(asked.value).set(id, texts().aDeletedSession);
  }
}
