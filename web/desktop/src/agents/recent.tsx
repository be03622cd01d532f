/** What is shown while nothing runs: the last turns of the session, or the last sessions. */
import type { wire } from "@dwell/client";
import type { Conversation } from "../store/conversation.ts";
import { sessions, titleOf } from "../store/sessions.ts";
import { ago, compact, duration, exactTime, money } from "../kit/format.ts";
import { Badge, ErrorNotice, Spinner } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { outcomeOf, requestSummary } from "./status.ts";
import { useTurns } from "./turns.ts";

/** How many turns or sessions are listed. */
const SHOWN = 8;

/** The last turns of a session, newest first. */
export function RecentTurns({ conversation }: { conversation: Conversation }) {
  const { turns, isLoading, problem } = useTurns(conversation, SHOWN);
  return (
    <section class="agents-panel card" aria-label="Recent turns">
      <h2>Recent turns</h2>
      {problem !== undefined && <ErrorNotice error={problem} />}
      {turns.length === 0 && isLoading && <Spinner label="Loading turns" />}
      {turns.length === 0 && !isLoading && problem === undefined && (
        <p class="agents-soft">No turns yet. Each message in the chat starts one.</p>
      )}
      <ul class="agents-recent">
        {turns
          .slice(-SHOWN)
          .reverse()
          .map((turn) => (
            <RecentTurn key={turn.turn_id} turn={turn} session={conversation.id} />
          ))}
      </ul>
      {turns.length > 0 && (
        <p class="agents-soft">
          <a href={hrefOf({ view: "journal", session: conversation.id })}>All events in the journal</a>
        </p>
      )}
    </section>
  );
}

function RecentTurn({ turn, session }: { turn: wire.TurnView; session: string }) {
  const { word, tone } = outcomeOf(turn.status);
  return (
    <li>
      <a href={hrefOf({ view: "talk", session, detail: turn.turn_id })}>
        {requestSummary(turn.request) || "A message without text"}
      </a>
      <Badge tone={tone}>{word}</Badge>
      <p class="agents-soft numbers">
        <time dateTime={turn.created_at} title={exactTime(turn.created_at)}>
          {ago(turn.created_at)}
        </time>
        {figuresInWords(turn.stats).map((words) => ` · ${words}`)}
      </p>
    </li>
  );
}

/** `1.2 s`, `3 tool calls`, `4.1K tokens`, `$0.02`: what is known and not zero. */
function figuresInWords(stats: wire.TurnStats | undefined): string[] {
  const calls = stats?.tool_calls ?? 0;
  const tokens = (stats?.usage?.input_tokens ?? 0) + (stats?.usage?.output_tokens ?? 0);
  const cost = stats?.usage?.cost_micros ?? 0;
  return [
    ...(stats?.duration_ms ? [duration(stats.duration_ms)] : []),
    ...(calls > 0 ? [calls === 1 ? "1 tool call" : `${calls} tool calls`] : []),
    ...(tokens > 0 ? [`${compact(tokens)} tokens`] : []),
    ...(cost > 0 ? [money(cost)] : []),
  ];
}

/** The last sessions, when none is open. */
export function RecentSessions() {
  const recent = [...sessions.value]
    .sort((one, other) => other.updated_at.localeCompare(one.updated_at))
    .slice(0, SHOWN);
  return (
    <section class="agents-panel card" aria-label="Recent sessions">
      <h2>Recent sessions</h2>
      <p class="agents-soft">Open one to see its agents, what each is doing, and what is queued.</p>
      {recent.length === 0 && (
        <p>
          No sessions yet. <a href={hrefOf({ view: "talk" })}>Start one in the chat</a>
        </p>
      )}
      <ul class="agents-recent">
        {recent.map((session) => (
          <li key={session.session_id}>
            <a href={hrefOf({ view: "agents", session: session.session_id })}>{titleOf(session)}</a>
            {session.open_turns.length > 0 && <Badge tone="accent">Working</Badge>}
            <p class="agents-soft numbers">
              <time dateTime={session.updated_at} title={exactTime(session.updated_at)}>
                {ago(session.updated_at)}
              </time>
              {` · ${session.stats.turns === 1 ? "1 turn" : `${session.stats.turns ?? 0} turns`}`}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
