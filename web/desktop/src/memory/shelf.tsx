/** One memory: its entries, word for word, and what they come to. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { api, pathWith } from "../house/api.ts";
import { Button } from "../kit/button.tsx";
import { exactTime } from "../kit/format.ts";
import { Badge, Empty, Spinner, Tabs, Trouble } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { askCorrect, askForget } from "./ask.tsx";
import { Contexts } from "./contexts.tsx";
import { NewEntry } from "./forms.tsx";
import { useLoaded, usePages } from "./load.ts";
import { PagedList } from "./pieces.tsx";
import { fromFound, isStoredApart, type Remembered } from "./words.ts";

const PAGE = 40;

/** What goes with a memory. */
const WHOLE_MEMORY =
  "All its entries and summaries go, what was read off them, and the words they come from in your conversations.";

type Props = { vault: wire.Vault; memory: wire.Memory; title: string; onGone: () => void };

/** The memory. */
export function Shelf({ vault, memory, title, onGone }: Props) {
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
              <a href={hrefOf({ view: "talk", session: memory.session_id })}>Go to the conversation</a>
            )}
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
            Forget it
          </Button>
        </div>
      </div>
      <Tabs
        label="What of it"
        tabs={[
          { id: "entries", label: "Entries" },
          { id: "contexts", label: "What it comes to" },
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
        <Empty icon="book" title="No entries">
          Write the first one.
        </Empty>
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
  const item: Remembered = { id, level: "entry", text: words, at, isForeign: false };
  const short = words.length > 40 ? `${words.slice(0, 40)}…` : words;
  return (
    <li class={`card memory-card ${isCorrected ? "past" : ""}`}>
      <p class="memory-meta">
        <strong>{who(entry)}</strong>
        <span>
          happened <time dateTime={at}>{exactTime(at)}</time>
        </span>
        {isStoredApart(at, stored) && (
          <span>
            stored <time dateTime={stored}>{exactTime(stored)}</time>
          </span>
        )}
        {isCorrected && <Badge tone="warning">corrected</Badge>}
        {entry.corrects && <Badge tone="success">a correction</Badge>}
        {entry.origin === "untrusted" && <Badge tone="warning">words from outside</Badge>}
        {Object.entries(tags).map(([name, value]) => (
          <Badge key={name}>{`${name}: ${value}`}</Badge>
        ))}
      </p>
      <p class="memory-verbatim">{words}</p>
      {entry.corrects && <Other id={entry.corrects} label="What it corrects" />}
      {entry.corrected_by && <Other id={entry.corrected_by} label="What is right" />}
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
            Go to where it was said
          </a>
        )}
      </div>
    </li>
  );
}

/** The other end of a correction, read when somebody opens it. */
function Other({ id, label }: { id: string; label: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="memory-other" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && <OtherWords id={id} />}
    </details>
  );
}

function OtherWords({ id }: { id: string }) {
  const { value, problem } = useLoaded(id, async () =>
    fromFound(await api<Omit<wire.Found, "score">>("GET", `/api/v1/memories/${id}`)),
  );
  if (problem !== undefined) return <Trouble error={problem} />;
  if (!value) return <Spinner />;
  return <blockquote class="memory-quote">{value.text}</blockquote>;
}
