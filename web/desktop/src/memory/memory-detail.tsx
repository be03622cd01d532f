/** The details of one memory: its verbatim entries and its summaries. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { api, pathWith } from "../store/api.ts";
import { Button } from "../kit/button.tsx";
import { exactTime } from "../kit/format.ts";
import { Badge, EmptyState, Spinner, Tabs, ErrorNotice } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { askCorrect, askForget } from "./dialogs.tsx";
import { Contexts } from "./contexts.tsx";
import { NewEntry } from "./forms.tsx";
import { useLoad, usePages } from "./load.ts";
import { PagedList } from "./pieces.tsx";
import { fromFound, isStoredApart, type MemoryItem } from "./words.ts";
import { texts } from "../languages/memory.ts";

const PAGE = 40;

/** What forgetting a whole memory deletes. */
function wholeMemory() {
  return texts().thisDeletesAllIts;
}

type Props = { vault: wire.Vault; memory: wire.Memory; title: string; onGone: () => void };

/** A memory's details. */
export function MemoryDetail({ vault, memory, title, onGone }: Props) {
  const [what, setWhat] = useState<"entries" | "contexts">("entries");
  const [isAdding, setIsAdding] = useState(false);
  const base = `/api/v1/vaults/${vault.vault_id}/memories/${memory.memory_id}`;
  return (
    <>
      <div class="memory-lead">
        <div>
          <h2 class="memory-heading">{title}</h2>
          <p>
            {memory.description}{" "}
            {memory.session_id && (
              <a href={hrefOf({ view: "talk", session: memory.session_id })}>{texts().openConversation}</a>
            )}
          </p>
        </div>
        <div class="memory-actions">
          <Button icon="plus" onPress={() => setIsAdding(true)}>
            {texts().newEntry}
          </Button>
          <Button
            icon="trash"
            kind="danger"
            onPress={() => askForget({ memory_id: memory.memory_id }, title, wholeMemory(), onGone)}
          >
            {texts().forget}
          </Button>
        </div>
      </div>
      <Tabs
        label={texts().content}
        tabs={[
          { id: "entries", label: texts().entries },
          { id: "contexts", label: texts().summary },
        ]}
        value={what}
        onChange={setWhat}
      />
      {what === "entries" ? <Entries base={base} /> : <Contexts base={base} />}
      {isAdding && <NewEntry path={`${base}/entries`} onClose={() => setIsAdding(false)} />}
    </>
  );
}

function Entries({ base }: { base: string }) {
  const pages = usePages<wire.Entry>(base, async (cursor) => {
    const path = pathWith(`${base}/entries`, { order: "newest", limit: PAGE, cursor });
    const page = await api<wire.EntryPage>("GET", path);
    return { items: page.data, next: page.next_cursor };
  });
  return (
    <PagedList
      pages={pages}
      label={texts().entries}
      nothing={
        <EmptyState icon="book" title={texts().noEntries}>
          {texts().addTheFirstOne}
        </EmptyState>
      }
      render={(entry) => <EntryItem key={entry.entry_id} entry={entry} />}
    />
  );
}

function who({ role, speaker }: wire.Entry): string {
  if (speaker) return speaker;
  if (role === "user") return texts().youTitle;
  return role === "assistant" ? "Dwell" : role;
}

function EntryItem({ entry }: { entry: wire.Entry }) {
  const { entry_id: id, raw_entry: words, conversation_time: at, stored_at: stored, source, tags = {} } = entry;
  const isCorrected = Boolean(entry.corrected_by);
  const item: MemoryItem = { id, level: "entry", text: words, at, isUntrusted: false };
  const short = words.length > 40 ? `${words.slice(0, 40)}…` : words;
  return (
    <li class={`card memory-card ${isCorrected ? "past" : ""}`}>
      <p class="memory-meta">
        <strong>{who(entry)}</strong>
        <span>
          {texts().from} <time dateTime={at}>{exactTime(at)}</time>
        </span>
        {isStoredApart(at, stored) && (
          <span>
            {texts().stored} <time dateTime={stored}>{exactTime(stored)}</time>
          </span>
        )}
        {isCorrected && <Badge tone="warning">{texts().corrected}</Badge>}
        {entry.corrects && <Badge tone="success">{texts().correction}</Badge>}
        {entry.origin === "untrusted" && <Badge tone="warning">{texts().untrusted}</Badge>}
        {Object.entries(tags).map(([name, value]) => (
          <Badge key={name}>{`${name}: ${value}`}</Badge>
        ))}
      </p>
      <p class="memory-verbatim">{words}</p>
      {entry.corrects && <Counterpart id={entry.corrects} label={texts().correctedText} />}
      {entry.corrected_by && <Counterpart id={entry.corrected_by} label={texts().correctionTitle} />}
      <div class="memory-actions">
        {!isCorrected && (
          <Button small kind="plain" icon="edit" label={texts().correctShort(short)} onPress={() => askCorrect(item)}>
            {texts().correct}
          </Button>
        )}
        <Button
          small
          kind="plain"
          icon="trash"
          label={texts().forgetShort(short)}
          onPress={() => askForget({ ids: [id] }, words)}
        >
          {texts().forget}
        </Button>
        {source?.session_id && (
          <a
            class="button small plain"
            href={hrefOf({ view: "talk", session: source.session_id, detail: source.turn_id ?? undefined })}
          >
            {texts().openInChat}
          </a>
        )}
      </div>
    </li>
  );
}

/** The counterpart of a correction, loaded when it is expanded. */
function Counterpart({ id, label }: { id: string; label: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="memory-other" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && <CounterpartText id={id} />}
    </details>
  );
}

function CounterpartText({ id }: { id: string }) {
  const { value, problem } = useLoad(id, async () =>
    fromFound(await api<Omit<wire.MemoryHit, "score">>("GET", `/api/v1/memories/${id}`)),
  );
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!value) return <Spinner />;
  return <blockquote class="memory-quote">{value.text}</blockquote>;
}
