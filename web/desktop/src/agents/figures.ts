/** Aggregates the statistics of turns for charts. */
import type { wire } from "@dwell/client";

/** The parts of a turn that statistics need. */
export type TurnRecord = Pick<wire.TurnView, "stats" | "steps" | "status" | "error" | "created_at">;

/** Calls, errors and latency of a tool. */
export type ToolFigures = { tool: string; calls: number; errors: number; p50?: number; p95?: number; max?: number };

/** A percentile with linear interpolation; undefined for an empty list. */
export function percentile(values: readonly number[], share: number): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? 0;
  const high = sorted[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

/** Statistics of turns, oldest first; the newest one has the number `last`. */
export function figuresOf(turns: readonly TurnRecord[], last = turns.length) {
  const first = last - turns.length + 1;
  const labels = turns.map((_, index) => `#${first + index}`);
  const ms = (read: (stats: wire.TurnStats) => number | null | undefined) =>
    turns.map(({ stats }) => (stats ? (read(stats) ?? null) : null));
  const firstWord = ms((stats) => stats.first_word_ms);
  const duration = ms((stats) => stats.duration_ms);
  let spent = 0;
  const cost = turns.map(({ stats }) => {
    spent += stats?.usage?.cost_micros ?? 0;
    return spent / 1_000_000;
  });
  const sent = ms((stats) => stats.usage?.input_tokens);
  const received = ms((stats) => stats.usage?.output_tokens);
  const toolCalls = ms((stats) => stats.tool_calls ?? 0);
  const errors = ms((stats) => stats.errors ?? 0);
  return {
    labels,
    firstWord,
    duration,
    sent,
    received,
    cost,
    toolCalls,
    errors,
    firstWordPercentiles: percentilesOf(firstWord),
    durationPercentiles: percentilesOf(duration),
    totals: {
      sent: sum(sent),
      received: sum(received),
      cost: spent,
      toolCalls: sum(toolCalls),
      errors: sum(errors),
      failed: turns.filter(({ status }) => status === "failed" || status === "expired").length,
    },
  };
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((all, value) => all + (value ?? 0), 0);
}

/** The median, the 95th percentile and the maximum. */
export function percentilesOf(values: readonly (number | null)[]): { p50?: number; p95?: number; max?: number } {
  const there = values.filter((value) => value !== null);
  const [p50, p95, max] = [percentile(there, 0.5), percentile(there, 0.95), percentile(there, 1)];
  return {
    ...(p50 !== undefined && { p50 }),
    ...(p95 !== undefined && { p95 }),
    ...(max !== undefined && { max }),
  };
}

/** The tools that turns called, most called first. */
export function toolsOf(turns: readonly TurnRecord[]): ToolFigures[] {
  const byTool = new Map<string, { calls: number; errors: number; took: number[] }>();
  for (const { steps } of turns) {
    for (const step of steps) {
      if (step.type !== "tool_result") continue;
      const { tool, status, duration_ms: took } = step.detail;
      const figures = byTool.get(tool) ?? { calls: 0, errors: 0, took: [] };
      byTool.set(tool, figures);
      figures.calls += 1;
      if (status === "error" || status === "denied") figures.errors += 1;
      if (took !== null && took !== undefined) figures.took.push(took);
    }
  }
  return [...byTool]
    .map(([tool, { calls, errors, took }]) => ({ tool, calls, errors, ...percentilesOf(took) }))
    .sort((one, other) => other.calls - one.calls || one.tool.localeCompare(other.tool));
}

/** The error codes of failed turns, with counts. */
export function errorsOf(turns: readonly TurnRecord[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { error } of turns) if (error) counts.set(error.code, (counts.get(error.code) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** Turns a name into a label: `tool_loop` is `Tool loop`. */
export function toLabel(name: string): string {
  const text = name.replaceAll(/[_.]/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
