/** Words of a source, as they were read: what a mark in an answer stands for. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../../house/api.ts";
import { passagesOf } from "../../house/research.ts";
import type { Turn } from "../../house/turn.ts";
import { exactTime } from "../../kit/format.ts";
import { Notice, Spinner, Trouble } from "../../kit/pieces.tsx";
import { passageFor } from "../marks.ts";

/** Whether a citation means a passage that was kept, and not a source as a whole. */
export function hasPassage(citation: wire.Citation, turn: Turn): boolean {
  return citation.passage_id != null || passageFor(citation, passagesOf(turn.state.value.research)) !== undefined;
}

/** The passage of a citation. Where the turn's own events are not loaded, the server is asked for it. */
export function CitedPassage({ citation, turn }: { citation: wire.Citation; turn: Turn }) {
  const told = passageFor(citation, passagesOf(turn.state.value.research));
  const [read, setRead] = useState<readonly wire.Passage[]>();
  const [problem, setProblem] = useState<unknown>();
  const isTold = told !== undefined;
  useEffect(() => {
    if (isTold) return;
    let isHere = true;
    api<wire.PassagePage>("GET", `/api/v1/turns/${turn.id}/passages`).then(
      ({ data }) => isHere && setRead(data),
      (error: unknown) => isHere && setProblem(error),
    );
    return () => {
      isHere = false;
    };
  }, [turn.id, isTold]);
  const passage = told ?? passageFor(citation, read ?? []);
  if (passage) return <Quoted passage={passage} turn={turn} />;
  if (problem !== undefined) return <Trouble error={problem} />;
  if (!read) return <Spinner label="Reading the passage" />;
  return <p class="sources-none">The turn no longer has the words this was read from.</p>;
}

function Quoted({ passage, turn }: { passage: wire.Passage; turn: Turn }) {
  const { text, published, read_at: readAt, mark } = passage;
  const contradictions = turn.state.value.research
    .flatMap(({ done }) => done?.contradictions ?? [])
    .filter(({ marks }) => marks.includes(mark));
  return (
    <section class="sources-passage" aria-label="What it says">
      <blockquote class="sources-quote">{text}</blockquote>
      <Dates published={published ?? undefined} readAt={readAt} />
      <p class="sources-none">These are words from outside; nobody here has checked them.</p>
      {contradictions.map(({ about }) => (
        <Notice key={about} tone="warning">
          <p>Other sources do not agree: {about}</p>
        </Notice>
      ))}
    </section>
  );
}

function Dates({ published, readAt }: { published: string | undefined; readAt: string }) {
  const line = (name: string, value: ComponentChildren) => (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
  return (
    <dl class="sources-dates">
      {published && line("Written", published)}
      {line("Read", <time dateTime={readAt}>{exactTime(readAt)}</time>)}
    </dl>
  );
}
