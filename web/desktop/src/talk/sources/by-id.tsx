/** A source given by an id: a memory item, an earlier turn, or an artifact. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { api, ApiError, apiText } from "../../store/api.ts";
import type { Turn } from "../../store/turn.ts";
import { addressOf } from "../../kit/address.ts";
import { exactTime } from "../../kit/format.ts";
import { Spinner, ErrorNotice } from "../../kit/pieces.tsx";
import { hrefOf } from "../../route.ts";
import { titleFor } from "../sessions/titles.ts";
import { texts } from "../../languages/sources.ts";

/** The maximum number of characters shown of a text. */
const TEXT_MAX = 40_000;

type Item = Omit<wire.MemoryHit, "score">;
type LoadedSource = { item: Item } | { turn: wire.TurnView } | { artifact: string; id: string };
type SourceType = "artifact" | "turn" | "memory" | undefined;

/** Loads and shows the source. */
export function SourceById({ id, of, turn }: { id: string; of: SourceType; turn: Turn }) {
  const [kept, setKept] = useState<LoadedSource>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    let isHere = true;
    find(id, of ?? guess(id, turn)).then(
      (found) => isHere && setKept(found),
      (error: unknown) => isHere && setProblem(error),
    );
    return () => {
      isHere = false;
    };
  }, [id]);
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!kept) return <Spinner label={texts().loadingSource} />;
  if ("item" in kept) return <MemorySource item={kept.item} />;
  if ("turn" in kept) return <TurnSource turn={kept.turn} />;
  return <Text text={kept.artifact} id={kept.id} />;
}

/** Whether the id is one of the turn's own artifacts. */
function guess(id: string, { state }: Turn): SourceType {
  const { response, steps } = state.value;
  const isKept = steps.some((step) => step.type === "tool_result" && step.detail.artifact_id === id);
  return isKept || response?.artifacts?.includes(id) ? "artifact" : undefined;
}

async function find(id: string, of: SourceType): Promise<LoadedSource> {
  if (of === "artifact") return { artifact: await apiText(`/api/v1/artifacts/${id}`), id };
  if (of === "turn") return { turn: await api<wire.TurnView>("GET", `/api/v1/turns/${id}`) };
  const item = await unlessMissing(api<Item>("GET", `/api/v1/memories/${id}`));
  if (item) return { item };
  if (of === undefined) {
    const turn = await unlessMissing(api<wire.TurnView>("GET", `/api/v1/turns/${id}`));
    if (turn) return { turn };
    const artifact = await unlessMissing(apiText(`/api/v1/artifacts/${id}`));
    if (artifact !== undefined) return { artifact, id };
  }
  throw new Error(texts().thisSourceNoLonger);
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

function MemorySource({ item }: { item: Item }) {
  const { text, at, valid_until: until, source } = item;
  return (
    <section class="sources-passage" aria-label={texts().memory}>
      <blockquote class="sources-quote">{text}</blockquote>
      <p class="sources-none">
        {exactTime(at)}
        {until && texts().validUntilCount(exactTime(until))}
      </p>
      {source?.session_id && <ChatLink session={source.session_id} turn={source.turn_id ?? undefined} />}
    </section>
  );
}

function TurnSource({ turn }: { turn: wire.TurnView }) {
  return (
    <section class="sources-passage" aria-label={texts().turn}>
      <blockquote class="sources-quote">{turn.request.message}</blockquote>
      {turn.text && <div class="sources-answer">{turn.text}</div>}
      <p class="sources-none">{exactTime(turn.created_at)}</p>
      <ChatLink session={turn.session_id} turn={turn.turn_id} />
    </section>
  );
}

function Text({ text, id }: { text: string; id: string }) {
  return (
    <section class="sources-passage" aria-label={texts().file}>
      <pre class="sources-text">{text.slice(0, TEXT_MAX)}</pre>
      {text.length > TEXT_MAX && <p class="sources-none">{texts().onlyBeginningShown}</p>}
      <a href={addressOf(`/api/v1/artifacts/${id}`)} download>
        {texts().downloadTheFullText}
      </a>
    </section>
  );
}

function ChatLink({ session, turn }: { session: string; turn: string | undefined }) {
  return (
    <a href={hrefOf({ view: "talk", session, detail: turn })}>
      {texts().openInChat} {titleFor(session) ?? "…"}
    </a>
  );
}
