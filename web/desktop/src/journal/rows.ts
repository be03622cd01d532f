/** The rows of the journal: filtering, grouping by turn, and which rows are visible. */
import type { wire } from "@dwell/client";
import { type Group, groupOf } from "./words.ts";

/** The filter for events. */
export type Filter = { groups: ReadonlySet<Group>; turnId?: string | undefined; words: string };

/** A row: a turn header or an event. */
export type Row =
  | { type: "turn"; key: string; turn: TurnSection; isFolded: boolean }
  | { type: "event"; key: string; event: wire.SessionEvent; run: Run | undefined; isOpen: boolean };

/** Consecutive text or source events, shown as one row. `text` is the combined text. */
export type Run = { events: wire.SessionEvent[]; last: number; text: string };

/** The maximum length of a run's text; a row shows one line. */
const TEXT_MAX = 600;

/** A section of consecutive events of one turn. */
export type TurnSection = {
  /** The turn; undefined for events of the session itself. */
  turnId: string | undefined;
  agentId: string | undefined;
  first: number;
  last: number;
  count: number;
  /** Whether an earlier section belongs to the same turn. */
  isContinued: boolean;
  /** The message, if it is in this or an earlier section. */
  asked?: string | undefined;
  /** The last status in this section. */
  ended?: wire.Transition | undefined;
  from: string;
  until: string;
};

/** Row heights in pixels. */
export type Heights = { turn: number; event: number; open: number };

/** The events that match a filter. `say` returns the text of an event. */
export function filterEvents(
  events: readonly wire.SessionEvent[],
  filter: Filter,
  say: (event: wire.SessionEvent) => string,
): readonly wire.SessionEvent[] {
  const words = filter.words.trim().toLowerCase();
  if (words === "" && filter.turnId === undefined && filter.groups.size === 0) return events;
  return events.filter((event) => {
    if (filter.groups.size > 0 && !filter.groups.has(groupOf(event))) return false;
    if (filter.turnId !== undefined && event.turn_id !== filter.turnId) return false;
    return words === "" || say(event).toLowerCase().includes(words) || event.type.includes(words);
  });
}

/** The rows; if grouped, with a header above each section. */
export function rowsOf(
  events: readonly wire.SessionEvent[],
  options: { isGrouped: boolean; folded: ReadonlySet<number>; open: ReadonlySet<number> },
): Row[] {
  const rows: Row[] = [];
  const before = new Map<string, TurnSection>();
  let gist: TurnSection | undefined;
  let isFolded = false;
  for (const event of events) {
    if (options.isGrouped) {
      const turnId = event.turn_id ?? undefined;
      if (gist === undefined || gist.turnId !== turnId) {
        const earlier = turnId === undefined ? undefined : before.get(turnId);
        gist = begin(event, earlier);
        if (turnId !== undefined) before.set(turnId, gist);
        isFolded = options.folded.has(gist.first);
        rows.push({ type: "turn", key: `turn-${gist.first}`, turn: gist, isFolded });
      }
      add(gist, event);
    }
    if (isFolded || extendRun(rows.at(-1), event)) continue;
    rows.push({ type: "event", key: String(event.seq), event, run: runOf(event), isOpen: options.open.has(event.seq) });
  }
  return rows;
}

function runOf(event: wire.SessionEvent): Run | undefined {
  const text = pieceOf(event);
  return text === undefined ? undefined : { events: [event], last: event.seq, text };
}

/** The text an event adds to a run; undefined if it has its own row. */
function pieceOf(event: wire.SessionEvent): string | undefined {
  if (event.type === "chat.token" || event.type === "agent.thinking") return event.data.delta;
  return event.type === "research.chunk" ? "" : undefined;
}

/** Adds an event to the run of the previous row if it continues it; returns whether it did. */
function extendRun(before: Row | undefined, event: wire.SessionEvent): boolean {
  if (before?.type !== "event" || !before.run) return false;
  const piece = pieceOf(event);
  if (piece === undefined) return false;
  if (before.event.type !== event.type || before.event.turn_id !== event.turn_id) return false;
  const { run } = before;
  run.events.push(event);
  run.last = event.seq;
  if (run.text.length < TEXT_MAX) run.text += piece;
  return true;
}

function begin(event: wire.SessionEvent, earlier: TurnSection | undefined): TurnSection {
  return {
    turnId: event.turn_id ?? undefined,
    agentId: event.agent_id ?? undefined,
    first: event.seq,
    last: event.seq,
    count: 0,
    isContinued: earlier !== undefined,
    asked: earlier?.asked,
    from: event.at,
    until: event.at,
  };
}

function add(gist: TurnSection, event: wire.SessionEvent): void {
  gist.last = event.seq;
  gist.count += 1;
  gist.until = event.at;
  if (event.type === "message.accepted") gist.asked = event.data.message;
  if (event.type === "turn.status") gist.ended = event.data.status;
}

/** The top of each row, followed by the total height. */
export function offsetsOf(rows: readonly Row[], heights: Heights): Float64Array {
  const offsets = new Float64Array(rows.length + 1);
  let at = 0;
  rows.forEach((row, index) => {
    offsets[index] = at;
    at += row.type === "turn" ? heights.turn : heights.event + (row.isOpen ? heights.open : 0);
  });
  offsets[rows.length] = at;
  return offsets;
}

/** The row at a scroll offset. */
export function rowAt(offsets: Float64Array, y: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The rows to render: the visible ones and a margin. */
export function visibleRows(
  offsets: Float64Array,
  top: number,
  height: number,
  around = 12,
): { from: number; to: number } {
  const count = offsets.length - 1;
  if (count <= 0) return { from: 0, to: 0 };
  const from = Math.max(0, rowAt(offsets, top) - around);
  const to = Math.min(count, rowAt(offsets, top + height) + 1 + around);
  return { from, to };
}

/** The row of an event, or of the first one after it; -1 if there is none. */
export function rowOf(rows: readonly Row[], seq: number): number {
  return rows.findIndex((row) => (row.type === "event" ? lastOf(row) >= seq : row.isFolded && row.turn.last >= seq));
}

/** The last event number of a row. */
export function lastOf(row: Extract<Row, { type: "event" }>): number {
  return row.run?.last ?? row.event.seq;
}

/** The duration of a section in milliseconds. */
export function sectionDuration({ from, until }: TurnSection): number {
  return Math.max(0, new Date(until).getTime() - new Date(from).getTime());
}
