/** Merging and describing approvals. Pure. */
import type { wire } from "@dwell/client";

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

const SAFETY: Record<wire.Safety, string> = {
  observes: "Read-only: nothing changes.",
  keeps: "Stores data in Dwell; nothing outside changes.",
  acts: "Changes something outside Dwell.",
  sends: "Sends data to people or other services.",
};

const EFFECT: Record<wire.Effect, string> = {
  pure: "Repeating it changes nothing.",
  idempotent: "Repeating it has the same result as doing it once.",
  verifiable: "After an interruption Dwell can check whether it happened, so it is not repeated.",
  at_most_once: "It must not be repeated, and Dwell cannot check whether it happened.",
};

/** The kind of effect of a call. */
export function safetyInWords(safety: wire.Safety): string {
  return SAFETY[safety];
}

/** What repeating a call does. */
export function effectInWords(effect: wire.Effect): string {
  return EFFECT[effect];
}

/** The time left: minutes first, then seconds. */
export function timeLeft(ms: number): string {
  if (ms <= 0) return "Time is up. The call is denied.";
  const seconds = Math.ceil(ms / 1_000);
  if (seconds > 90) return `About ${Math.round(seconds / 60)} minutes to answer`;
  return `${seconds} ${seconds === 1 ? "second" : "seconds"} to answer`;
}

/** Describes an approval that was resolved elsewhere. */
export function describeSettlement(tool: string, { decision, by }: Settlement): string {
  if (by === "expiry") return `No answer in time: “${tool}” was not run.`;
  if (by === "turn_end") return `The turn has ended: “${tool}” needs no approval any more.`;
  if (decision === "once" || decision === "always") return `“${tool}” was allowed elsewhere.`;
  if (decision === "deny" || decision === "never") return `“${tool}” was denied elsewhere.`;
  return `“${tool}” was answered elsewhere.`;
}
