/** Pushed alerts as notifications. Pure. */
import type { wire } from "@dwell/client";
import type { Language } from "../languages/match.ts";

/** A notification: its texts, what replaces it, and where a click on it leads. */
export type PushNotice = { title: string; body: string; tag: string; href: string };

/**
 * What a push says that cannot be read. Not in the page's catalogues: the worker has to be one
 * file, and an import that it shares with the page would make a second one.
 */
const UNREADABLE: Record<Language, string> = {
  en: "Something needs you. Open Dwell to see it.",
  de: "Etwas wartet auf Sie. Dwell öffnen, um es zu sehen.",
};

/** The notification of a pushed text. The browser demands one for every push, so there always is. */
export function noticeOf(text: string | undefined, wanted: readonly string[] = []): PushNotice {
  const alert = read(text);
  if (!alert) return { title: "Dwell", body: unreadable(wanted), tag: "unreadable", href: "#/planned//alerts" };
  const { alert_id: tag, title, text: body = "" } = alert;
  return { title, body, tag, href: hrefOf(alert) };
}

/** The worker knows the browser's languages only, not the choice in the page's settings. */
function unreadable(wanted: readonly string[]): string {
  const known = wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in UNREADABLE);
  return UNREADABLE[known === "de" ? known : "en"];
}

/** Where an alert leads, as in the page: to its turn, to the schedule, or to its session. */
function hrefOf({ turn_id: turn, schedule_id: schedule, session_id: session }: wire.Alert): string {
  if (turn) return `#/talk/${encodeURIComponent(session)}/${encodeURIComponent(turn)}`;
  return schedule ? `#/planned//${encodeURIComponent(schedule)}` : `#/talk/${encodeURIComponent(session)}`;
}

function read(text: string | undefined): wire.Alert | undefined {
  try {
    const value = JSON.parse(text ?? "") as Partial<wire.Alert> | null;
    const isAlert = [value?.alert_id, value?.session_id, value?.title].every((field) => typeof field === "string");
    return isAlert ? (value as wire.Alert) : undefined;
  } catch {
    return undefined;
  }
}

/** The files that the page's HTML names, relative to it. */
export function filesOf(html: string): string[] {
  return [...new Set(html.match(/\bassets\/[\w.-]+/g) ?? [])];
}

/** Whether a file's name changes with its content, so that a kept copy is never old. */
export function isHashed(path: string): boolean {
  return /^assets\/[\w.-]+-[\w-]{8}\.\w+$/.test(path);
}
