/** The context tab: the memory items and prompt sections that a turn's model received. */
import type { wire } from "@dwell/client";
import { api, pathWith } from "../store/api.ts";
import { sessions, titleOf } from "../store/sessions.ts";
import { exactTime, plainNumber, shortTime } from "../kit/format.ts";
import { EmptyState, Notice, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { go, hrefOf } from "../route.ts";
import { titleFor } from "../talk/sessions/titles.ts";
import { FoundItem } from "./item.tsx";
import { useLoad } from "./load.ts";
import { SourceLine } from "./pieces.tsx";
import { fromUsed, levelNames, sectionName } from "./words.ts";
import { texts } from "../languages/memory.ts";

const RECENT = 40;
const SERIES = 8;

/** The context tab: shows the given turn of a session, else the newest. */
export function ContextTab({ session, turn }: { session: string | undefined; turn: string | undefined }) {
  const chosen = session ?? sessions.value[0]?.session_id;
  if (chosen === undefined) {
    return (
      <EmptyState icon="memory" title={texts().noTurnsYet}>
        {texts().afterFirstMessageThis}
      </EmptyState>
    );
  }
  return <SessionContext key={chosen} session={chosen} turn={turn} />;
}

function SessionContext({ session, turn }: { session: string; turn: string | undefined }) {
  const { value, problem } = useLoad(session, () => {
    const path = pathWith(`/api/v1/sessions/${session}/turns`, { order: "newest", limit: RECENT });
    return api<wire.TurnPage>("GET", path);
  });
  const turns = value?.data ?? [];
  const id = turn ?? turns[0]?.turn_id;
  const to = (next: string | undefined) => go({ view: "memory", session, detail: next ?? "used" });
  const isListed = sessions.value.some(({ session_id }) => session_id === session);
  return (
    <>
      <div class="memory-lead">
        <p>{texts().theContextAgentReceived}</p>
      </div>
      <div class="memory-pick">
        <label class="field">
          {texts().session}
          <select
            class="input"
            value={session}
            onChange={({ currentTarget }) => go({ view: "memory", session: currentTarget.value, detail: "used" })}
          >
            {!isListed && <option value={session}>{titleFor(session) ?? texts().thisSession}</option>}
            {sessions.value.map((one) => (
              <option key={one.session_id} value={one.session_id}>
                {titleOf(one)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          {texts().turn}
          <select class="input" value={id} onChange={({ currentTarget }) => to(currentTarget.value)}>
            {id !== undefined && !turns.some(({ turn_id }) => turn_id === id) && (
              <option value={id}>{texts().thisTurn}</option>
            )}
            {turns.map(({ turn_id, request, created_at }) => (
              <option key={turn_id} value={turn_id}>
                {shortTime(created_at)} · {request.message.slice(0, 80) || texts().aClickWindow}
              </option>
            ))}
          </select>
        </label>
      </div>
      {problem !== undefined && <ErrorNotice error={problem} />}
      {id === undefined ? (
        value && (
          <EmptyState icon="memory" title={texts().noTurnsYet}>
            {texts().thisSessionHasNo}
          </EmptyState>
        )
      ) : (
        <TurnContextLoader key={id} session={session} turn={id} view={turns.find(({ turn_id }) => turn_id === id)} />
      )}
    </>
  );
}

function TurnContextLoader({
  session,
  turn,
  view,
}: {
  session: string;
  turn: string;
  view: wire.TurnView | undefined;
}) {
  const { value, problem } = useLoad(turn, async () => {
    const { data } = await api<wire.EventPage>("GET", `/api/v1/turns/${turn}/events?limit=1000`);
    // A resumed turn has several of these events; the last one counts.
    const used = data.filter((event) => event.type === "memory.used").at(-1);
    return { used: used?.type === "memory.used" ? used.data : undefined };
  });
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!value) {
    return (
      <div class="memory-wait">
        <Spinner label={texts().loadingContext} />
      </div>
    );
  }
  const { used } = value;
  return (
    <>
      {view && (
        <p class="memory-asked">
          <span>{texts().quoted(view.request.message)}</span>
          <small>
            {exactTime(view.created_at)} ·{" "}
            <a href={hrefOf({ view: "talk", session, detail: turn })}>{texts().openInChat}</a>
          </small>
        </p>
      )}
      {used ? <TurnContext used={used} /> : <Notice>{texts().thisTurnWasAnswered}</Notice>}
    </>
  );
}

function TurnContext({ used }: { used: wire.MemoryUsed }) {
  const { items = [], notices = [] } = used;
  // Items that are always included were not searched for, so they have no score.
  const always = items.filter(({ score }) => !score);
  const found = items.filter(({ score }) => score);
  return (
    <>
      <Sections used={used} />
      {notices.map((notice) => (
        <Notice key={notice}>{notice}</Notice>
      ))}
      {used.tainted && <Notice tone="warning">{texts().someThisComesFrom}</Notice>}
      <h2 class="memory-heading">{texts().alwaysIncluded}</h2>
      {always.length === 0 ? (
        <p class="memory-note">{texts().theProfileEmptyAnd}</p>
      ) : (
        <ul class="memory-always">
          {always.map((item, index) => (
            <li key={item.id ?? index} class={item.text.length > 140 ? "card whole" : "card"}>
              <p class="memory-key">{item.key ?? levelNames()[item.level]}</p>
              <p class="memory-verbatim">{item.text}</p>
              {item.level !== "context" && (
                <p class="memory-meta">
                  <SourceLine source={fromUsed(item).source} />
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      <h2 class="memory-heading">{texts().foundForThisMessage}</h2>
      {found.length === 0 ? (
        <p class="memory-note">{texts().nothingElseMemoryMatched}</p>
      ) : (
        <ul class="memory-list" aria-label={texts().itemsFromMemory}>
          {found.map((item, index) => (
            <FoundItem key={item.id ?? index} item={fromUsed(item)} score={item.score} />
          ))}
        </ul>
      )}
    </>
  );
}

/** The sections of the prompt as a stacked bar with a legend. */
function Sections({ used }: { used: wire.MemoryUsed }) {
  const sections = (used.sections ?? []).filter(({ tokens }) => tokens > 0);
  const sum = sections.reduce((total, { tokens }) => total + tokens, 0);
  if (sum === 0) return null;
  const most = used.tokens_max ?? 0;
  return (
    <section class="card memory-card" aria-label={texts().prompt}>
      <h2 class="memory-heading">{texts().prompt}</h2>
      <p class="memory-note">
        <span class="numbers">{plainNumber(used.tokens ?? sum)}</span> {texts().tokens}
        {most > 0 && (
          <>
            {" "}
            {texts().ofAtMost} <span class="numbers">{plainNumber(most)}</span>
          </>
        )}
      </p>
      <div class="memory-stack" aria-hidden="true">
        {sections.map(({ name, tokens }, index) => (
          <span key={name} class={`series-${(index % SERIES) + 1}`} style={{ flexGrow: tokens }} />
        ))}
      </div>
      <ul class="memory-legend">
        {sections.map(({ name, tokens }, index) => (
          <li key={name}>
            <span class={`memory-dot series-${(index % SERIES) + 1}`} aria-hidden="true" />
            {sectionName(name)}
            <span class="numbers">
              {plainNumber(tokens)} · {Math.max(1, Math.round((tokens / sum) * 100))} %
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
