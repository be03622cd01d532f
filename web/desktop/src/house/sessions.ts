/** The owner's sessions, and the one that is open. */
import type { wire } from "@dwell/client";
import { effect, signal } from "@preact/signals";
import { go, place } from "../route.ts";
import { api, pathWith } from "./api.ts";
import { dwell } from "./connection.ts";
import { Conversation } from "./conversation.ts";
import { newKey } from "./key.ts";

const PAGE = 40;
/** Sessions change in other tabs and by other clients too. */
const LOOK_MS = 10_000;

/** The sessions that are listed, newest activity first. */
export const sessions = signal<readonly wire.SessionView[]>([]);
export const hasMoreSessions = signal(false);
/** What is looked for in titles and names. */
export const sessionQuery = signal("");
/** The session that is open. */
export const current = signal<Conversation | undefined>(undefined);
/** What keeps it from being open. */
export const currentProblem = signal<unknown>(undefined);

const tabs = new BroadcastChannel("dwell.sessions");
let next: string | undefined;
let asked = 0;

/** Reads the list anew, as far as it was read. */
export async function refreshSessions(): Promise<void> {
  asked += 1;
  const mine = asked;
  const limit = Math.min(200, Math.max(PAGE, sessions.value.length));
  const page = await read(limit, undefined);
  if (mine !== asked) return;
  take(page, []);
}

/** Reads the next page of the list. */
export async function moreSessions(): Promise<void> {
  if (next === undefined) return;
  const page = await read(PAGE, next);
  take(page, sessions.value);
}

async function read(limit: number, cursor: string | undefined): Promise<wire.SessionPage> {
  const query = sessionQuery.value.trim() || undefined;
  return api("GET", pathWith("/api/v1/sessions", { limit, cursor, query }));
}

function take(page: wire.SessionPage, before: readonly wire.SessionView[]): void {
  next = page.next_cursor ?? undefined;
  hasMoreSessions.value = next !== undefined;
  const known = new Set(before.map(({ session_id }) => session_id));
  sessions.value = [...before, ...page.data.filter(({ session_id }) => !known.has(session_id))];
}

/** What a session is called. */
export function titleOf(session: wire.SessionView): string {
  // The page's own names mean nothing to a person.
  const name = session.key?.startsWith("page-") ? undefined : session.key;
  return session.title ?? name ?? "New conversation";
}

/** Begins a session and goes there. */
export async function startSession(settings: Partial<wire.Start> = {}): Promise<Conversation> {
  const client = await dwell();
  const { session_id: id } = await client.startSession({ key: `page-${newKey()}`, ...settings });
  const conversation = await Conversation.open(id);
  current.value?.close();
  current.value = conversation;
  go({ ...place.value, session: id, detail: undefined });
  changed();
  return conversation;
}

/** A new session with all that was said up to a turn. */
export async function forkAt(sessionId: string, turnId: string): Promise<void> {
  const client = await dwell();
  const request = { session_id: sessionId, turn_id: turnId, key: `page-${newKey()}` };
  const { session_id: id } = await client.request("session.fork", request);
  changed();
  go({ view: "talk", session: id });
}

/** Gives a session a title. */
export async function rename(sessionId: string, title: string): Promise<void> {
  const client = await dwell();
  const preferences = { title: title.trim() === "" ? null : title.trim() };
  const session = await client.request("session.update", { session_id: sessionId, preferences });
  if (current.value?.id === sessionId) current.value.session.value = session;
  changed();
}

/** Ends a session. What was said stays readable. */
export async function endSession(sessionId: string): Promise<void> {
  const client = await dwell();
  const session = await client.endSession(sessionId, "ended in the page");
  if (current.value?.id === sessionId) current.value.session.value = session;
  changed();
}

/** Deletes a session for good; gives how much is gone. */
export async function deleteSession(sessionId: string, memories: boolean): Promise<wire.Deleted> {
  const client = await dwell();
  const gone = await client.deleteSession(sessionId, { memories });
  if (place.value.session === sessionId) go({ ...place.value, session: undefined, detail: undefined });
  changed();
  return gone;
}

/** Something changed: this tab's list and those of others are read anew. */
export function changed(): void {
  void refreshSessions().catch(() => undefined);
  tabs.postMessage("changed");
}

/** Keeps the list and the open session in step with the address. Called once, when we are in. */
export function keepSessions(): void {
  tabs.onmessage = () => void refreshSessions().catch(() => undefined);
  setInterval(() => {
    if (!document.hidden) void refreshSessions().catch(() => undefined);
  }, LOOK_MS);
  effect(() => {
    // Each search reads anew.
    void sessionQuery.value;
    void refreshSessions().catch(() => undefined);
  });
  effect(() => {
    void open(place.value.session);
  });
}

async function open(id: string | undefined): Promise<void> {
  if (current.peek()?.id === id) return;
  currentProblem.value = undefined;
  current.peek()?.close();
  current.value = undefined;
  if (id === undefined) return;
  try {
    const conversation = await Conversation.open(id);
    // Somebody went on meanwhile.
    if (place.peek().session !== id || current.peek()?.id === id) conversation.close();
    else current.value = conversation;
  } catch (problem) {
    if (place.peek().session === id) currentProblem.value = problem;
  }
}
