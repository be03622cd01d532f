/** Alerts in words. Pure. */
import type { wire } from "@dwell/client";
import type { IconName } from "../kit/icon.tsx";
import { texts } from "../languages/shell.ts";

function alertKinds(): Record<wire.AlertKind, { name: string; icon: IconName; isBad?: boolean }> {
  return {
    reminder: { name: texts().reminder, icon: "bell" },
    timer: { name: texts().timer, icon: "clock" },
    answer: { name: texts().answer, icon: "talk" },
    turn_failed: { name: texts().backgroundWorkFailed, icon: "warning", isBad: true },
    turn_waiting: { name: texts().needsYourAnswer, icon: "talk" },
    turn_ended: { name: texts().turnEnded, icon: "talk" },
    approval_waiting: { name: texts().approval, icon: "lock" },
    schedule_waiting: { name: texts().needsApproval, icon: "lock" },
    schedule_fired: { name: texts().started, icon: "planned" },
    schedule_failed: { name: texts().failedOrMissed, icon: "warning", isBad: true },
  };
}

/** The name and the icon of a kind. A newer server may have more kinds. */
export function kindOfAlert(kind: wire.AlertKind): { name: string; icon: IconName; isBad?: boolean } {
  return (alertKinds() as Partial<ReturnType<typeof alertKinds>>)[kind] ?? { name: texts().alert, icon: "bell" };
}

/** What the link of an alert says. */
export function openLabel({ kind }: Pick<wire.Alert, "kind">): string {
  if (kind === "schedule_waiting" || kind === "approval_waiting") return texts().review;
  return texts().open;
}

/** Whether it can be repeated later. */
export function canSnooze({ kind, schedule_id: schedule }: Pick<wire.Alert, "kind" | "schedule_id">): boolean {
  return Boolean(schedule) && (kind === "reminder" || kind === "timer");
}
