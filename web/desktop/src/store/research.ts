/** Research runs, folded from their events. Pure: loaded and live events give the same result. */
import type { wire } from "@dwell/client";

/** An event of a research run. */
export type ResearchEvent = Extract<
  wire.SessionEvent,
  { type: "research.started" | "research.chunk" | "research.done" }
>;

/** A source in its latest state. */
export type ResearchSource = wire.ResearchChunk;

/** One research run, identified by its tool call. */
export type ResearchRun = {
  callId: string;
  query: string;
  questions: readonly string[];
  /** Where it searches; empty if no source is configured. */
  places: readonly string[];
  /** The maximum number of sources to read. */
  sourcesMax: number;
  /** The sources found, in order. */
  sources: readonly ResearchSource[];
  /** The latest round. */
  round: number;
  /** The result; undefined while it runs. */
  done?: wire.ResearchDone | undefined;
};

/** Whether an event belongs to a research run. */
export function isResearch(event: { type: string }): event is ResearchEvent {
  return event.type === "research.started" || event.type === "research.chunk" || event.type === "research.done";
}

/** Folds events, ordered by number, into runs. A call that starts again resets its run. */
export function researchRuns(events: Iterable<ResearchEvent>): readonly ResearchRun[] {
  const studies = new Map<string, ResearchRun>();
  for (const event of [...events].sort((one, other) => one.seq - other.seq)) {
    const { call_id: id } = event.data;
    // A client that joined mid-run sees sources before the question.
    const study = studies.get(id) ?? blank(id);
    studies.set(id, next(study, event));
  }
  return [...studies.values()];
}

function blank(callId: string): ResearchRun {
  return { callId, query: "", questions: [], places: [], sourcesMax: 0, sources: [], round: 1 };
}

function next(study: ResearchRun, event: ResearchEvent): ResearchRun {
  switch (event.type) {
    case "research.started": {
      const { query, questions = [], sources = [], sources_max: sourcesMax } = event.data;
      return { ...blank(study.callId), query, questions, places: sources, sourcesMax };
    }
    case "research.chunk": {
      const { data } = event;
      const others = study.sources.filter(({ number }) => number !== data.number);
      const sources = [...others, data].sort((one, other) => one.number - other.number);
      return { ...study, sources, round: Math.max(study.round, data.round) };
    }
    case "research.done":
      return { ...study, done: event.data };
  }
}

/** How many sources were found, read, and failed. */
export function countsOf({ sources, done }: ResearchRun): { found: number; read: number; failed: number } {
  const of = (status: wire.ChunkStatus) => sources.filter((source) => source.status === status).length;
  if (sources.length > 0 || !done) return { found: sources.length, read: of("read"), failed: of("failed") };
  return { found: done.found, read: done.read, failed: done.failed };
}

/** All passages that were kept, in the order they were found. */
export function passagesOf(studies: readonly ResearchRun[]): readonly wire.Passage[] {
  return studies.flatMap(({ done }) => done?.passages ?? []);
}
