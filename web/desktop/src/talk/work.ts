/** Texts about the work of a turn: calls, stages, summary line, end reasons. */
import type { Progress, wire } from "@dwell/client";
import { isFinal, type TurnState } from "../store/turn.ts";
import { duration } from "../kit/format.ts";
import { isRecord, plainValue, toolInWords } from "../kit/value-words.ts";

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
  if (state.approvals.length > 0) return "Waiting for your approval";
  if (state.research.some(({ done }) => !done)) return "Searching for sources…";
  const running = calls.filter(({ status }) => status === "running");
  const [first] = running;
  if (first && running.length === 1) return `Calling ${toolInWords(first.tool)}…`;
  if (first) return `Calling ${running.length} tools…`;
  if (state.status === "streaming") return "Answering…";
  const last = state.steps.at(-1);
  if (last?.type === "error" && last.detail.fallback) return `Falling back to ${last.detail.fallback}…`;
  if (last?.type === "error" && last.detail.retry_in_ms != null) return "The model failed, retrying…";
  if (isThinking) return "Thinking…";
  switch (state.stage) {
    case "understand":
      return "Understanding…";
    case "plan":
      return "Planning…";
    case "execute":
      return calls.length > 0 ? "Reading the results…" : "Thinking…";
    default:
      return "Starting…";
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
  if (calls.length > 0) parts.push(calls[0] && calls.length === 1 ? callText(calls[0]) : `Used ${calls.length} tools`);
  const recalled = state.memory?.items?.length ?? 0;
  if (recalled > 0) parts.push(`recalled ${recalled === 1 ? "1 memory" : `${recalled} memories`}`);
  const kept = state.written.filter(({ value }) => value != null).length;
  if (kept > 0) parts.push(`saved ${kept === 1 ? "1 memory" : `${kept} memories`}`);
  if (hasThought) parts.push("reasoned");
  const ms = tookMs(state);
  // Imported turns have no duration.
  if (ms) parts.push(duration(ms));
  if (parts.length === 0) return "Details";
  const line = parts.join(" · ");
  return line.charAt(0).toUpperCase() + line.slice(1);
}

function callText({ tool, status }: Call): string {
  const name = toolInWords(tool);
  if (status === "error") return `${name} failed`;
  return status === "denied" ? `${name} was denied` : `Used ${name}`;
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
  if (position <= 1) return "Next in the queue";
  const tens = position % 100;
  const ending = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][position % 10] ?? "th");
  return `${position}${ending} in the queue`;
}

/** Why a turn ended early; undefined if there is nothing to say. */
export function reasonWords(reason: string | undefined): string | undefined {
  switch (reason) {
    case "step_budget":
      return "The limit on rounds was reached; this is the answer so far.";
    case "tool_call_budget":
      return "The limit on tool calls was reached; this is the answer so far.";
    case "token_budget":
      return "The token limit was reached; this is the answer so far.";
    case "cost_budget":
      return "The cost limit was reached; this is the answer so far.";
    case "time_budget":
      return "The time limit was reached; this is the answer so far.";
    default:
      return undefined;
  }
}
