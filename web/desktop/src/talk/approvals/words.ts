/** Approvals: which are open, and what they mean, in words. Nothing here asks anybody. */
import type { wire } from "@dwell/client";

/** How one that is no longer open was settled: by whom as far as is known. */
export type Settled = { decision?: wire.Decision | undefined; by: wire.SettledBy | "elsewhere" | "here" };

/** All that are open, each once, the one that ends first in front. */
export function openOnes(
  lists: readonly (readonly wire.ApprovalView[])[],
  settled: ReadonlyMap<string, Settled>,
): wire.ApprovalView[] {
  const byId = new Map<string, wire.ApprovalView>();
  for (const approval of lists.flat()) {
    const { approval_id: id } = approval;
    if (!settled.has(id) && !byId.has(id)) byId.set(id, approval);
  }
  return [...byId.values()].sort((a, b) => a.expires_at.localeCompare(b.expires_at));
}

/** Those that were known before the server was asked and that it did not name: somebody has settled them. */
export function goneFrom(
  answer: readonly wire.ApprovalView[],
  seenAt: ReadonlyMap<string, number>,
  askedAt: number,
): string[] {
  const named = new Set(answer.map(({ approval_id }) => approval_id));
  return [...seenAt].filter(([id, at]) => at < askedAt && !named.has(id)).map(([id]) => id);
}

const SAFETY: Record<wire.Safety, string> = {
  observes: "It only looks; nothing changes.",
  keeps: "It keeps something in Dwell itself; nothing outside changes.",
  acts: "It changes something in the world outside.",
  sends: "It sends something out, to people or other services.",
};

const EFFECT: Record<wire.Effect, string> = {
  pure: "Doing it again changes nothing.",
  idempotent: "Doing it again has the same result as doing it once.",
  verifiable: "After an interruption it can be looked up whether it happened, so it is not done twice.",
  at_most_once: "It must not be done twice, and nobody can look up whether it happened.",
};

/** What a call touches. */
export function safetyInWords(safety: wire.Safety): string {
  return SAFETY[safety];
}

/** What repeating a call would do. */
export function effectInWords(effect: wire.Effect): string {
  return EFFECT[effect];
}

/** The time that is left, calmly: minutes while there are some, then seconds. */
export function timeLeft(ms: number): string {
  if (ms <= 0) return "Time is up: no answer counts as no.";
  const seconds = Math.ceil(ms / 1_000);
  if (seconds > 90) return `About ${Math.round(seconds / 60)} minutes to answer`;
  return `${seconds} ${seconds === 1 ? "second" : "seconds"} to answer`;
}

/** What to say of one that was settled without us. */
export function settledInWords(tool: string, { decision, by }: Settled): string {
  if (by === "expiry") return `Nobody answered in time, so “${tool}” was not run.`;
  if (by === "turn_end") return `The turn has ended, so “${tool}” is not asked about any more.`;
  if (decision === "once" || decision === "always") return `“${tool}” was allowed elsewhere.`;
  if (decision === "deny" || decision === "never") return `“${tool}” was denied elsewhere.`;
  return `“${tool}” was settled elsewhere.`;
}
