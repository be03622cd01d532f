/** What waits for the user, in words, and what of it is new. Pure. */
import type { wire } from "@dwell/client";
import { toolInWords } from "../kit/value-words.ts";

/** An approval or a question that waits for an answer. */
export type Waiting = { id: string; session: string; title: string; body: string };

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
      title: `Allow “${toolInWords(tool)}”?`,
      body: reason,
    })),
    ...questions.map(({ dialog_id: id, title, text }) => ({ id, session: session ?? "", title, body: text ?? "" })),
  ];
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
