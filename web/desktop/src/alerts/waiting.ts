/** What waits for the user, in words, and what of it is new. Pure. */
import type { wire } from "@dwell/client";
import { toolInWords } from "../kit/value-words.ts";
import type { Place } from "../places.ts";
import { texts } from "../languages/shell.ts";

/**
 * An approval, a question or an alert that waits for the user. `to` is where it leads, the session
 * by default. A quiet one is counted, but not announced.
 */
export type Waiting = {
  id: string;
  session: string;
  title: string;
  body: string;
  to?: Place | undefined;
  isQuiet?: boolean | undefined;
};

/** The approvals and questions that wait, approvals first. */
export function waitingOf(
  approvals: readonly Pick<wire.ApprovalView, "approval_id" | "session_id" | "tool" | "reason">[],
  questions: readonly Pick<wire.Dialog, "dialog_id" | "title" | "text">[],
  session: string | undefined,
): Waiting[] {
  return [
    ...approvals.map(({ approval_id: id, session_id, tool, reason }) => ({
      id,
      session: session_id,
      title: texts().allowTool(toolInWords(tool)),
      body: reason,
    })),
    ...questions.map(({ dialog_id: id, title, text }) => ({ id, session: session ?? "", title, body: text ?? "" })),
  ];
}

/**
 * The alerts that have not been seen, newest first. An approval is not among them: it waits as
 * itself, with a dialog of its own.
 */
export function unseenOf(alerts: readonly wire.AlertView[]): wire.AlertView[] {
  return alerts.filter(({ seen, kind }) => !seen && kind !== "approval_waiting");
}

/** Unseen alerts as things that wait; `arrived` are those that came while the page was open. */
export function waitingAlerts(unseen: readonly wire.AlertView[], arrived: ReadonlySet<string>): Waiting[] {
  return unseen.map((alert) => ({
    id: alert.alert_id,
    session: alert.session_id,
    title: alert.title,
    body: alert.text ?? "",
    to: placeOf(alert),
    isQuiet: !arrived.has(alert.alert_id),
  }));
}

/** Where an alert leads: to the turn that it is about, or to the schedule. */
export function placeOf(alert: wire.Alert): Place {
  const { turn_id: turn, schedule_id: schedule, session_id: session } = alert;
  if (turn) return { view: "talk", session, detail: turn };
  return schedule ? { view: "planned", detail: schedule } : { view: "talk", session };
}

/** The alerts with one that was raised, newest first. One that is known stays as it is. */
export function withRaised(alerts: readonly wire.AlertView[], alert: wire.Alert): readonly wire.AlertView[] {
  if (alerts.some(({ alert_id: id }) => id === alert.alert_id)) return alerts;
  return [{ ...alert, seen: false, deliveries: {} }, ...alerts];
}

/** What has come since, and what is over, by id. */
export function changes(
  before: ReadonlySet<string>,
  now: readonly Waiting[],
): { fresh: readonly Waiting[]; over: readonly string[] } {
  const ids = new Set(now.map(({ id }) => id));
  return { fresh: now.filter(({ id }) => !before.has(id)), over: [...before].filter((id) => !ids.has(id)) };
}

/** The document's title, with the number of things that wait. */
export function titleWith(count: number, title: string): string {
  return count > 0 ? `(${count}) ${title}` : title;
}
