/** What a turn was told beside the message: the items with why, and the parts of the prompt by their size. */
import type { wire } from "@dwell/client";
import { api, pathWith } from "../house/api.ts";
import { sessions, titleOf } from "../house/sessions.ts";
import { exactTime, plainNumber, shortTime } from "../kit/format.ts";
import { Empty, Notice, Spinner, Trouble } from "../kit/pieces.tsx";
import { go, hrefOf } from "../route.ts";
import { titleFor } from "../talk/sessions/titles.ts";
import { FoundItem } from "./item.tsx";
import { useLoaded } from "./load.ts";
import { SourceLine } from "./pieces.tsx";
import { fromUsed, LEVELS, sectionName } from "./words.ts";

const RECENT = 40;
const SERIES = 8;

/** The tab: of a session's turns the one that is named, else the newest. */
export function UsedTab({ session, turn }: { session: string | undefined; turn: string | undefined }) {
  const chosen = session ?? sessions.value[0]?.session_id;
  if (chosen === undefined) {
    return (
      <Empty icon="memory" title="No turns yet">
        Once something was asked, you see here what the agent was told with it.
      </Empty>
    );
  }
  return <OfSession key={chosen} session={chosen} turn={turn} />;
}

function OfSession({ session, turn }: { session: string; turn: string | undefined }) {
  const { value, problem } = useLoaded(session, () => {
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
        <p>What an agent was told beside the message, and why.</p>
      </div>
      <div class="memory-pick">
        <label class="field">
          Session
          <select
            class="input"
            value={session}
            onChange={({ currentTarget }) => go({ view: "memory", session: currentTarget.value, detail: "used" })}
          >
            {!isListed && <option value={session}>{titleFor(session) ?? "This session"}</option>}
            {sessions.value.map((one) => (
              <option key={one.session_id} value={one.session_id}>
                {titleOf(one)}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Turn
          <select class="input" value={id} onChange={({ currentTarget }) => to(currentTarget.value)}>
            {id !== undefined && !turns.some(({ turn_id }) => turn_id === id) && <option value={id}>This turn</option>}
            {turns.map(({ turn_id, request, created_at }) => (
              <option key={turn_id} value={turn_id}>
                {shortTime(created_at)} · {request.message.slice(0, 80) || "a press in a window"}
              </option>
            ))}
          </select>
        </label>
      </div>
      {problem !== undefined && <Trouble error={problem} />}
      {id === undefined ? (
        value && (
          <Empty icon="memory" title="No turns yet">
            Nothing has been asked in this session.
          </Empty>
        )
      ) : (
        <OfTurn key={id} session={session} turn={id} view={turns.find(({ turn_id }) => turn_id === id)} />
      )}
    </>
  );
}

function OfTurn({ session, turn, view }: { session: string; turn: string; view: wire.TurnView | undefined }) {
  const { value, problem } = useLoaded(turn, async () => {
    const { data } = await api<wire.EventPage>("GET", `/api/v1/turns/${turn}/events?limit=1000`);
    // A turn that was taken up again was told again; the last counts.
    const used = data.filter((event) => event.type === "memory.used").at(-1);
    return { used: used?.type === "memory.used" ? used.data : undefined };
  });
  if (problem !== undefined) return <Trouble error={problem} />;
  if (!value) {
    return (
      <div class="memory-wait">
        <Spinner label="Reading what it was told" />
      </div>
    );
  }
  const { used } = value;
  return (
    <>
      {view && (
        <p class="memory-asked">
          <span>“{view.request.message}”</span>
          <small>
            {exactTime(view.created_at)} · <a href={hrefOf({ view: "talk", session, detail: turn })}>Go to the turn</a>
          </small>
        </p>
      )}
      {used ? (
        <Told used={used} />
      ) : (
        <Notice>This turn was answered without asking a model, so it was told nothing.</Notice>
      )}
    </>
  );
}

function Told({ used }: { used: wire.MemoryUsed }) {
  const { items = [], notices = [] } = used;
  // What is told always was not looked for, so it has no score.
  const always = items.filter(({ score }) => !score);
  const found = items.filter(({ score }) => score);
  return (
    <>
      <Sections used={used} />
      {notices.map((notice) => (
        <Notice key={notice}>{notice}</Notice>
      ))}
      {used.tainted && (
        <Notice tone="warning">Some of this may be anybody's words, so what acts on the world needs your yes.</Notice>
      )}
      <h2 class="memory-heading">Told in any case</h2>
      {always.length === 0 ? (
        <p class="memory-note">The profile was empty, and nothing was pinned.</p>
      ) : (
        <ul class="memory-always">
          {always.map((item, index) => (
            <li key={item.id ?? index} class={item.text.length > 140 ? "card whole" : "card"}>
              <p class="memory-key">{item.key ?? LEVELS[item.level]}</p>
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
      <h2 class="memory-heading">Found for this message</h2>
      {found.length === 0 ? (
        <p class="memory-note">Nothing else in memory fitted the message well enough.</p>
      ) : (
        <ul class="memory-list" aria-label="Told from memory">
          {found.map((item, index) => (
            <FoundItem key={item.id ?? index} item={fromUsed(item)} score={item.score} />
          ))}
        </ul>
      )}
    </>
  );
}

/** The parts of the prompt as one bar, and what each is. */
function Sections({ used }: { used: wire.MemoryUsed }) {
  const sections = (used.sections ?? []).filter(({ tokens }) => tokens > 0);
  const sum = sections.reduce((total, { tokens }) => total + tokens, 0);
  if (sum === 0) return null;
  const most = used.tokens_max ?? 0;
  return (
    <section class="card memory-card" aria-label="The prompt">
      <h2 class="memory-heading">The prompt</h2>
      <p class="memory-note">
        <span class="numbers">{plainNumber(used.tokens ?? sum)}</span> tokens
        {most > 0 && (
          <>
            {" "}
            of <span class="numbers">{plainNumber(most)}</span> that it may have
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
