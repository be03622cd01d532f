/** The owner's sessions, and the open one. */
import type { wire } from "@dwell/client";
import { computed, effect, signal } from "@preact/signals";
import { go, place } from "../route.ts";
import { api, pathWith } from "./api.ts";
import { dwell } from "./connection.ts";
import { Conversation } from "./conversation.ts";
import { folderOf } from "./folders.ts";
import { newKey } from "./key.ts";
import { DELETED_TEXT } from "./turn.ts";
import { findPinned, forgetApart, isPinned, pinnedApart } from "./pins.ts";
import { viewerZone } from "../planned/times.ts";
import { texts } from "../languages/shell.ts";

const PAGE = 40;
/** The polling interval: other tabs and clients change sessions too. */
const LOOK_MS = 10_000;

/** The listed sessions, newest activity first. */
export const sessions = signal<readonly wire.SessionView[]>([]);
export const hasMoreSessions = signal(false);
/** The search text, matched against titles and names. */
export const sessionQuery = signal("");
const known = computed<readonly wire.SessionView[]>(() => {
  const listed = new Set(sessions.value.map(({ session_id: id }) => id));
  const apart = sessionQuery.value.trim() === "" ? pinnedApart.value : [];
  return [...sessions.value, ...apart.filter(({ session_id: id }) => !listed.has(id))];
});
/** The pinned sessions, also those beyond the loaded part of the list. A search has what fits it. */
export const pinned = computed<readonly wire.SessionView[]>(() => known.value.filter(isPinned));
/** The sessions in folders, also those beyond the loaded part of the list. */
export const inFolders = computed<readonly wire.SessionView[]>(() =>
  known.value.filter((session) => folderOf(session) !== undefined),
);
/** The open session. */
export const current = signal<Conversation | undefined>(undefined);
/** The error that kept it from opening. */
export const currentProblem = signal<unknown>(undefined);

const tabs = new BroadcastChannel("dwell.sessions");
let next: string | undefined;
let asked = 0;

/** Reloads the list, up to its current length. */
export async function refreshSessions(): Promise<void> {
  asked += 1;
  const mine = asked;
  // Read without tracking: the effect that calls this must not run again because the list has come.
  const limit = Math.min(200, Math.max(PAGE, sessions.peek().length));
  const page = await read(limit, undefined);
  if (mine !== asked) return;
  take(page, []);
  // A search shows what fits it, pinned or not.
  if (sessionQuery.peek().trim() === "") await findPinned(sessions.peek());
}

/** Loads the next page of the list. */
export async function moreSessions(): Promise<void> {
  if (next === undefined) return;
  const page = await read(PAGE, next);
  take(page, sessions.peek());
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

/** The displayed title of a session. */
export function titleOf(session: wire.SessionView): string {
  // Keys made by the page mean nothing to the user.
  const name = session.key?.startsWith("page-") ? undefined : session.key;
  const title = session.title === DELETED_TEXT ? undefined : session.title;
  return title ?? name ?? texts().newConversation;
}

/** How many conversations a form offers. */
const CHOICES_MAX = 20;

/** The conversations that a form offers: the open one, then the latest. */
export function activeSessions(): readonly wire.SessionView[] {
  const open = current.value?.session.value;
  const others = sessions.value.filter(({ session_id: id }) => id !== open?.session_id);
  return [...(open ? [open] : []), ...others].filter(({ status }) => status === "active").slice(0, CHOICES_MAX);
}

/** Starts a session and opens it. */
export async function startSession(settings: Partial<wire.SessionStart> = {}): Promise<Conversation> {
  const client = await dwell();
  // Times in messages and plans are meant by the viewer's clock.
  const preferences = { time_zone: viewerZone(), ...settings.preferences };
  const { session_id: id } = await client.startSession({ key: `page-${newKey()}`, ...settings, preferences });
  const conversation = await Conversation.open(id);
  current.value?.close();
  current.value = conversation;
  go({ ...place.value, session: id, detail: undefined });
  sessionsChanged();
  return conversation;
}

/** Forks a session after a turn and opens the fork. */
export async function forkAt(sessionId: string, turnId: string): Promise<void> {
  const client = await dwell();
  const request = { session_id: sessionId, turn_id: turnId, key: `page-${newKey()}` };
  const { session_id: id } = await client.request("session.fork", request);
  sessionsChanged();
  go({ view: "talk", session: id });
}

/** Renames a session. */
export async function rename(sessionId: string, title: string): Promise<void> {
  const client = await dwell();
  const preferences = { title: title.trim() === "" ? null : title.trim() };
  const session = await client.request("session.update", { session_id: sessionId, preferences });
  if (current.value?.id === sessionId) current.value.session.value = session;
  sessionsChanged();
}

/** Pins a session, or unpins it. */
export async function pin(sessionId: string, isWanted: boolean): Promise<void> {
  const client = await dwell();
  const preferences = { pinned: isWanted ? true : null };
  const session = await client.request("session.update", { session_id: sessionId, preferences });
  if (current.value?.id === sessionId) current.value.session.value = session;
  sessionsChanged();
}

/** Puts a session into a folder; an empty name takes it out. */
export async function moveToFolder(sessionId: string, folder: string): Promise<void> {
  const client = await dwell();
  const preferences = { folder: folder.trim() === "" ? null : folder.trim() };
  const session = await client.request("session.update", { session_id: sessionId, preferences });
  if (current.value?.id === sessionId) current.value.session.value = session;
  sessionsChanged();
}

/** Ends a session. It stays readable. */
export async function endSession(sessionId: string): Promise<void> {
  const client = await dwell();
  const session = await client.endSession(sessionId, "ended in the page");
  if (current.value?.id === sessionId) current.value.session.value = session;
  sessionsChanged();
}

/** Deletes a session permanently; returns how much was deleted. */
export async function deleteSession(sessionId: string, memories: boolean): Promise<wire.DeletedSession> {
  const client = await dwell();
  const gone = await client.deleteSession(sessionId, { memories });
  if (place.value.session === sessionId) go({ ...place.value, session: undefined, detail: undefined });
  sessionsChanged();
  return gone;
}

/** Reloads the list in this tab and in all others. */
export function sessionsChanged(): void {
  forgetApart();
  void refreshSessions().catch(() => undefined);
  tabs.postMessage("changed");
}

/** Keeps the list and the open session in sync with the route. Called once after signing in. */
export function syncSessions(): void {
  tabs.onmessage = () => {
    forgetApart();
    void refreshSessions().catch(() => undefined);
  };
  setInterval(() => {
    if (!document.hidden) void refreshSessions().catch(() => undefined);
  }, LOOK_MS);
  effect(() => {
    // Each search reloads the list.
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
    // The user has navigated on meanwhile.
    if (place.peek().session !== id || current.peek()?.id === id) conversation.close();
    else current.value = conversation;
  } catch (problem) {
    if (place.peek().session === id) currentProblem.value = problem;
  }
}
