/** What a turn did on its way to the answer, in words. */
import type { Progress, wire } from "@dwell/client";
import { isFinal, type TurnState } from "../house/turn.ts";
import { duration } from "../kit/format.ts";
import { isRecord, plainValue, toolInWords } from "../kit/value-words.ts";

/** A call from when the model asked for it to what came of it. */
export type Call = {
  id: string;
  tool: string;
  arguments: unknown;
  /** `asked` until it runs. */
  status: "asked" | "running" | wire.CallStatus;
  result?: wire.ToolResult | undefined;
};

/** The calls of a turn, in the order in which they were asked for. */
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

/** What it is at, in words that end in dots. */
export function stageWords(state: TurnState, calls: readonly Call[], isThinking: boolean): string {
  if (state.approvals.length > 0) return "Waiting for your approval";
  if (state.research.some(({ done }) => !done)) return "Looking for sources…";
  const running = calls.filter(({ status }) => status === "running");
  const [first] = running;
  if (first && running.length === 1) return `Calling ${toolInWords(first.tool)}…`;
  if (first) return `Calling ${running.length} tools…`;
  if (state.status === "streaming") return "Answering…";
  const last = state.steps.at(-1);
  if (last?.type === "error" && last.detail.fallback) return `Asking ${last.detail.fallback} instead…`;
  if (last?.type === "error" && last.detail.retry_in_ms != null) return "The model failed, trying again…";
  if (isThinking) return "Thinking…";
  switch (state.stage) {
    case "understand":
      return "Understanding…";
    case "plan":
      return "Planning…";
    case "execute":
      return calls.length > 0 ? "Looking at what came back…" : "Thinking…";
    default:
      return "Starting…";
  }
}

/** How long a turn took, where that is known. */
export function tookMs(state: TurnState): number | undefined {
  if (state.stats?.duration_ms != null) return state.stats.duration_ms;
  if (!isFinal(state.status)) return undefined;
  return Math.max(0, Date.parse(state.updatedAt) - Date.parse(state.createdAt));
}

/** All tokens and what they cost: of the answer, and of the rounds before where nobody has summed them up. */
export function usageOf(state: TurnState): wire.Usage | undefined {
  const { stats, response } = state;
  if (stats?.usage && stats.usage.input_tokens + stats.usage.output_tokens > 0) return stats.usage;
  return response?.usage ?? undefined;
}

/** What a turn did, in one quiet line: `Used 2 tools · recalled 3 memories · 4.2 s`. */
export function inShort(state: TurnState, calls: readonly Call[], hasThought: boolean): string {
  const parts: string[] = [];
  if (calls.length > 0)
    parts.push(calls.length === 1 ? `Used ${toolInWords(calls[0]?.tool ?? "")}` : `Used ${calls.length} tools`);
  const recalled = state.memory?.items?.length ?? 0;
  if (recalled > 0) parts.push(`recalled ${recalled === 1 ? "1 memory" : `${recalled} memories`}`);
  const kept = state.written.filter(({ value }) => value != null).length;
  if (kept > 0) parts.push(`kept ${kept === 1 ? "1 memory" : `${kept} memories`}`);
  if (hasThought) parts.push("thought about it");
  const ms = tookMs(state);
  // What was taken in from elsewhere took no time here.
  if (ms) parts.push(duration(ms));
  if (parts.length === 0) return "Details";
  const line = parts.join(" · ");
  return line.charAt(0).toUpperCase() + line.slice(1);
}

/** The arguments of a call on one line. */
export function argumentsInShort(given: unknown, letters = 90): string {
  const said = words(given);
  return said.length > letters ? `${said.slice(0, letters)}…` : said;
}

function words(value: unknown): string {
  if (isRecord(value)) return Object.values(value).map(words).filter(Boolean).join(", ");
  if (Array.isArray(value)) return value.map(words).join(", ");
  if (value === "" || value == null) return "";
  return (plainValue(value) ?? "").replace(/\s+/g, " ");
}

/** What a tool said: as names and values where it is written so. */
export function contentOf(content: string): unknown {
  const text = content.trim();
  if (!/^[[{]/.test(text)) return content;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return content;
  }
}

/** How far a call is. */
export function progressWords(progress: Progress | undefined): string | undefined {
  return progress && (progress.message || progress.status);
}

/** Its place in the line: `next in line`, `2nd in line`. */
export function placeInLine(position: number): string {
  if (position <= 1) return "Next in line";
  const tens = position % 100;
  const ending = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][position % 10] ?? "th");
  return `${position}${ending} in line`;
}

/** Why a turn that is over did not go on, in words; undefined where there is nothing to say. */
export function reasonWords(reason: string | undefined): string | undefined {
  switch (reason) {
    case "step_budget":
      return "It used up the rounds it may take, and answered with what it had.";
    case "tool_call_budget":
      return "It used up the calls it may make, and answered with what it had.";
    case "token_budget":
      return "It used up the tokens it may take, and answered with what it had.";
    case "cost_budget":
      return "It used up what it may cost, and answered with what it had.";
    case "time_budget":
      return "It ran out of time. What it had found so far is above.";
    default:
      return undefined;
  }
}
