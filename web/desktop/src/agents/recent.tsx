/** What is shown while nothing runs: the last turns of the session, or the last sessions. */
import type { wire } from "@dwell/client";
import type { Conversation } from "../store/conversation.ts";
import { sessions, titleOf } from "../store/sessions.ts";
import { ago, compact, duration, exactTime, money } from "../kit/format.ts";
import { Badge, ErrorNotice, Spinner } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { outcomeOf, requestSummary } from "./status.ts";
import { useTurns } from "./turns.ts";
import { texts } from "../languages/agents.ts";

/** How many turns or sessions are listed. */
const SHOWN = 8;

/** The last turns of a session, newest first. */
export function RecentTurns({ conversation }: { conversation: Conversation }) {
  const { turns, isLoading, problem } = useTurns(conversation, SHOWN);
  return (
    <section class="agents-panel card" aria-label={texts().recentTurns}>
      <h2>{texts().recentTurns}</h2>
      {problem !== undefined && <ErrorNotice error={problem} />}
      {turns.length === 0 && isLoading && <Spinner label={texts().loadingTurns} />}
      {turns.length === 0 && !isLoading && problem === undefined && <p class="agents-soft">{texts().noTurnsYetEach}</p>}
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
          <a href={hrefOf({ view: "journal", session: conversation.id })}>{texts().allEventsJournal}</a>
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
        {requestSummary(turn.request) || texts().aMessageWithoutText}
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
    ...(calls > 0 ? [texts().toolCallCount(calls)] : []),
    ...(tokens > 0 ? [texts().tokensCount(compact(tokens))] : []),
    ...(cost > 0 ? [money(cost)] : []),
  ];
}

/** The last sessions, when none is open. */
export function RecentSessions() {
  const recent = [...sessions.value]
    .sort((one, other) => other.updated_at.localeCompare(one.updated_at))
    .slice(0, SHOWN);
  return (
    <section class="agents-panel card" aria-label={texts().recentSessions}>
      <h2>{texts().recentSessions}</h2>
      <p class="agents-soft">{texts().openOneSeeIts}</p>
      {recent.length === 0 && (
        <p>
          {texts().noSessionsYet} <a href={hrefOf({ view: "talk" })}>{texts().startOneChat}</a>
        </p>
      )}
      <ul class="agents-recent">
        {recent.map((session) => (
          <li key={session.session_id}>
            <a href={hrefOf({ view: "agents", session: session.session_id })}>{titleOf(session)}</a>
            {session.open_turns.length > 0 && <Badge tone="accent">{texts().working}</Badge>}
            <p class="agents-soft numbers">
              <time dateTime={session.updated_at} title={exactTime(session.updated_at)}>
                {ago(session.updated_at)}
              </time>
              {` · ${texts().turnCount(session.stats.turns ?? 0)}`}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
