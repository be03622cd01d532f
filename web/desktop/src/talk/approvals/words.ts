/** Merging and describing approvals. Pure. */
import type { wire } from "@dwell/client";
import { texts } from "../../languages/approvals.ts";

/** How an approval was resolved, and by whom as far as is known. */
export type Settlement = { decision?: wire.ApprovalDecision | undefined; by: wire.SettledBy | "elsewhere" | "here" };

/** All open approvals, each once, first to expire first. */
export function mergeOpen(
  lists: readonly (readonly wire.ApprovalView[])[],
  settled: ReadonlyMap<string, Settlement>,
): wire.ApprovalView[] {
  const byId = new Map<string, wire.ApprovalView>();
  for (const approval of lists.flat()) {
    const { approval_id: id } = approval;
    if (!settled.has(id) && !byId.has(id)) byId.set(id, approval);
  }
  return [...byId.values()].sort((a, b) => a.expires_at.localeCompare(b.expires_at));
}

/** The ids known before the request that the answer lacks: they were resolved elsewhere. */
export function missingFrom(
  answer: readonly wire.ApprovalView[],
  seenAt: ReadonlyMap<string, number>,
  askedAt: number,
): string[] {
  const named = new Set(answer.map(({ approval_id }) => approval_id));
  return [...seenAt].filter(([id, at]) => at < askedAt && !named.has(id)).map(([id]) => id);
}

function safetyTexts(): Record<wire.Safety, string> {
  return {
    observes: texts().readOnlyNothingChanges,
    keeps: texts().storesDataDwellNothing,
    acts: texts().changesSomethingOutsideDwell,
    sends: texts().sendsDataPeopleOr,
  };
}

function effectTexts(): Record<wire.Effect, string> {
  return {
    pure: texts().repeatingItChangesNothing,
    idempotent: texts().repeatingHasSameResult,
    verifiable: texts().afterInterruptionDwellCan,
    at_most_once: texts().itMustNotBe,
  };
}

/** The kind of effect of a call. */
export function safetyInWords(safety: wire.Safety): string {
  return safetyTexts()[safety];
}

/** What repeating a call does. */
export function effectInWords(effect: wire.Effect): string {
  return effectTexts()[effect];
}

/** The time left: minutes first, then seconds. */
export function timeLeft(ms: number): string {
  if (ms <= 0) return texts().timeUpCallDenied;
  const seconds = Math.ceil(ms / 1_000);
  if (seconds > 90) return texts().aboutMinutesToAnswer(Math.round(seconds / 60));
  return texts().secondsToAnswer(seconds);
}

/** Describes an approval that was resolved elsewhere. */
export function describeSettlement(tool: string, { decision, by }: Settlement): string {
  if (by === "expiry") return texts().noAnswerTimeWas(tool);
  if (by === "turn_end") return texts().theTurnHasEnded(tool);
  if (decision === "once" || decision === "always") return texts().wasAllowedElsewhere(tool);
  if (decision === "deny" || decision === "never") return texts().wasDeniedElsewhere(tool);
  return texts().wasAnsweredElsewhere(tool);
}
