/** The context window of a session: its size and contents. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { dwell } from "../store/connection.ts";
import type { Conversation } from "../store/conversation.ts";
import { compact, plainNumber } from "../kit/format.ts";
import { Badge, Notice, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { Meter } from "./server.tsx";
import { texts } from "../languages/agents.ts";

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
    <section class="agents-panel card" aria-label={texts().contextWindow}>
      <h2>{texts().contextWindow}</h2>
      {problem !== undefined && <ErrorNotice error={problem} />}
      {!view && problem === undefined && <Spinner />}
      {view && <WindowFill view={view} />}
    </section>
  );
}

/** Plain names of the tags that Dwell sets itself; others are the user's own. */
function tagNames(): Readonly<Record<string, string>> {
  return {
    input: texts().yourMessages,
    output: texts().answers,
    tool_call: texts().toolCalls,
    tool_result: texts().toolResults,
  };
}

function WindowFill({ view }: { view: wire.ContextWindowView }) {
  const { tokens, tokens_max: max, tags, health, messages, evicted } = view;
  const words = texts().tokensOfMaxTokens(plainNumber(tokens), plainNumber(max));
  return (
    <>
      <p class="agents-fill numbers">
        <b>{Math.round(view.utilisation)} %</b>{" "}
        <span title={words}>{texts().tokensOfMaxTokens(compact(tokens), compact(max))}</span>
      </p>
      <Meter label={texts().contextWindow} value={tokens} max={max} words={words} />
      <p class="agents-soft">
        {texts().inContextCount(texts().messageCount(messages))}
        {evicted > 0 && texts().leftOutRecentTurns(plainNumber(evicted))}.
      </p>
      {Object.keys(tags).length > 0 && (
        <p class="agents-tags">
          {Object.entries(tags).map(([tag, count]) => (
            <Badge key={tag}>
              {tagNames()[tag] ?? tag.replaceAll("_", " ")} <span class="numbers">{count}</span>
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
