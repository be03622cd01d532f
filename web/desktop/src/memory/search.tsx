/** Search: what fits a question, and why, part by part. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { dwell } from "../house/connection.ts";
import { current, titleOf } from "../house/sessions.ts";
import { Button } from "../kit/button.tsx";
import { Empty, Notice, Spinner, Trouble } from "../kit/pieces.tsx";
import { FoundItem } from "./item.tsx";
import { useLoaded } from "./load.ts";
import { count, fromFound, LEVELS } from "./words.ts";

type Asked = { query: string; mode: wire.SearchMode; scope: wire.Scope; levels: readonly wire.Level[] };

/** Stays while one looks at other tabs. */
const asked = signal<Asked>({ query: "", mode: "hybrid", scope: "user", levels: [] });

const MODES = [
  { id: "hybrid", label: "Words and meaning" },
  { id: "lexical", label: "Words" },
  { id: "semantic", label: "Meaning" },
] as const;

const SCOPES = [
  { id: "user", label: "Everywhere" },
  { id: "both", label: "Everywhere, this conversation first" },
  { id: "conversation", label: "Only this conversation" },
] as const;

const ORDER = ["profile", "fact", "entry", "context", "pin"] as const;
const FEW = 20;
const MOST = 100;
const TYPING_MS = 300;

/** The tab. */
export function SearchTab() {
  const now = asked.value;
  const change = (part: Partial<Asked>) => (asked.value = { ...asked.value, ...part });
  return (
    <>
      <form class="memory-search" role="search" onSubmit={(event) => event.preventDefault()}>
        <QueryBox />
        <div class="memory-search-row">
          <label class="field">
            By
            <select
              class="input"
              value={now.mode}
              onChange={({ currentTarget: { value } }) =>
                change({ mode: MODES.find(({ id }) => id === value)?.id ?? "hybrid" })
              }
            >
              {MODES.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            Where
            <select
              class="input"
              value={now.scope}
              onChange={({ currentTarget: { value } }) =>
                change({ scope: SCOPES.find(({ id }) => id === value)?.id ?? "user" })
              }
            >
              {SCOPES.map(({ id, label }) => (
                <option key={id} value={id} disabled={id !== "user" && !current.value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <fieldset class="memory-levels">
            <legend>Only</legend>
            {ORDER.map((level) => (
              <label key={level}>
                <input
                  type="checkbox"
                  checked={now.levels.includes(level)}
                  onChange={({ currentTarget: { checked } }) =>
                    change({
                      levels: checked ? [...now.levels, level] : now.levels.filter((other) => other !== level),
                    })
                  }
                />
                <span>{LEVELS[level]}</span>
              </label>
            ))}
          </fieldset>
        </div>
        {now.scope !== "user" && current.value && (
          <p class="memory-note">This conversation: “{titleOf(current.value.session.value)}”</p>
        )}
      </form>
      {now.query.trim() === "" ? (
        <Empty icon="search" title="What do you look for?">
          Ask in plain words: a name, a topic, “what did I say about the garden in May”.
        </Empty>
      ) : (
        <Results asked={now} />
      )}
    </>
  );
}

function QueryBox() {
  const [text, setText] = useState(asked.value.query);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (asked.peek().query !== text) asked.value = { ...asked.peek(), query: text };
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="field">
      <span class="unseen">Search memory</span>
      <input
        class="input memory-query"
        type="search"
        placeholder="Search what is remembered"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

function Results({ asked: now }: { asked: Asked }) {
  const [limit, setLimit] = useState(FEW);
  const session = now.scope === "user" ? undefined : current.value?.id;
  const { value, problem } = useLoaded(JSON.stringify([now, session, limit]), async () => {
    const client = await dwell();
    return client.search(now.query.trim(), {
      mode: now.mode,
      scope: now.scope,
      limit,
      ...(now.levels.length > 0 && { levels: [...now.levels] }),
      ...(session !== undefined && { session }),
    });
  });
  if (problem !== undefined) return <Trouble error={problem} />;
  if (!value) {
    return (
      <div class="memory-wait">
        <Spinner label="Searching" />
      </div>
    );
  }
  const { items, notices = [] } = value;
  return (
    <section aria-label="Results">
      {notices.map((notice) => (
        <Notice key={notice}>{notice}</Notice>
      ))}
      <p class="memory-note" role="status">
        {items.length === 0 ? "Nothing fits." : `${count(items.length, "result")}, the best first`}
      </p>
      <ul class="memory-list">
        {items.map((found) => (
          <FoundItem key={found.id} item={fromFound(found)} score={found.score} />
        ))}
      </ul>
      {items.length === limit && limit < MOST && (
        <div class="memory-wait">
          <Button onPress={() => setLimit(MOST)}>Show more</Button>
        </div>
      )}
    </section>
  );
}
