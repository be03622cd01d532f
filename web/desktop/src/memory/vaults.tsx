/** Vaults: shelves of memories. One goes in step by step, and back by the trail at the top. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { api, pathWith } from "../house/api.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Empty } from "../kit/pieces.tsx";
import { titleFor } from "../talk/sessions/titles.ts";
import { NewThing } from "./forms.tsx";
import { usePages } from "./load.ts";
import { PagedList } from "./pieces.tsx";
import { Shelf } from "./shelf.tsx";
import { dayOf } from "./words.ts";

const PAGE = 40;

/** Where one is; it stays while one looks at other tabs. */
const at = signal<{ vault?: wire.Vault; memory?: wire.Memory }>({});

/** A memory of a conversation is called as its session is. */
function memoryTitle({ session_id: session, title }: wire.Memory): string {
  return (session ? titleFor(session) : undefined) ?? title;
}

/** The tab. */
export function VaultsTab() {
  const { vault, memory } = at.value;
  return (
    <>
      {vault && (
        <nav class="memory-trail" aria-label="Where you are">
          <button type="button" onClick={() => (at.value = {})}>
            Vaults
          </button>
          <Icon name="right" small />
          {memory ? (
            <>
              <button type="button" onClick={() => (at.value = { vault })}>
                {vault.title}
              </button>
              <Icon name="right" small />
              <span aria-current="page">{memoryTitle(memory)}</span>
            </>
          ) : (
            <span aria-current="page">{vault.title}</span>
          )}
        </nav>
      )}
      {!vault && <VaultList />}
      {vault && !memory && <MemoryList key={vault.vault_id} vault={vault} />}
      {vault && memory && (
        <Shelf
          key={memory.memory_id}
          vault={vault}
          memory={memory}
          title={memoryTitle(memory)}
          onGone={() => (at.value = { vault })}
        />
      )}
    </>
  );
}

function VaultList() {
  const [isAdding, setIsAdding] = useState(false);
  const pages = usePages<wire.Vault>("vaults", async (cursor) => {
    const page = await api<wire.VaultPage>("GET", pathWith("/api/v1/vaults", { limit: PAGE, cursor }));
    return { items: page.data, next: page.next_cursor };
  });
  return (
    <>
      <div class="memory-lead">
        <p>Shelves of what was said and written, word for word. Every conversation has a memory of its own.</p>
        <Button icon="plus" onPress={() => setIsAdding(true)}>
          New vault
        </Button>
      </div>
      <PagedList
        pages={pages}
        label="Vaults"
        nothing={
          <Empty icon="memory" title="No vaults yet">
            The first one comes with the first conversation.
          </Empty>
        }
        render={(vault) => (
          <li key={vault.vault_id}>
            <button class="card memory-open" type="button" onClick={() => (at.value = { vault })}>
              <Icon name="memory" />
              <span>
                <strong>{vault.title}</strong>
                <small>{vault.description || `Since ${dayOf(vault.created_at)}`}</small>
              </span>
              <Icon name="right" small />
            </button>
          </li>
        )}
      />
      {isAdding && <NewThing kind="vault" path="/api/v1/vaults" onClose={() => setIsAdding(false)} />}
    </>
  );
}

function MemoryList({ vault }: { vault: wire.Vault }) {
  const [isAdding, setIsAdding] = useState(false);
  const path = `/api/v1/vaults/${vault.vault_id}/memories`;
  const pages = usePages<wire.Memory>(path, async (cursor) => {
    const page = await api<wire.MemoryPage>("GET", pathWith(path, { limit: PAGE, cursor }));
    return { items: page.data, next: page.next_cursor };
  });
  return (
    <>
      <div class="memory-lead">
        <p>{vault.description || "Memories of this vault, the oldest first."}</p>
        <Button icon="plus" onPress={() => setIsAdding(true)}>
          New memory
        </Button>
      </div>
      <PagedList
        pages={pages}
        label="Memories"
        nothing={
          <Empty icon="memory" title="An empty shelf">
            Make a memory for what belongs together.
          </Empty>
        }
        render={(memory) => (
          <li key={memory.memory_id}>
            <button class="card memory-open" type="button" onClick={() => (at.value = { vault, memory })}>
              <Icon name={memory.session_id ? "talk" : "book"} />
              <span>
                <strong>{memoryTitle(memory)}</strong>
                <small>{memory.description || `Since ${dayOf(memory.created_at)}`}</small>
              </span>
              <Icon name="right" small />
            </button>
          </li>
        )}
      />
      {isAdding && <NewThing kind="memory" path={path} onClose={() => setIsAdding(false)} />}
    </>
  );
}
