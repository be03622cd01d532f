/** Searches messages in memory, for the list below the session titles. */
import type { wire } from "@dwell/client";
import { effect, signal } from "@preact/signals";
import { dwell } from "../../store/connection.ts";
import { sessionQuery } from "../../store/sessions.ts";

/** A message that matches the search. */
export type MessageHit = {
  id: string;
  text: string;
  at: string;
  role: string;
  sessionId: string;
  turnId?: string | undefined;
};

const LIMIT = 20;

/** The hits for `sessionQuery`. */
export const messageHits = signal<{ query: string; hits: readonly MessageHit[] }>({ query: "", hits: [] });

/**
 * Searches whenever the query changes, while the list is shown; returns the function that stops it.
 */
export function searchMessages(): () => void {
  return effect(() => {
    const query = sessionQuery.value.trim();
    if (query === "") messageHits.value = { query: "", hits: [] };
    else void look(query);
  });
}

async function look(query: string): Promise<void> {
  try {
    const client = await dwell();
    const { items } = await client.search(query, { levels: ["entry"], limit: LIMIT });
    // The user may have typed on meanwhile.
    if (sessionQuery.peek().trim() === query) messageHits.value = { query, hits: hitsOf(items) };
  } catch {
    // The search in titles still works.
    if (sessionQuery.peek().trim() === query) messageHits.value = { query, hits: [] };
  }
}

/** The minimum semantic similarity of a hit. */
const NEAR = 0.4;

/** The matching messages of sessions; of each turn only the best. */
export function hitsOf(items: readonly wire.MemoryHit[]): MessageHit[] {
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
