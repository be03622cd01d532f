/** The summaries of a memory: all versions, and a diff of two. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { api } from "../store/api.ts";
import { exactTime } from "../kit/format.ts";
import { EmptyState, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { diffLines } from "./diff.ts";
import { useLoad } from "./load.ts";
import { texts } from "../languages/memory.ts";

/** The summary versions of a memory. */
export function Contexts({ base }: { base: string }) {
  const { value, problem } = useLoad(base, () => api<wire.ContextPage>("GET", `${base}/contexts`));
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!value) {
    return (
      <div class="memory-wait">
        <Spinner />
      </div>
    );
  }
  if (value.data.length === 0) {
    return (
      <EmptyState icon="book" title={texts().noSummaryYet}>
        {texts().aConversationSummarisedAfter}
      </EmptyState>
    );
  }
  return <Versions versions={value.data} />;
}

function Versions({ versions }: { versions: readonly wire.ContextDocument[] }) {
  const newest = versions.at(-1);
  const [shown, setShown] = useState<number>();
  const [against, setAgainst] = useState(0);
  const now = versions.find(({ version }) => version === shown) ?? newest;
  if (!now) return null;
  const before = versions.find(({ version }) => version === against);
  const options = [...versions].reverse();
  return (
    <section class="card memory-card" aria-label={texts().summary}>
      <div class="memory-search-row">
        <label class="field">
          {texts().version}
          <select
            class="input"
            value={now.version}
            onChange={({ currentTarget }) => setShown(Number(currentTarget.value))}
          >
            {options.map(({ version, stored_at }) => (
              <option key={version} value={version}>
                {version} · {exactTime(stored_at)}
              </option>
            ))}
          </select>
        </label>
        {versions.length > 1 && (
          <label class="field">
            {texts().compareWith}
            <select
              class="input"
              value={against}
              onChange={({ currentTarget }) => setAgainst(Number(currentTarget.value))}
            >
              <option value={0}>{texts().none}</option>
              {options
                .filter(({ version }) => version !== now.version)
                .map(({ version, stored_at }) => (
                  <option key={version} value={version}>
                    {version} · {exactTime(stored_at)}
                  </option>
                ))}
            </select>
          </label>
        )}
      </div>
      {before && before.version !== now.version ? (
        <VersionDiff before={before} after={now} />
      ) : (
        <p class="memory-verbatim">{now.content}</p>
      )}
      <p class="memory-meta">
        <span>
          {texts().writtenBy} {writer(now.written_by)}
        </span>
        <span>
          {texts().coversEventsUntil} <time dateTime={now.conversation_time}>{exactTime(now.conversation_time)}</time>
        </span>
      </p>
    </section>
  );
}

function writer(name: string): string {
  if (name === "extract") return texts().dwellFromSentencesConversation;
  return name === "client" ? texts().you : name;
}

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
function signLabels() {
  return { same: "", added: texts().added, removed: texts().removed } as const;
}

function VersionDiff({ before, after }: { before: wire.ContextDocument; after: wire.ContextDocument }) {
  const [from, to] = before.version < after.version ? [before, after] : [after, before];
  const lines = diffLines(from.content, to.content);
  return (
    <div class="memory-diff" role="group" aria-label={texts().fromVersionToVersion(from.version, to.version)}>
      {lines.map(({ kind, text }, index) => (
        <p key={index} class={kind}>
          <span aria-hidden="true">{SIGNS[kind]}</span>
          <span class="unseen">{signLabels()[kind]}</span>
          {text}
        </p>
      ))}
    </div>
  );
}
