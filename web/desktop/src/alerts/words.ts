/** Alerts in words. Pure. */
import type { wire } from "@dwell/client";
import type { IconName } from "../kit/icon.tsx";

const KINDS: Record<wire.AlertKind, { name: string; icon: IconName; isBad?: boolean }> = {
  reminder: { name: "Reminder", icon: "bell" },
  timer: { name: "Timer", icon: "clock" },
  answer: { name: "Answer", icon: "talk" },
  turn_failed: { name: "Background work failed", icon: "warning", isBad: true },
  turn_waiting: { name: "Needs your answer", icon: "talk" },
  turn_ended: { name: "Turn ended", icon: "talk" },
  approval_waiting: { name: "Approval", icon: "lock" },
  schedule_waiting: { name: "Needs approval", icon: "lock" },
  schedule_fired: { name: "Started", icon: "planned" },
  schedule_failed: { name: "Failed or missed", icon: "warning", isBad: true },
};

/** The name and the icon of a kind. A newer server may have more kinds. */
export function kindOfAlert(kind: wire.AlertKind): { name: string; icon: IconName; isBad?: boolean } {
  return (KINDS as Partial<typeof KINDS>)[kind] ?? { name: "Alert", icon: "bell" };
}

/** What the link of an alert says. */
export function openLabel({ kind }: Pick<wire.Alert, "kind">): string {
  if (kind === "schedule_waiting" || kind === "approval_waiting") return "Review";
  return "Open";
}

/** Whether it can be repeated later. */
export function canSnooze({ kind, schedule_id: schedule }: Pick<wire.Alert, "kind" | "schedule_id">): boolean {
  return Boolean(schedule) && (kind === "reminder" || kind === "timer");
}
