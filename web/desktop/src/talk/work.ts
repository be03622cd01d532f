/** Texts about the work of a turn: calls, stages, summary line, end reasons. */
import type { Progress, wire } from "@dwell/client";
import { isFinal, type TurnState } from "../store/turn.ts";
import { duration } from "../kit/format.ts";
import { isRecord, plainValue, toolInWords } from "../kit/value-words.ts";
import { texts } from "../languages/talk.ts";

/** A tool call, from the model's request to its result. */
export type Call = {
  id: string;
  tool: string;
  arguments: unknown;
  /** `asked` until it runs. */
  status: "asked" | "running" | wire.CallStatus;
  result?: wire.ToolResult | undefined;
};

/** The calls of a turn, in the order of the requests. */
export function callsOf(steps: readonly wire.Step[]): Call[] {
  const calls = new Map<string, Call>();
  for (const step of steps) {
    if (step.type === "plan") {
      for (const { call_id: id, tool, arguments: given } of step.detail.calls ?? []) {
        calls.set(id, { id, tool, arguments: given, status: "asked" });
      }
    } else if (step.type === "tool_call") {
      const { call_id: id, tool, arguments: given } = step.detail;
      calls.set(id, { id, tool, arguments: given, status: "running" });
    } else if (step.type === "tool_result") {
      const { call_id: id, tool, status = "ok" } = step.detail;
      calls.set(id, { id, tool, arguments: calls.get(id)?.arguments, status, result: step.detail });
    }
  }
  return [...calls.values()];
}

/** The current activity of a turn. */
export function stageWords(state: TurnState, calls: readonly Call[], isThinking: boolean): string {
  if (state.approvals.length > 0) return texts().waitingForYourApproval;
  if (state.research.some(({ done }) => !done)) return texts().searchingNow;
  const running = calls.filter(({ status }) => status === "running");
  const [first] = running;
  if (first && running.length === 1) return texts().callingTool(toolInWords(first.tool));
  if (first) return texts().callingRunningTools(running.length);
  if (state.status === "streaming") return texts().answering;
  const last = state.steps.at(-1);
  if (last?.type === "error" && last.detail.fallback) return texts().fallingBackTo(last.detail.fallback);
  if (last?.type === "error" && last.detail.retry_in_ms != null) return texts().theModelFailedRetrying;
  if (isThinking) return texts().thinkingNow;
  switch (state.stage) {
    case "understand":
      return texts().understanding;
    case "plan":
      return texts().planning;
    case "execute":
      return calls.length > 0 ? texts().readingTheResults : texts().thinkingNow;
    default:
      return texts().starting;
  }
}

/** The duration of a turn, if it is known. */
export function tookMs(state: TurnState): number | undefined {
  if (state.stats?.duration_ms != null) return state.stats.duration_ms;
  if (!isFinal(state.status)) return undefined;
  return Math.max(0, Date.parse(state.updatedAt) - Date.parse(state.createdAt));
}

/** Tokens and cost of the whole turn, or of the answer alone if there is no total. */
export function usageOf(state: TurnState): wire.Usage | undefined {
  const { stats, response } = state;
  if (stats?.usage && stats.usage.input_tokens + stats.usage.output_tokens > 0) return stats.usage;
  return response?.usage ?? undefined;
}

/** The summary line of a turn: `Used 2 tools · recalled 3 memories · 4.2 s`. */
export function summaryLine(state: TurnState, calls: readonly Call[], hasThought: boolean): string {
  const parts: string[] = [];
  if (calls.length > 0)
    parts.push(calls[0] && calls.length === 1 ? callText(calls[0]) : texts().usedCallsTools(calls.length));
  const recalled = state.memory?.items?.length ?? 0;
  if (recalled > 0) parts.push(texts().recalledPart(texts().memoryCount(recalled)));
  const kept = state.written.filter(({ value }) => value != null).length;
  if (kept > 0) parts.push(texts().savedPart(texts().memoryCount(kept)));
  if (hasThought) parts.push(texts().reasoned);
  const ms = tookMs(state);
  // Imported turns have no duration.
  if (ms) parts.push(duration(ms));
  if (parts.length === 0) return texts().details;
  const line = parts.join(" · ");
  return line.charAt(0).toUpperCase() + line.slice(1);
}

function callText({ tool, status }: Call): string {
  const name = toolInWords(tool);
  if (status === "error") return texts().nameFailed(name);
  return status === "denied" ? texts().nameWasDenied(name) : texts().usedName(name);
}

/** The arguments of a call on one line. */
export function shortArguments(given: unknown, letters = 90): string {
  const said = words(given);
  return said.length > letters ? `${said.slice(0, letters)}…` : said;
}

function words(value: unknown): string {
  if (isRecord(value)) return Object.values(value).map(words).filter(Boolean).join(", ");
  if (Array.isArray(value)) return value.map(words).join(", ");
  if (value === "" || value == null) return "";
  return (plainValue(value) ?? "").replace(/\s+/g, " ");
}

/** The result of a tool: parsed if it is JSON, else the text. */
export function contentOf(content: string): unknown {
  const text = content.trim();
  if (!/^[[{]/.test(text)) return content;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return content;
  }
}

/** The progress of a call. */
export function progressWords(progress: Progress | undefined): string | undefined {
  return progress && (progress.message || progress.status);
}

/** The position in the queue: `Next in the queue`, `2nd in the queue`. */
export function queuePosition(position: number): string {
  if (position <= 1) return texts().nextInTheQueue;
  return texts().placeInQueue(position);
}

/** Why a turn ended early; undefined if there is nothing to say. */
export function reasonWords(reason: string | undefined): string | undefined {
  switch (reason) {
    case "step_budget":
      return texts().theLimitRoundsWas;
    case "tool_call_budget":
      return texts().theLimitToolCalls;
    case "token_budget":
      return texts().theTokenLimitWas;
    case "cost_budget":
      return texts().theCostLimitWas;
    case "time_budget":
      return texts().theTimeLimitWas;
    default:
      return undefined;
  }
}
