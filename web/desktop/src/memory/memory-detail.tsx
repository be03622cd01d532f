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

const PAGE = 40;

/** What forgetting a whole memory deletes. */
const WHOLE_MEMORY =
  "This deletes all its entries and summaries and the facts extracted from them, and redacts their source text in your conversations.";

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
            {memory.session_id && <a href={hrefOf({ view: "talk", session: memory.session_id })}>Open conversation</a>}
          </p>
        </div>
        <div class="memory-actions">
          <Button icon="plus" onPress={() => setIsAdding(true)}>
            New entry
          </Button>
          <Button
            icon="trash"
            kind="danger"
            onPress={() => askForget({ memory_id: memory.memory_id }, title, WHOLE_MEMORY, onGone)}
          >
            Forget
          </Button>
        </div>
      </div>
      <Tabs
        label="Content"
        tabs={[
          { id: "entries", label: "Entries" },
          { id: "contexts", label: "Summary" },
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
      label="Entries"
      nothing={
        <EmptyState icon="book" title="No entries">
          Add the first one.
        </EmptyState>
      }
      render={(entry) => <EntryItem key={entry.entry_id} entry={entry} />}
    />
  );
}

function who({ role, speaker }: wire.Entry): string {
  if (speaker) return speaker;
  if (role === "user") return "You";
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
          from <time dateTime={at}>{exactTime(at)}</time>
        </span>
        {isStoredApart(at, stored) && (
          <span>
            stored <time dateTime={stored}>{exactTime(stored)}</time>
          </span>
        )}
        {isCorrected && <Badge tone="warning">corrected</Badge>}
        {entry.corrects && <Badge tone="success">correction</Badge>}
        {entry.origin === "untrusted" && <Badge tone="warning">untrusted</Badge>}
        {Object.entries(tags).map(([name, value]) => (
          <Badge key={name}>{`${name}: ${value}`}</Badge>
        ))}
      </p>
      <p class="memory-verbatim">{words}</p>
      {entry.corrects && <Counterpart id={entry.corrects} label="Corrected text" />}
      {entry.corrected_by && <Counterpart id={entry.corrected_by} label="Correction" />}
      <div class="memory-actions">
        {!isCorrected && (
          <Button small kind="plain" icon="edit" label={`Correct ${short}`} onPress={() => askCorrect(item)}>
            Correct
          </Button>
        )}
        <Button
          small
          kind="plain"
          icon="trash"
          label={`Forget ${short}`}
          onPress={() => askForget({ ids: [id] }, words)}
        >
          Forget
        </Button>
        {source?.session_id && (
          <a
            class="button small plain"
            href={hrefOf({ view: "talk", session: source.session_id, detail: source.turn_id ?? undefined })}
          >
            Open in chat
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
