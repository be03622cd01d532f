/** The status and current activity of an agent as short texts. */
import type { wire } from "@dwell/client";
import { toolInWords } from "../kit/value-words.ts";
import type { TurnState } from "../store/turn.ts";

/** The displayed status of an agent. */
export type AgentStatus = { word: string; tone: "accent" | "warning" | "info" | undefined; isMoving: boolean };

const STAGES: Record<wire.Stage, string> = {
  receive: "Receiving the message",
  understand: "Understanding the request",
  plan: "Planning",
  execute: "Working",
  complete: "Finishing",
};

/** The stages in order, with their labels. */
export const STAGE_WORDS: readonly [wire.Stage, string][] = [
  ["receive", "Receive"],
  ["understand", "Understand"],
  ["plan", "Plan"],
  ["execute", "Execute"],
  ["complete", "Complete"],
];

/** The status of an agent that has this turn. */
export function agentStatus(state: Pick<TurnState, "status" | "reason"> | undefined): AgentStatus {
  switch (state?.status) {
    case undefined:
      return { word: "Idle", tone: undefined, isMoving: false };
    case "pending":
      return { word: "Starting", tone: "info", isMoving: true };
    case "running":
      return { word: "Working", tone: "accent", isMoving: true };
    case "streaming":
      return { word: "Answering", tone: "accent", isMoving: true };
    case "waiting":
      return { word: waitingFor(state.reason), tone: "warning", isMoving: false };
    case "interrupted":
      return { word: "Interrupted", tone: "warning", isMoving: false };
    case "paused":
      return { word: "Paused", tone: "info", isMoving: false };
    default:
      return { word: "Idle", tone: undefined, isMoving: false };
  }
}

function waitingFor(reason: string | undefined): string {
  if (reason === "approval") return "Waiting for approval";
  if (reason === "dialog" || reason === "question" || reason === "prompt") return "Waiting for your answer";
  return "Waiting";
}

/** The outcome of a turn that may have ended. */
export function outcomeOf(status: wire.TurnStatus): { word: string; tone: wire.Tone | "accent" | undefined } {
  switch (status) {
    case "completed":
      return { word: "Completed", tone: "success" };
    case "failed":
      return { word: "Failed", tone: "danger" };
    case "cancelled":
      return { word: "Cancelled", tone: undefined };
    case "expired":
      return { word: "Expired", tone: "warning" };
    default: {
      const { word, tone } = agentStatus({ status, reason: undefined });
      return { word, tone };
    }
  }
}

/** What the agent is doing at this moment. */
export function activityOf(state: Pick<TurnState, "status" | "stage" | "steps" | "progress">): string {
  if (state.status === "streaming") return "Writing the answer";
  const done = new Set<string>();
  for (const step of state.steps) if (step.type === "tool_result") done.add(step.detail.call_id);
  const running = state.steps.findLast((step) => step.type === "tool_call" && !done.has(step.detail.call_id));
  if (running?.type === "tool_call") {
    const { call_id: id, tool } = running.detail;
    const how = state.progress[id]?.message;
    return how ? `Calling ${toolInWords(tool)}: ${how}` : `Calling ${toolInWords(tool)}`;
  }
  return state.stage ? STAGES[state.stage] : "Starting";
}

/** The request of a turn in one line. */
export function requestSummary(asked: TurnState["asked"]): string {
  const act = asked.window?.act;
  if (act) return `Clicked “${act.action}”`;
  return asked.message.trim() || (asked.calls?.map(({ tool }) => `Call to ${toolInWords(tool)}`).join(", ") ?? "");
}
