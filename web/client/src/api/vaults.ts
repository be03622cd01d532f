/** Vaults: notes in memories that a program keeps itself. */
import { path } from "../rest.js";
import { newKey } from "../session-ref.js";
import type {
  AddEntry,
  ContextDocument,
  ContextPage,
  ControlRequest,
  ControlResult,
  Entry,
  EntryPage,
  ForgetResult,
  Memory,
  MemoryPage,
  NewMemory,
  NewVault,
  PutContext,
  TitleUpdate,
  Vault,
  VaultPage,
} from "../wire.js";
import type { PageOptions, Port } from "./port.js";

/** `client.vaults`. What is created has an idempotency key, so a broken connection does no harm. */
export class Vaults {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** The owner's vaults, oldest first. */
  list(page: PageOptions = {}): Promise<VaultPage> {
    return this.#port.rest.json("GET", "/api/v1/vaults", { query: page });
  }

  /** Creates a vault. */
  create(vault: NewVault): Promise<Vault> {
    return this.#port.rest.json("POST", "/api/v1/vaults", { body: vault, key: newKey() });
  }

  /** A vault. */
  get(vaultId: string): Promise<Vault> {
    return this.#port.rest.json("GET", path`/api/v1/vaults/${vaultId}`);
  }

  /** Changes the title or the description of a vault. */
  update(vaultId: string, update: TitleUpdate): Promise<Vault> {
    return this.#port.request("vault.update", { vault_id: vaultId, ...update });
  }

  /** Forgets a vault with its memories and everything in them. */
  forget(vaultId: string): Promise<ForgetResult> {
    return this.#port.rest.json("DELETE", path`/api/v1/vaults/${vaultId}`);
  }

  /** The memories of a vault, oldest first. */
  memories(vaultId: string, page: PageOptions = {}): Promise<MemoryPage> {
    return this.#port.rest.json("GET", path`/api/v1/vaults/${vaultId}/memories`, { query: page });
  }

  /** Creates a memory in a vault. */
  createMemory(vaultId: string, memory: NewMemory): Promise<Memory> {
    const to = path`/api/v1/vaults/${vaultId}/memories`;
    return this.#port.rest.json("POST", to, { body: memory, key: newKey() });
  }

  /** A memory. */
  memory(vaultId: string, memoryId: string): Promise<Memory> {
    return this.#port.rest.json("GET", at(vaultId, memoryId));
  }

  /** Changes the title or the description of a memory. */
  updateMemory(vaultId: string, memoryId: string, update: TitleUpdate): Promise<Memory> {
    return this.#port.request("memory.update", { vault_id: vaultId, memory_id: memoryId, ...update });
  }

  /** Runs the memory agent in a control state; without one, a message is processed and flushed when due. */
  control(vaultId: string, memoryId: string, request: ControlRequest): Promise<ControlResult> {
    const { idempotency_key: key, ...body } = request;
    return this.#port.rest.json("POST", `${at(vaultId, memoryId)}/control`, { body, key: key ?? newKey() });
  }

  /** Forgets a memory with everything in it. */
  forgetMemory(vaultId: string, memoryId: string): Promise<ForgetResult> {
    return this.#port.rest.json("DELETE", at(vaultId, memoryId));
  }

  /** The entries of a memory, by time. */
  entries(
    vaultId: string,
    memoryId: string,
    page: PageOptions & { order?: "newest" | "oldest" } = {},
  ): Promise<EntryPage> {
    return this.#port.rest.json("GET", `${at(vaultId, memoryId)}/entries`, { query: page });
  }

  /** Adds an entry: a text, or a text with its speaker, time and labels. */
  addEntry(vaultId: string, memoryId: string, entry: string | AddEntry): Promise<Entry> {
    const body = typeof entry === "string" ? { raw_entry: entry } : entry;
    return this.#port.rest.json("POST", `${at(vaultId, memoryId)}/entries`, { body, key: newKey() });
  }

  /** An entry, verbatim. */
  entry(vaultId: string, memoryId: string, entryId: string): Promise<Entry> {
    return this.#port.rest.json("GET", at(vaultId, memoryId) + path`/entries/${entryId}`);
  }

  /** All versions of a memory's context document, oldest first. */
  contexts(vaultId: string, memoryId: string): Promise<ContextPage> {
    return this.#port.rest.json("GET", `${at(vaultId, memoryId)}/contexts`);
  }

  /** A version of a memory's context document; without a number the newest. */
  context(vaultId: string, memoryId: string, version?: number): Promise<ContextDocument> {
    return this.#port.rest.json("GET", at(vaultId, memoryId) + path`/contexts/${version ?? "latest"}`);
  }

  /** Writes the next version of a memory's context document; a plain text is untrusted. */
  putContext(vaultId: string, memoryId: string, content: string | PutContext): Promise<ContextDocument> {
    const body = typeof content === "string" ? { content } : content;
    return this.#port.rest.json("POST", `${at(vaultId, memoryId)}/contexts`, { body, key: newKey() });
  }
}

function at(vaultId: string, memoryId: string): string {
  return path`/api/v1/vaults/${vaultId}/memories/${memoryId}`;
}
