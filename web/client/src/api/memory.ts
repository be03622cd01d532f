/** Memory: the profile, facts, entries, and all of it as an archive. */
import type { MaybeSession, Requests } from "../requests.js";
import { path } from "../rest.js";
import { maybeSession, newKey, type Session } from "../session-ref.js";
import type {
  Audit,
  Consistency,
  Fact,
  FactPage,
  ForgetResult,
  Ingest,
  IngestResult,
  MemoryArchive,
  MemoryForget,
  MemoryGraph,
  MemoryHit,
  MemoryImport,
  MemoryImportResult,
  MemoryItem,
  MemorySearch,
  MemorySnapshot,
} from "../wire.js";
import type { Port } from "./port.js";

/** The answer to a memory request. */
export type Memories = MemorySnapshot & { items: MemoryHit[] };
/** Options of `memory.list`. */
export type ListOptions = Omit<Requests["memory.get"][0], keyof MaybeSession> & { session?: Session };
/** Options of `memory.search`. */
export type SearchOptions = Omit<MemorySearch, "query" | keyof MaybeSession> & { session?: Session };

/** Options of `memory.graph`. */
export type GraphOptions = Requests["memory.graph"][0];

/** `client.memory`. */
export class MemoryStore {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** Sets a profile entry; its old value stays in the history. */
  set(key: string, value: string, more: { priority?: number; ttlS?: number } = {}): Promise<Fact> {
    const data = { key, value, priority: more.priority, ttl_s: more.ttlS, idempotency_key: newKey() };
    return this.#port.request("memory.set", data);
  }

  /** The valid entries of the profile, highest priority first. */
  profile(): Promise<FactPage> {
    return this.#port.rest.json("GET", "/api/v1/profile");
  }

  /** Every value that a key of the profile has had, newest first. */
  history(key: string): Promise<FactPage> {
    return this.#port.rest.json("GET", path`/api/v1/profile/${key}`);
  }

  /** Forgets a key of the profile, with its history. */
  forgetKey(key: string): Promise<ForgetResult> {
    return this.#port.rest.json("DELETE", path`/api/v1/profile/${key}`);
  }

  /** The items in memory, newest first; with `query`, the matching ones. */
  async list(options: ListOptions = {}): Promise<Memories> {
    const { session, ...rest } = options;
    return memories(await this.#port.request("memory.get", { ...rest, ...maybeSession(session) }));
  }

  /** Searches memory; results come best first, with all parts of the score. */
  async search(query: string, options: SearchOptions = {}): Promise<Memories> {
    const { session, ...rest } = options;
    return memories(await this.#port.request("memory.search", { query, ...rest, ...maybeSession(session) }));
  }

  /** People, places and things with their facts: what was true at one time, as known at another. */
  graph(options: GraphOptions = {}): Promise<MemoryGraph> {
    return this.#port.request("memory.graph", options);
  }

  /** An item. */
  item(itemId: string): Promise<MemoryItem> {
    return this.#port.rest.json("GET", path`/api/v1/memories/${itemId}`);
  }

  /** Corrects an item; the old one stays readable as history. */
  correct(itemId: string, text: string): Promise<Fact | MemoryHit> {
    return this.#port.request("memory.correct", { id: itemId, text, idempotency_key: newKey() });
  }

  /** Forgets items everywhere; resolves once they are deleted. It cannot be undone. */
  forget(what: MemoryForget): Promise<ForgetResult> {
    return this.#port.request("memory.forget", what);
  }

  /** Forgets an item with the text that it comes from. */
  forgetItem(itemId: string): Promise<ForgetResult> {
    return this.#port.rest.json("DELETE", path`/api/v1/memories/${itemId}`);
  }

  /** Waits until everything written so far can be found, or lists what cannot. */
  awaitConsistency(options: { memoryId?: string; timeoutMs?: number } = {}): Promise<Consistency> {
    const body = { memory_id: options.memoryId, timeout_ms: options.timeoutMs };
    // Waiting twice does no harm, so it may be sent again.
    return this.#port.rest.json("POST", "/api/v1/memories/await_consistency", { body, key: newKey() });
  }

  /** Imports a conversation from elsewhere; known messages are skipped. */
  ingest(conversation: Ingest): Promise<IngestResult> {
    return this.#port.rest.json("POST", "/api/v1/memories/ingest", { body: conversation, key: newKey() });
  }

  /** All of memory as an archive. */
  export(): Promise<MemoryArchive> {
    return this.#port.request("memory.export", {});
  }

  /** Imports an archive, or another program's export; known items are skipped. */
  import(what: MemoryImport): Promise<MemoryImportResult> {
    return this.#port.request("memory.import", { ...what, idempotency_key: newKey() });
  }

  /** Looks for duplicates, contradictions, stale entries and secrets. */
  audit(): Promise<Audit> {
    return this.#port.rest.json("GET", "/api/v1/memories/audit");
  }
}

function memories(snapshot: MemorySnapshot): Memories {
  return { ...snapshot, items: snapshot.items ?? [] };
}
