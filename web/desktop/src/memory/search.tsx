/** The search tab: matching items with their scores. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { dwell } from "../store/connection.ts";
import { current, titleOf } from "../store/sessions.ts";
import { Button } from "../kit/button.tsx";
import { EmptyState, Notice, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { FoundItem } from "./item.tsx";
import { useLoad } from "./load.ts";
import { count, fromFound, levelNames } from "./words.ts";
import { texts } from "../languages/memory.ts";

type SearchState = { query: string; mode: wire.SearchMode; scope: wire.SearchScope; levels: readonly wire.Level[] };

/** Kept while other tabs are open. */
const searchState = signal<SearchState>({ query: "", mode: "hybrid", scope: "user", levels: [] });

function modes() {
  return [
    { id: "hybrid", label: texts().keywordsAndMeaning },
    { id: "lexical", label: texts().keywords },
    { id: "semantic", label: texts().meaning },
  ] as const;
}

function scopes() {
  return [
    { id: "user", label: texts().everywhere },
    { id: "both", label: texts().everywhereThisConversationFirst },
    { id: "conversation", label: texts().thisConversationOnly },
  ] as const;
}

const ORDER = ["profile", "fact", "entry", "context", "pin"] as const;
const FEW = 20;
const MOST = 100;
const TYPING_MS = 300;

/** The search tab. */
export function SearchTab() {
  const now = searchState.value;
  const change = (part: Partial<SearchState>) => (searchState.value = { ...searchState.value, ...part });
  return (
    <>
      <form class="memory-search" role="search" onSubmit={(event) => event.preventDefault()}>
        <QueryBox />
        <div class="memory-search-row">
          <label class="field">
            {texts().matchBy}
            <select
              class="input"
              value={now.mode}
              onChange={({ currentTarget: { value } }) =>
                change({ mode: modes().find(({ id }) => id === value)?.id ?? "hybrid" })
              }
            >
              {modes().map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            {texts().scope}
            <select
              class="input"
              value={now.scope}
              onChange={({ currentTarget: { value } }) =>
                change({ scope: scopes().find(({ id }) => id === value)?.id ?? "user" })
              }
            >
              {scopes().map(({ id, label }) => (
                <option key={id} value={id} disabled={id !== "user" && !current.value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <fieldset class="memory-levels">
            <legend>{texts().types}</legend>
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
                <span>{levelNames()[level]}</span>
              </label>
            ))}
          </fieldset>
        </div>
        {now.scope !== "user" && current.value && (
          <p class="memory-note">{texts().thisConversation(titleOf(current.value.session.value))}</p>
        )}
      </form>
      {now.query.trim() === "" ? (
        <EmptyState icon="search" title={texts().searchYourMemory}>
          {texts().enterNameTopicOr}
        </EmptyState>
      ) : (
        <Results asked={now} />
      )}
    </>
  );
}

function QueryBox() {
  const [text, setText] = useState(searchState.value.query);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (searchState.peek().query !== text) searchState.value = { ...searchState.peek(), query: text };
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="field">
      <span class="unseen">{texts().searchMemory}</span>
      <input
        class="input memory-query"
        type="search"
        placeholder={texts().searchMemory}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

function Results({ asked: now }: { asked: SearchState }) {
  const [limit, setLimit] = useState(FEW);
  const session = now.scope === "user" ? undefined : current.value?.id;
  const { value, problem } = useLoad(JSON.stringify([now, session, limit]), async () => {
    const client = await dwell();
    return client.search(now.query.trim(), {
      mode: now.mode,
      scope: now.scope,
      limit,
      ...(now.levels.length > 0 && { levels: [...now.levels] }),
      ...(session !== undefined && { session }),
    });
  });
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!value) {
    return (
      <div class="memory-wait">
        <Spinner label={texts().searching} />
      </div>
    );
  }
  const { items, notices = [] } = value;
  return (
    <section aria-label={texts().results}>
      {notices.map((notice) => (
        <Notice key={notice}>{notice}</Notice>
      ))}
      <p class="memory-note" role="status">
        {items.length === 0 ? texts().noMatches : texts().bestMatchFirst(count(items.length, "result"))}
      </p>
      <ul class="memory-list">
        {items.map((found) => (
          <FoundItem key={found.id} item={fromFound(found)} score={found.score} />
        ))}
      </ul>
      {items.length === limit && limit < MOST && (
        <div class="memory-wait">
          <Button onPress={() => setLimit(MOST)}>{texts().showMore}</Button>
        </div>
      )}
    </section>
  );
}
