/**
 * Pinned sessions, and sessions in folders. Both are preferences of the session, so that every
 * browser knows them. The server cannot list them apart, so this browser also remembers their ids,
 * and reads those that the list has not reached.
 */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { api, ApiError } from "./api.ts";
import { folderOf } from "./folders.ts";

const KEY = "dwell.pins";
/** How many are remembered; the oldest are dropped. */
const MAX = 100;

/** Pinned sessions and those in folders that are not in the loaded part of the list. */
export const pinnedApart = signal<readonly wire.SessionView[]>([]);

/** Whether a session is pinned. */
export function isPinned({ settings }: Pick<wire.SessionView, "settings">): boolean {
  return settings.preferences?.["pinned"] === true;
}

function isKept(session: wire.SessionView): boolean {
  return isPinned(session) || folderOf(session) !== undefined;
}

function remembered(): string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

function remember(ids: readonly string[]): void {
  if (ids.length === 0) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, JSON.stringify(ids.slice(-MAX)));
}

/** Learns from the list which sessions are pinned or in folders, and reads remembered ones that it lacks. */
export async function findPinned(listed: readonly wire.SessionView[]): Promise<void> {
  const here = new Map(listed.map((session) => [session.session_id, session]));
  const before = remembered();
  const kept = before.filter((id) => {
    const session = here.get(id);
    return session === undefined || isKept(session);
  });
  const fresh = listed.filter((session) => isKept(session) && !before.includes(session.session_id));
  remember([...kept, ...fresh.map(({ session_id: id }) => id)]);
  const known = new Map(pinnedApart.peek().map((session) => [session.session_id, session]));
  const missing = kept.filter((id) => !here.has(id));
  const found = await Promise.all(missing.map(async (id) => known.get(id) ?? (await read(id))));
  pinnedApart.value = found.flatMap((session) => (session && isKept(session) ? [session] : []));
}

/** Reads them again, since one of them may have changed. */
export function forgetApart(): void {
  pinnedApart.value = [];
}

async function read(id: string): Promise<wire.SessionView | undefined> {
  try {
    return await api<wire.SessionView>("GET", `/api/v1/sessions/${encodeURIComponent(id)}`);
  } catch (problem) {
    // A deleted one is forgotten; a server that is away is asked again.
    if (problem instanceof ApiError && problem.status === 404) remember(remembered().filter((other) => other !== id));
    return undefined;
  }
}
