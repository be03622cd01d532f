/** A source that is an id: something remembered, an earlier turn, or a text that was kept. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { api, ApiError, apiText } from "../../house/api.ts";
import type { Turn } from "../../house/turn.ts";
import { exactTime } from "../../kit/format.ts";
import { Spinner, Trouble } from "../../kit/pieces.tsx";
import { hrefOf } from "../../route.ts";
import { titleFor } from "../sessions/titles.ts";

/** Of a long text this much is shown; the rest is in the file. */
const TEXT_MAX = 40_000;

type Item = Omit<wire.Found, "score">;
type Kept = { item: Item } | { turn: wire.TurnView } | { artifact: string; id: string };
type Of = "artifact" | "turn" | "memory" | undefined;

/** Shows it, whichever it is. */
export function SourceById({ id, of, turn }: { id: string; of: Of; turn: Turn }) {
  const [kept, setKept] = useState<Kept>();
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
  if (problem !== undefined) return <Trouble error={problem} />;
  if (!kept) return <Spinner label="Reading the source" />;
  if ("item" in kept) return <Remembered item={kept.item} />;
  if ("turn" in kept) return <Said turn={kept.turn} />;
  return <Text text={kept.artifact} id={kept.id} />;
}

/** The turn knows its own artifacts. */
function guess(id: string, { state }: Turn): Of {
  const { response, steps } = state.value;
  const isKept = steps.some((step) => step.type === "tool_result" && step.detail.artifact_id === id);
  return isKept || response?.artifacts?.includes(id) ? "artifact" : undefined;
}

async function find(id: string, of: Of): Promise<Kept> {
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
  throw new Error("This is not there any more: it was forgotten, or its session was removed.");
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

function Remembered({ item }: { item: Item }) {
  const { text, at, valid_until: until, source } = item;
  return (
    <section class="sources-passage" aria-label="What is remembered">
      <blockquote class="sources-quote">{text}</blockquote>
      <p class="sources-none">
        {exactTime(at)}
        {until && ` · held until ${exactTime(until)}`}
      </p>
      {source?.session_id && <Go session={source.session_id} turn={source.turn_id ?? undefined} />}
    </section>
  );
}

function Said({ turn }: { turn: wire.TurnView }) {
  return (
    <section class="sources-passage" aria-label="What was said">
      <blockquote class="sources-quote">{turn.request.message}</blockquote>
      {turn.text && <div class="sources-answer">{turn.text}</div>}
      <p class="sources-none">{exactTime(turn.created_at)}</p>
      <Go session={turn.session_id} turn={turn.turn_id} />
    </section>
  );
}

function Text({ text, id }: { text: string; id: string }) {
  return (
    <section class="sources-passage" aria-label="What was kept">
      <pre class="sources-text">{text.slice(0, TEXT_MAX)}</pre>
      {text.length > TEXT_MAX && <p class="sources-none">This is the beginning of it.</p>}
      <a href={`/api/v1/artifacts/${id}`} download>
        The whole text, as a file
      </a>
    </section>
  );
}

function Go({ session, turn }: { session: string; turn: string | undefined }) {
  return (
    <a href={hrefOf({ view: "talk", session, detail: turn })}>Go to where it was said: {titleFor(session) ?? "…"}</a>
  );
}
