/** The context window of a session: its size and contents. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { dwell } from "../store/connection.ts";
import type { Conversation } from "../store/conversation.ts";
import { compact, plainNumber } from "../kit/format.ts";
import { Badge, Notice, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { Meter } from "./server.tsx";

const SETTLE_MS = 400;

/** Loads the context window now and whenever a turn changes. */
function useContextWindow(conversation: Conversation): { view?: wire.ContextWindowView; problem?: unknown } {
  const [state, setState] = useState<{ view?: wire.ContextWindowView; problem?: unknown }>({});
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const client = await dwell();
        const view = await client.request("session.window", { session_id: conversation.id });
        if (!isOver) setState({ view });
      } catch (problem) {
        if (!isOver) setState({ problem });
      }
    };
    void look();
    const stop = conversation.listen(({ type }) => {
      if (type !== "turn.status" && type !== "session.updated" && type !== "session.reset") return;
      clearTimeout(timer);
      timer = setTimeout(() => void look(), SETTLE_MS);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [conversation]);
  return state;
}

/** The context window panel. */
export function ContextPanel({ conversation }: { conversation: Conversation }) {
  const { view, problem } = useContextWindow(conversation);
  return (
    <section class="agents-panel card" aria-label="Context window">
      <h2>Context window</h2>
      {problem !== undefined && <ErrorNotice error={problem} />}
      {!view && problem === undefined && <Spinner />}
      {view && <WindowFill view={view} />}
    </section>
  );
}

/** Plain names of the tags that Dwell sets itself; others are the user's own. */
const TAGS: Readonly<Record<string, string>> = {
  input: "your messages",
  output: "answers",
  tool_call: "tool calls",
  tool_result: "tool results",
};

function WindowFill({ view }: { view: wire.ContextWindowView }) {
  const { tokens, tokens_max: max, tags, health, messages, evicted } = view;
  const words = `${plainNumber(tokens)} of ${plainNumber(max)} tokens`;
  return (
    <>
      <p class="agents-fill numbers">
        <b>{Math.round(view.utilisation)} %</b>{" "}
        <span title={words}>{`${compact(tokens)} of ${compact(max)} tokens`}</span>
      </p>
      <Meter label="Context window" value={tokens} max={max} words={words} />
      <p class="agents-soft">
        {messages === 1 ? "1 message" : `${plainNumber(messages)} messages`} in context
        {evicted > 0 && `; ${plainNumber(evicted)} left out in recent turns`}.
      </p>
      {Object.keys(tags).length > 0 && (
        <p class="agents-tags">
          {Object.entries(tags).map(([tag, count]) => (
            <Badge key={tag}>
              {TAGS[tag] ?? tag.replaceAll("_", " ")} <span class="numbers">{count}</span>
            </Badge>
          ))}
        </p>
      )}
      {health.map((line) => (
        <Notice key={line} tone="warning">
          {line}
        </Notice>
      ))}
    </>
  );
}
