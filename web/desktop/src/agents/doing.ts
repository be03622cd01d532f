/** What a turn is at, in a few words. */
import type { wire } from "@dwell/client";
import type { TurnState } from "../house/turn.ts";

/** How an agent stands. */
export type Standing = { word: string; tone: "accent" | "warning" | "info" | undefined; isMoving: boolean };

const STAGES: Record<wire.Stage, string> = {
  receive: "Taking the message in",
  understand: "Working out what is meant",
  plan: "Choosing a way",
  execute: "At work",
  complete: "Finishing",
};

/** The stages in order, with a word for each. */
export const STAGE_WORDS: readonly [wire.Stage, string][] = [
  ["receive", "Receive"],
  ["understand", "Understand"],
  ["plan", "Plan"],
  ["execute", "Execute"],
  ["complete", "Complete"],
];

/** How an agent with this turn stands. */
export function standingOf(state: Pick<TurnState, "status" | "reason"> | undefined): Standing {
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
    default:
      return { word: "Idle", tone: undefined, isMoving: false };
  }
}

function waitingFor(reason: string | undefined): string {
  if (reason === "approval") return "Waits for your yes";
  if (reason === "dialog" || reason === "question" || reason === "prompt") return "Waits for your answer";
  return "Waiting";
}

/** What it does at this moment. */
export function doingOf(state: Pick<TurnState, "status" | "stage" | "steps" | "progress">): string {
  if (state.status === "streaming") return "Writing the answer";
  const done = new Set<string>();
  for (const step of state.steps) if (step.type === "tool_result") done.add(step.detail.call_id);
  const running = state.steps.findLast((step) => step.type === "tool_call" && !done.has(step.detail.call_id));
  if (running?.type === "tool_call") {
    const { call_id: id, tool } = running.detail;
    const how = state.progress[id]?.message;
    return how ? `Calling ${tool}: ${how}` : `Calling ${tool}`;
  }
  return state.stage ? STAGES[state.stage] : "About to begin";
}

/** What was asked, in one line. */
export function askedOf(asked: TurnState["asked"]): string {
  const act = asked.window?.act;
  if (act) return `Pressed “${act.action}”`;
  return asked.message.trim() || (asked.calls?.map(({ tool }) => `Call of ${tool}`).join(", ") ?? "");
}
