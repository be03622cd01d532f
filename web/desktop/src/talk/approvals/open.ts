/** Open approvals of all sessions: live for the open session, polled for the others. */
import { Refused, type wire } from "@dwell/client";
import { computed, effect, signal } from "@preact/signals";
import { api, serverNow } from "../../store/api.ts";
import { dwell } from "../../store/connection.ts";
import { current } from "../../store/sessions.ts";
import { announce } from "../../kit/announce.ts";
import { isNotifying, isSounding } from "../../alerts/settings.ts";
import { seeApproval } from "../../alerts/store.ts";
import { toolInWords } from "../../kit/value-words.ts";
import { missingFrom, mergeOpen, type Settlement, describeSettlement } from "./words.ts";
import { texts } from "../../languages/approvals.ts";

/** The polling interval for other sessions. */
const LOOK_MS = 3_000;
const NOTE_MS = 7_000;

const polled = signal<readonly wire.ApprovalView[]>([]);
const settled = signal<ReadonlyMap<string, Settlement>>(new Map());
const seenAt = new Map<string, number>();
const known = new Map<string, wire.ApprovalView>();
/** Approvals whose answer is being sent. */
const answering = new Set<string>();

/** The approvals of the open session. */
const live = computed<readonly wire.ApprovalView[]>(() => {
  const conversation = current.value;
  if (!conversation) return [];
  const asked = conversation.open.value.flatMap((turn) => turn.state.value.approvals);
  const shown = conversation.desktop.view.value?.approvals ?? [];
  return [...asked, ...shown].map((approval) => ({ ...approval, session_id: conversation.id }));
});

/** The resolved approvals of the open session. */
const resolved = computed<readonly wire.ApprovalResolved[]>(() =>
  (current.value?.turns.value ?? []).slice(-20).flatMap((turn) => turn.state.value.settled),
);

/** All open approvals, first to expire first. */
export const openApprovals = computed(() => mergeOpen([live.value, polled.value], settled.value));

/** The sessions with open approvals. */
export const waitingSessions = computed<ReadonlySet<string>>(
  () => new Set(openApprovals.value.map(({ session_id }) => session_id)),
);

/** A note about the last approval that was resolved elsewhere. */
export const settledNote = signal<string | undefined>(undefined);

/**
 * Answers exactly the call that was shown. One that was resolved elsewhere meanwhile is no error.
 */
export async function answer(approval: wire.ApprovalView, decision: wire.ApprovalDecision): Promise<void> {
  const { approval_id: id, digest } = approval;
  const client = await dwell();
  answering.add(id);
  try {
    await client.approve(id, decision, digest);
    settle(id, { decision, by: "here" });
    void seeApproval(id).catch(() => undefined);
    announce(decision === "once" || decision === "always" ? texts().allowed : texts().denied);
  } catch (error) {
    const isSettled = error instanceof Refused && (error.code === "approval_settled" || error.code === "not_found");
    if (!isSettled) throw error;
    settle(id, { by: "elsewhere" });
  } finally {
    answering.delete(id);
  }
}

function settle(id: string, how: Settlement): void {
  seenAt.delete(id);
  if (settled.peek().has(id)) return;
  settled.value = new Map(settled.peek()).set(id, how);
  const approval = known.get(id);
  known.delete(id);
  if (how.by === "here" || !approval) return;
  const words = describeSettlement(toolInWords(approval.tool), how);
  settledNote.value = words;
  announce(words);
  setTimeout(() => {
    if (settledNote.peek() === words) settledNote.value = undefined;
  }, NOTE_MS);
}

async function look(): Promise<void> {
  const askedAt = Date.now();
  const { data } = await api<wire.ApprovalPage>("GET", "/api/v1/approvals");
  for (const id of missingFrom(data, seenAt, askedAt)) {
    if (answering.has(id)) continue;
    const ends = Date.parse(known.get(id)?.expires_at ?? "");
    settle(id, { by: ends <= serverNow() ? "expiry" : "elsewhere" });
  }
  const same =
    data.length === polled.peek().length &&
    data.every(({ approval_id }, index) => approval_id === polled.peek()[index]?.approval_id);
  if (!same) polled.value = data;
}

/** Keeps the list up to date while the page is open; returns the function that stops it. */
export function syncApprovals(): () => void {
  const lookNow = () => {
    // A page in the background looks only if it can alert the user.
    if (!document.hidden || isNotifying.peek() || isSounding.peek()) void look().catch(() => undefined);
  };
  lookNow();
  const timer = setInterval(lookNow, LOOK_MS);
  document.addEventListener("visibilitychange", lookNow);
  const endSeen = effect(() => {
    for (const approval of openApprovals.value) {
      if (seenAt.has(approval.approval_id)) continue;
      seenAt.set(approval.approval_id, Date.now());
      known.set(approval.approval_id, approval);
    }
  });
  const endTold = effect(() => {
    for (const { approval_id: id, decision, by } of resolved.value) {
      // An answer from here counts as such, whichever event arrives first.
      if (known.has(id) && !answering.has(id)) settle(id, { decision, by });
    }
  });
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", lookNow);
    endSeen();
    endTold();
  };
}
