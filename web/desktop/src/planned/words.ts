/** Schedules and alerts in words. Pure. */
import type { wire } from "@dwell/client";
import type { IconName } from "../kit/icon.tsx";
import { toolInWords } from "../kit/value-words.ts";
import { absoluteTime } from "./times.ts";
import { texts } from "../languages/planned.ts";

/** What a schedule is called: its name, or what it does. */
export function titleOf({ name, action }: Pick<wire.ScheduleView, "name" | "action">): string {
  if (name) return name;
  if (action.do === "turn") return action.message;
  if (action.do === "call") return toolInWords(action.tool);
  return action.text || texts().timer;
}

/** What it does, if its name does not say it. */
export function actionInWords({ name, action }: Pick<wire.ScheduleView, "name" | "action">): string | undefined {
  if (action.do === "call") return texts().callsTool(action.tool);
  if (!name) return undefined;
  return (action.do === "turn" ? action.message : action.text) || undefined;
}

/** Whether it counts down. */
export function isTimer({ action }: Pick<wire.ScheduleView, "action">): boolean {
  return action.do === "remind" && action.timer === true;
}

/** What is left of one that is paused, in milliseconds, if it runs once after a while. */
export function leftOf(schedule: wire.ScheduleView & { left_ms?: number | null | undefined }): number | undefined {
  return schedule.status === "paused" ? (schedule.left_ms ?? undefined) : undefined;
}

/** The icon of what it does. */
export function iconOf({ action }: Pick<wire.ScheduleView, "action">): IconName {
  if (action.do === "remind") return action.timer ? "clock" : "bell";
  return action.do === "turn" ? "talk" : "tool";
}

/** The name of what it does. */
export function kindOf({ action }: Pick<wire.ScheduleView, "action">): string {
  if (action.do === "remind") return action.timer ? texts().timer : texts().reminder;
  return action.do === "turn" ? texts().message : texts().call;
}

/** How the last run went. That its turn failed later is known from an alert. */
export function outcomeInWords(
  run: wire.RunView,
  action: wire.ScheduledAction,
  alerts: readonly wire.Alert[] = [],
): { text: string; isBad: boolean } {
  const { outcome } = run;
  if (!outcome) return { text: texts().running, isBad: false };
  const failure = outcome.status === "failed" ? outcome.message : turnFailure(outcome, alerts);
  if (failure !== undefined) return { text: texts().failedFailure(failure), isBad: true };
  if (outcome.status === "started") return { text: action.do === "call" ? texts().called : texts().sent, isBad: false };
  if (action.do === "remind") return { text: action.timer ? texts().rang : texts().reminded, isBad: false };
  return { text: texts().done, isBad: false };
}

function turnFailure(outcome: wire.RunOutcome, alerts: readonly wire.Alert[]): string | undefined {
  if (outcome.status !== "started") return undefined;
  const { turn_id: turn } = outcome;
  const alert = alerts.find((one) => one.kind === "schedule_failed" && one.turn_id === turn);
  return alert && (alert.text ?? alert.title);
}

/** Whether a run was missed, or the last one failed. */
export function wentWrong(schedule: wire.ScheduleView, alerts: readonly wire.Alert[]): boolean {
  const { last_run: last, missed, action } = schedule;
  return missed > 0 || (last != null && outcomeInWords(last, action, alerts).isBad);
}

/** `1 run missed`; undefined if none was. */
export function missedInWords(missed: number): string | undefined {
  if (missed === 0) return undefined;
  return texts().runMissedCount(missed);
}

/** Whether a reminder can be repeated later. */
export function isSnoozable({ action, runs }: Pick<wire.ScheduleView, "action" | "runs">): boolean {
  return action.do === "remind" && runs > 0;
}

/** Whether it may still run. */
export function isOpen({ status }: Pick<wire.ScheduleView, "status">): boolean {
  return status !== "cancelled" && status !== "ended";
}

/** What has run, was missed or is over, latest first. */
export function historyOf(schedules: readonly wire.ScheduleView[]): wire.ScheduleView[] {
  const when = ({ last_run: run, created_at: made }: wire.ScheduleView) => run?.planned_at ?? made;
  return schedules
    .filter((schedule) => schedule.runs > 0 || schedule.missed > 0 || !isOpen(schedule))
    .sort((a, b) => Date.parse(when(b)) - Date.parse(when(a)));
}

/** What a channel has done with an alert. */
export function deliveryInWords(delivery: wire.DeliveryView, now: number): string {
  if (delivery.state === "sending") return texts().sending;
  if (delivery.state === "delivered") return texts().delivered;
  if (delivery.state === "failed") return texts().failedMessage(delivery.message);
  const why = delivery.message ? ` (${delivery.message})` : "";
  return texts().laterAtWhy(absoluteTime(delivery.at, now), why);
}

function backgroundTexts(): Partial<Record<wire.TurnStatus, string>> {
  return {
    pending: texts().waits,
    waiting: texts().needsYou,
    interrupted: texts().interrupted,
    paused: texts().paused,
  };
}

/** What a turn in the background does. */
export function backgroundInWords({ status, reason }: Pick<wire.BackgroundView, "status" | "reason">): string {
  if (reason === "pausing") return texts().pausesAfterItsCall;
  return backgroundTexts()[status] ?? texts().atWork;
}
