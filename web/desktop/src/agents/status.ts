/** The status and current activity of an agent as short texts. */
import type { wire } from "@dwell/client";
import { toolInWords } from "../kit/value-words.ts";
import type { TurnState } from "../store/turn.ts";
import { texts } from "../languages/agents.ts";

/** The displayed status of an agent. */
export type AgentStatus = { word: string; tone: "accent" | "warning" | "info" | undefined; isMoving: boolean };

function stageActivities(): Record<wire.Stage, string> {
  return {
    receive: texts().receivingTheMessage,
    understand: texts().understandingTheRequest,
    plan: texts().planning,
    execute: texts().working,
    complete: texts().finishing,
  };
}

/** The stages in order, with their labels. */
export function stageNames(): readonly [wire.Stage, string][] {
  return [
    ["receive", texts().receive],
    ["understand", texts().understand],
    ["plan", texts().plan],
    ["execute", texts().execute],
    ["complete", texts().complete],
  ];
}

/** The status of an agent that has this turn. */
export function agentStatus(state: Pick<TurnState, "status" | "reason"> | undefined): AgentStatus {
  switch (state?.status) {
    case undefined:
      return { word: texts().idle, tone: undefined, isMoving: false };
    case "pending":
      return { word: texts().starting, tone: "info", isMoving: true };
    case "running":
      return { word: texts().working, tone: "accent", isMoving: true };
    case "streaming":
      return { word: texts().answering, tone: "accent", isMoving: true };
    case "waiting":
      return { word: waitingFor(state.reason), tone: "warning", isMoving: false };
    case "interrupted":
      return { word: texts().interrupted, tone: "warning", isMoving: false };
    case "paused":
      return { word: texts().paused, tone: "info", isMoving: false };
    default:
      return { word: texts().idle, tone: undefined, isMoving: false };
  }
}

function waitingFor(reason: string | undefined): string {
  if (reason === "approval") return texts().waitingForApproval;
  if (reason === "dialog" || reason === "question" || reason === "prompt") return texts().waitingForYourAnswer;
  return texts().waiting;
}

/** The outcome of a turn that may have ended. */
export function outcomeOf(status: wire.TurnStatus): { word: string; tone: wire.Tone | "accent" | undefined } {
  switch (status) {
    case "completed":
      return { word: texts().completed, tone: "success" };
    case "failed":
      return { word: texts().failed, tone: "danger" };
    case "cancelled":
      return { word: texts().cancelled, tone: undefined };
    case "expired":
      return { word: texts().expired, tone: "warning" };
    default: {
      const { word, tone } = agentStatus({ status, reason: undefined });
      return { word, tone };
    }
  }
}

/** What the agent is doing at this moment. */
export function activityOf(state: Pick<TurnState, "status" | "stage" | "steps" | "progress">): string {
  if (state.status === "streaming") return texts().writingTheAnswer;
  const done = new Set<string>();
  for (const step of state.steps) if (step.type === "tool_result") done.add(step.detail.call_id);
  const running = state.steps.findLast((step) => step.type === "tool_call" && !done.has(step.detail.call_id));
  if (running?.type === "tool_call") {
    const { call_id: id, tool } = running.detail;
    const how = state.progress[id]?.message;
    return how ? texts().callingToolHow(toolInWords(tool), how) : texts().callingTool(toolInWords(tool));
  }
  return state.stage ? stageActivities()[state.stage] : texts().starting;
}

/** The request of a turn in one line. */
export function requestSummary(asked: TurnState["asked"]): string {
  const act = asked.window?.act;
  if (act) return texts().clickedAction(act.action);
  return (
    asked.message.trim() || (asked.calls?.map(({ tool }) => texts().callToTool(toolInWords(tool))).join(", ") ?? "")
  );
}
