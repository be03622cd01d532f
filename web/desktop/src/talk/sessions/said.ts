/** What was said that fits a search: memory's answer, for the list under the titles. */
import type { wire } from "@dwell/client";
import { effect, signal } from "@preact/signals";
import { dwell } from "../../house/connection.ts";
import { sessionQuery } from "../../house/sessions.ts";

/** Something that was said, and where. */
export type Said = {
  id: string;
  text: string;
  at: string;
  role: string;
  sessionId: string;
  turnId?: string | undefined;
};

const LIMIT = 20;

/** What was found for `sessionQuery`. */
export const said = signal<{ query: string; hits: readonly Said[] }>({ query: "", hits: [] });

/** Looks for what is looked for, as long as somebody looks at the list; gives what ends it. */
export function keepSaid(): () => void {
  return effect(() => {
    const query = sessionQuery.value.trim();
    if (query === "") said.value = { query: "", hits: [] };
    else void look(query);
  });
}

async function look(query: string): Promise<void> {
  try {
    const client = await dwell();
    const { items } = await client.search(query, { levels: ["entry"], limit: LIMIT });
    // Somebody went on typing.
    if (sessionQuery.peek().trim() === query) said.value = { query, hits: hitsOf(items) };
  } catch {
    // Titles are searched all the same.
    if (sessionQuery.peek().trim() === query) said.value = { query, hits: [] };
  }
}

/** Meaning that is farther away than this is no answer to a search box. */
const NEAR = 0.4;

/** Of what was found, what was said in a session and fits; of a turn, what fits best. */
export function hitsOf(items: readonly wire.Found[]): Said[] {
  const turns = new Set<string>();
  return items.flatMap(({ id, text, at, role, source, score }) => {
    const sessionId = source?.session_id;
    const turnId = source?.turn_id ?? undefined;
    const isNear = (score.lexical ?? 0) > 0 || (score.semantic ?? 0) >= NEAR;
    if (!sessionId || !isNear || (turnId !== undefined && turns.has(turnId))) return [];
    if (turnId !== undefined) turns.add(turnId);
    return [{ id, text, at, role: role ?? "user", sessionId, turnId }];
  });
}
