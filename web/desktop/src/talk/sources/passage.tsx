/** The passage that a citation refers to. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../../store/api.ts";
import { passagesOf } from "../../store/research.ts";
import type { Turn } from "../../store/turn.ts";
import { exactTime } from "../../kit/format.ts";
import { Notice, Spinner, ErrorNotice } from "../../kit/pieces.tsx";
import { passageFor } from "../marks.ts";
import { texts } from "../../languages/sources.ts";

/** Whether a citation refers to a passage rather than a whole source. */
export function hasPassage(citation: wire.Citation, turn: Turn): boolean {
  return citation.passage_id != null || passageFor(citation, passagesOf(turn.state.value.research)) !== undefined;
}

/** The passage of a citation, requested from the server if the turn's events are not loaded. */
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
  if (passage) return <PassageText passage={passage} turn={turn} />;
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!read) return <Spinner label={texts().loadingPassage} />;
  return <p class="sources-none">{texts().theOriginalTextNo}</p>;
}

function PassageText({ passage, turn }: { passage: wire.Passage; turn: Turn }) {
  const { text, published, read_at: readAt, mark } = passage;
  const contradictions = turn.state.value.research
    .flatMap(({ done }) => done?.contradictions ?? [])
    .filter(({ marks }) => marks.includes(mark));
  return (
    <section class="sources-passage" aria-label={texts().passage}>
      <blockquote class="sources-quote">{text}</blockquote>
      <Dates published={published ?? undefined} readAt={readAt} />
      <p class="sources-none">{texts().untrustedSourceDwellHas}</p>
      {contradictions.map(({ about }) => (
        <Notice key={about} tone="warning">
          <p>
            {texts().otherSourcesDisagree} {about}
          </p>
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
      {published && line(texts().published, published)}
      {line(texts().retrieved, <time dateTime={readAt}>{exactTime(readAt)}</time>)}
    </dl>
  );
}
