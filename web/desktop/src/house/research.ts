/** Looking for sources, as its events tell it. Pure: the same events come to the same, whether they were read or heard. */
import type { wire } from "@dwell/client";

/** An event of looking for sources. */
export type ResearchEvent = Extract<
  wire.SessionEvent,
  { type: "research.started" | "research.chunk" | "research.done" }
>;

/** A source: the last that was told of it. */
export type SourceSeen = wire.ResearchChunk;

/** One look for sources, by the call that does it. */
export type Study = {
  callId: string;
  query: string;
  questions: readonly string[];
  /** Where it is looked; nothing where there is no source at all. */
  places: readonly string[];
  /** How many sources are read at most. */
  sourcesMax: number;
  /** What was found, in the order in which it was. */
  sources: readonly SourceSeen[];
  /** The last round that was told of. */
  round: number;
  /** What came of it; undefined while it goes on. */
  done?: wire.ResearchDone | undefined;
};

/** Whether an event is one of looking for sources. */
export function isResearch(event: { type: string }): event is ResearchEvent {
  return event.type === "research.started" || event.type === "research.chunk" || event.type === "research.done";
}

/** What events come to, in the order of their numbers. A call that is begun again begins anew. */
export function studiesOf(events: Iterable<ResearchEvent>): readonly Study[] {
  const studies = new Map<string, Study>();
  for (const event of [...events].sort((one, other) => one.seq - other.seq)) {
    const { call_id: id } = event.data;
    // Whoever came in the middle knows the sources before the question.
    const study = studies.get(id) ?? blank(id);
    studies.set(id, next(study, event));
  }
  return [...studies.values()];
}

function blank(callId: string): Study {
  return { callId, query: "", questions: [], places: [], sourcesMax: 0, sources: [], round: 1 };
}

function next(study: Study, event: ResearchEvent): Study {
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

/** How many sources there are, and how far they are. */
export function countsOf({ sources, done }: Study): { found: number; read: number; failed: number } {
  const of = (status: wire.ChunkStatus) => sources.filter((source) => source.status === status).length;
  if (sources.length > 0 || !done) return { found: sources.length, read: of("read"), failed: of("failed") };
  return { found: done.found, read: done.read, failed: done.failed };
}

/** All passages that were kept, in the order in which they were found. */
export function passagesOf(studies: readonly Study[]): readonly wire.Passage[] {
  return studies.flatMap(({ done }) => done?.passages ?? []);
}
