/** The vaults tab: vaults, their memories and entries, with a breadcrumb to go back. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { api, pathWith } from "../store/api.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { EmptyState } from "../kit/pieces.tsx";
import { titleFor } from "../talk/sessions/titles.ts";
import { NewContainer } from "./forms.tsx";
import { usePages } from "./load.ts";
import { PagedList } from "./pieces.tsx";
import { MemoryDetail } from "./memory-detail.tsx";
import { dayOf } from "./words.ts";
import { texts } from "../languages/memory.ts";

const PAGE = 40;

/** The open vault and memory, kept while other tabs are open. */
const at = signal<{ vault?: wire.Vault; memory?: wire.Memory }>({});

/** A conversation's memory has the title of its session. */
function memoryTitle({ session_id: session, title }: wire.Memory): string {
  return (session ? titleFor(session) : undefined) ?? title;
}

/** The vaults tab. */
export function VaultsTab() {
  const { vault, memory } = at.value;
  return (
    <>
      {vault && (
        <nav class="memory-trail" aria-label={texts().breadcrumb}>
          <button type="button" onClick={() => (at.value = {})}>
            {texts().vaults}
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
        <MemoryDetail
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
        <p>{texts().vaultsKeepMessagesAnd}</p>
        <Button icon="plus" onPress={() => setIsAdding(true)}>
          {texts().newVault}
        </Button>
      </div>
      <PagedList
        pages={pages}
        label={texts().vaults}
        nothing={
          <EmptyState icon="memory" title={texts().noVaultsYet}>
            {texts().theFirstOneCreated}
          </EmptyState>
        }
        render={(vault) => (
          <li key={vault.vault_id}>
            <button class="card memory-open" type="button" onClick={() => (at.value = { vault })}>
              <Icon name="memory" />
              <span>
                <strong>{vault.title}</strong>
                <small>{vault.description || texts().sinceCreatedAt(dayOf(vault.created_at))}</small>
              </span>
              <Icon name="right" small />
            </button>
          </li>
        )}
      />
      {isAdding && <NewContainer kind="vault" path="/api/v1/vaults" onClose={() => setIsAdding(false)} />}
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
        <p>{vault.description || texts().memoriesThisVaultOldest}</p>
        <Button icon="plus" onPress={() => setIsAdding(true)}>
          {texts().newMemory}
        </Button>
      </div>
      <PagedList
        pages={pages}
        label={texts().memories}
        nothing={
          <EmptyState icon="memory" title={texts().noMemoriesYet}>
            {texts().createMemoryForEntries}
          </EmptyState>
        }
        render={(memory) => (
          <li key={memory.memory_id}>
            <button class="card memory-open" type="button" onClick={() => (at.value = { vault, memory })}>
              <Icon name={memory.session_id ? "talk" : "book"} />
              <span>
                <strong>{memoryTitle(memory)}</strong>
                <small>{memory.description || texts().sinceCreatedAt(dayOf(memory.created_at))}</small>
              </span>
              <Icon name="right" small />
            </button>
          </li>
        )}
      />
      {isAdding && <NewContainer kind="memory" path={path} onClose={() => setIsAdding(false)} />}
    </>
  );
}
