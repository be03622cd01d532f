/** Groups sessions by the day of their last activity, and makes excerpts of search hits. */
import type { wire } from "@dwell/client";
import { folderOf } from "../../store/folders.ts";
import { locale } from "../../languages/current.ts";
import { texts } from "../../languages/sessions.ts";

/** Sessions under one heading. */
export type Group = { label: string; sessions: readonly wire.SessionView[]; isFolder?: boolean };

const DAY_MS = 86_400_000;

function startOfDay(date: Date): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate());
}

/**
 * The heading of a date: Today, Yesterday, Earlier this week, or its month. Weeks start on Monday.
 */
export function dayOf(at: string, now: Date): string {
  const date = new Date(at);
  const today = startOfDay(now);
  if (date >= today) return texts().today;
  // Days may have 23 or 25 hours; 12 hours before midnight is always the previous day.
  const yesterday = startOfDay(new Date(today.getTime() - DAY_MS / 2));
  if (date >= yesterday) return texts().yesterday;
  const sinceMonday = (today.getDay() + 6) % 7;
  const monday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - sinceMonday);
  if (date >= monday) return texts().earlierThisWeek;
  const isThisYear = date.getFullYear() === now.getFullYear();
  return date.toLocaleDateString(locale.value, { month: "long", ...(!isThisYear && { year: "numeric" }) });
}

/** Sessions in groups, in their given order. */
export function byDay(sessions: readonly wire.SessionView[], now: Date): Group[] {
  const groups: { label: string; sessions: wire.SessionView[] }[] = [];
  for (const session of sessions) {
    const label = dayOf(session.updated_at, now);
    const last = groups.at(-1);
    if (last?.label === label) last.sessions.push(session);
    else groups.push({ label, sessions: [session] });
  }
  return groups;
}

/** Pinned sessions first, then folders by name, then the others in groups by day. */
export function withPinned(
  listed: readonly wire.SessionView[],
  pinned: readonly wire.SessionView[],
  now: Date,
  inFolders: readonly wire.SessionView[] = [],
): Group[] {
  const known = new Set(pinned.map(({ session_id: id }) => id));
  const folders = byFolder(inFolders.filter(({ session_id: id }) => !known.has(id)));
  for (const { session_id: id } of inFolders) known.add(id);
  const rest = byDay(
    listed.filter(({ session_id: id }) => !known.has(id)),
    now,
  );
  return [...(pinned.length === 0 ? [] : [{ label: texts().pinned, sessions: pinned }]), ...folders, ...rest];
}

function byFolder(sessions: readonly wire.SessionView[]): Group[] {
  const folders = new Map<string, wire.SessionView[]>();
  for (const session of sessions) {
    const folder = folderOf(session) ?? "";
    folders.set(folder, [...(folders.get(folder) ?? []), session]);
  }
  return [...folders]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([label, inside]) => ({ label, sessions: inside, isFolder: true }));
}

/** A short time that fits its heading: the time for today and yesterday, else the day. */
export function whenIn(at: string, now: Date): string {
  const date = new Date(at);
  const day = dayOf(at, now);
  if (day === texts().today || day === texts().yesterday)
    return date.toLocaleTimeString(locale.value, { timeStyle: "short" });
  if (day === texts().earlierThisWeek) return date.toLocaleDateString(locale.value, { weekday: "short" });
  return date.toLocaleDateString(locale.value, { day: "numeric", month: "short" });
}

/** A piece of text, and whether it matches the search. */
export type Piece = { text: string; isHit: boolean };

/** The part of a text around the first match, in pieces. */
export function excerpt(text: string, query: string, width = 120): Piece[] {
  const whole = text.replace(/\s+/g, " ").trim();
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1);
  const lower = whole.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = places.length > 0 ? Math.min(...places) : 0;
  const from = first < width / 2 ? 0 : lower.lastIndexOf(" ", first - width / 3) + 1;
  const cut = whole.slice(from, from + width);
  const shown = `${from > 0 ? "… " : ""}${cut}${from + width < whole.length ? " …" : ""}`;
  return mark(shown, words);
}

function mark(text: string, words: readonly string[]): Piece[] {
  if (words.length === 0) return [{ text, isHit: false }];
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return text
    .split(new RegExp(`(${pattern})`, "gi"))
    .map((piece, index) => ({ text: piece, isHit: index % 2 === 1 }))
    .filter(({ text: piece }) => piece !== "");
}
