/** The owner's alerts: followed while the page is open, shown until a person has seen them. */
import type { wire } from "@dwell/client";
import { computed, effect, signal } from "@preact/signals";
import { api } from "../store/api.ts";
import { connection, dwell, onNotice } from "../store/connection.ts";
import { announce } from "../kit/announce.ts";
import { unseenOf, withRaised } from "./waiting.ts";
import { kindOfAlert } from "./words.ts";
import { texts } from "../languages/shell.ts";

const SNOOZE_MS = 10 * 60_000;

/** The newest alerts, newest first; undefined until they are loaded. */
export const alerts = signal<readonly wire.AlertView[] | undefined>(undefined);
/** The error of the last failed request. */
export const alertsProblem = signal<unknown>(undefined);
/** Ids of alerts that came while the page was open. */
export const arrived = signal<ReadonlySet<string>>(new Set());
/** The alerts that no person has seen. */
export const unseen = computed(() => unseenOf(alerts.value ?? []));
/** Ids of alerts whose notice was closed. They stay in the list, and are counted. */
const closed = signal<ReadonlySet<string>>(new Set());
/**
 * The alerts with a notice: those that came while the page was open. Older ones would cover what
 * the page was opened for; the bell counts them.
 */
export const noticed = computed(() =>
  unseen.value.filter(({ alert_id: id }) => arrived.value.has(id) && !closed.value.has(id)),
);

const tabs = new BroadcastChannel("dwell.alerts");

/** Follows alerts, again after each reconnection; returns the function that stops it. */
export function followAlerts(): () => void {
  tabs.onmessage = ({ data }: MessageEvent<unknown>) => markSeen(String(data));
  const stopListening = onNotice(({ type, data }) => {
    if (type === "alert.raised" && isAlert(data)) take(data);
  });
  const stopWatching = effect(() => {
    if (connection.value === "up") void refreshAlerts();
  });
  return () => {
    tabs.onmessage = null;
    stopListening();
    stopWatching();
  };
}

/** Reads the alerts, and follows those that come. */
export async function refreshAlerts(): Promise<void> {
  try {
    const { data } = await (await dwell()).request("alert.follow", {});
    const before = alerts.peek();
    // What the first list has was raised before the page was open. What a later one has besides
    // was raised while the connection was down.
    if (before !== undefined) {
      const known = new Set(before.map(({ alert_id: id }) => id));
      arrive(data.filter(({ alert_id: id }) => !known.has(id)));
    }
    alerts.value = data;
    alertsProblem.value = undefined;
  } catch (problem) {
    alertsProblem.value = problem;
  }
}

function take(alert: wire.Alert): void {
  const before = alerts.peek() ?? [];
  const after = withRaised(before, alert);
  if (after === before) return;
  arrive([alert]);
  alerts.value = after;
  // An approval is announced with its dialog.
  if (alert.kind !== "approval_waiting") announce(`${kindOfAlert(alert.kind).name}: ${alert.title}`);
}

function arrive(come: readonly wire.Alert[]): void {
  if (come.length === 0) return;
  arrived.value = new Set([...arrived.peek(), ...come.map(({ alert_id: id }) => id)]);
}

function isAlert(value: unknown): value is wire.Alert {
  return typeof value === "object" && value !== null && "alert_id" in value && "kind" in value;
}

/** A person has seen an alert. */
export async function seeAlert(id: string): Promise<void> {
  await api<wire.AlertView>("POST", `/api/v1/alerts/${id}/seen`);
  markSeen(id);
  tabs.postMessage(id);
}

/** An approval was answered here, so its alert was seen. */
export async function seeApproval(approvalId: string): Promise<void> {
  const alert = alerts.peek()?.find((one) => one.approval_id === approvalId && !one.seen);
  if (alert) await seeAlert(alert.alert_id);
}

function markSeen(id: string): void {
  alerts.value = alerts.peek()?.map((alert) => (alert.alert_id === id ? { ...alert, seen: true } : alert));
}

/** Closes the notice of an alert, which nevertheless has not been seen. */
export function closeNotice(id: string): void {
  closed.value = new Set([...closed.peek(), id]);
}

/** Repeats the reminder of an alert in ten minutes. */
export async function snoozeAlert({ alert_id: id, schedule_id: schedule }: wire.AlertView): Promise<void> {
  if (!schedule) return;
  await api<wire.ScheduleView>("POST", `/api/v1/schedules/${schedule}/do`, { do: "snooze", after_ms: SNOOZE_MS });
  announce(texts().snoozedFor10Minutes);
  await seeAlert(id);
}
