/** The client: requests to a server over one WebSocket that reconnects by itself. */
import { Refused, TurnError } from "./errors.js";
import type { Final, FeedEvent } from "./events.js";
import { Subscriptions } from "./subscriptions.js";
import { type Access, Connection, PATIENCE, type Patience, type SocketMaker } from "./connection.js";
import { Listener } from "./listener.js";
import {
  type Decision,
  isRepeatable,
  type MaybeSession,
  type RequestName,
  type Requests,
  type SessionRef,
} from "./requests.js";
import { requireAnswer, TurnStream } from "./stream.js";
import type {
  TurnAccepted,
  ApprovalRequest,
  CancelResult,
  ChatSend,
  DeletedSession,
  Fact,
  ForgetResult,
  MemoryHit,
  MemorySearch,
  MemorySnapshot,
  SessionPage,
  SessionView,
  SessionStart,
  TurnView,
} from "./wire.js";

/** A session: its id, a name of your choice, or an object with its id. */
export type Session = string | { session_id: string };

/**
 * How to connect: with a token, or with a function that gets a one-time ticket for each connection.
 */
export type ConnectOptions = Access & {
  /** Timeouts and retry delays. */
  patience?: Partial<Patience>;
  /** The WebSocket class, if there is none in the global scope. */
  WebSocket?: SocketMaker;
  /** Called whenever the connection opens or is lost. */
  onConnection?: (state: "up" | "down") => void;
  /** Called with messages that belong to no session, such as `home.changed`. */
  onNotice?: (notice: { type: string; data: unknown }) => void;
};

/** Options of `chat` and `stream`; see `ChatSend` in `docs/reference/types.md`. */
export type ChatOptions = Partial<Omit<ChatSend, "message">> & { session: Session };

/** The answer to a memory request. */
export type Memories = MemorySnapshot & { items: MemoryHit[] };

/** Options of `follow`. */
export type FollowOptions = {
  /** SessionStart after this event number; 0 means from the beginning. */
  after?: number;
  /** Include live text and progress, which have no number. */
  live?: boolean;
  /** Include a snapshot of the desktop, now and after each reconnection. */
  desktop?: boolean;
};

/** Connects to the server at an address such as `http://127.0.0.1:7437`. */
export async function connect(url: string, options: ConnectOptions): Promise<Dwell> {
  const client = new Dwell(url, options);
  await client.open();
  return client;
}

/**
 * A client of one server. Create it with `connect`; it can serve any number of sessions at once.
 */
export class Dwell {
  readonly #connection: Connection;
  readonly #subscriptions: Subscriptions;

  constructor(url: string, options: ConnectOptions) {
    const make = options.WebSocket ?? (globalThis.WebSocket as unknown as SocketMaker | undefined);
    if (make === undefined) throw new TypeError("no global WebSocket: pass one, for example from the package ws");
    const following = new Subscriptions(() => this.#connection);
    this.#subscriptions = following;
    this.#connection = new Connection(url, options, { ...PATIENCE, ...options.patience }, make, {
      onMessage: (message) => {
        if (message["session_id"] === undefined && typeof message["type"] === "string" && message["type"] !== "error") {
          options.onNotice?.({ type: message["type"], data: message["data"] });
        }
        following.take(message);
      },
      onUp: () => {
        following.up();
        options.onConnection?.("up");
      },
      onDown: () => {
        following.down();
        options.onConnection?.("down");
      },
      onEnd: (error) => following.end(error),
    });
  }

  /** Connects for the first time. */
  open(): Promise<void> {
    return this.#connection.open();
  }

  /** Closes the connection. Turns continue on the server. */
  close(): void {
    this.#connection.close();
  }

  /** Whether the client is connected now. */
  get isConnected(): boolean {
    return this.#connection.isUp;
  }

  // --- turns ---

  /**
   * Sends a message and waits for the answer, across reconnections and restarts of the server. A
   * turn without an answer is thrown as a `TurnError`; so is one that waits for the user to check
   * the outcome of a call. `onApproval` is called when a call needs approval; without it other
   * clients may answer.
   */
  async chat(
    message: string,
    options: ChatOptions & { onApproval?: (approval: ApprovalRequest) => Promise<Decision> | Decision },
  ): Promise<Final> {
    const { onApproval, ...rest } = options;
    const stream = this.stream(message, rest);
    for await (const event of stream) {
      if (event.type === "approval" && onApproval !== undefined) {
        const { approval } = event;
        await this.approve(approval.approval_id, await onApproval(approval), approval.digest);
      }
      if (event.type === "status" && event.status === "waiting" && event.question !== undefined) {
        throw new TurnError(event.question.text, "waiting", stream.turnId ?? "", stream.text, undefined, event.reason);
      }
    }
    return requireAnswer(await stream.result());
  }

  /** Sends a message and streams the turn. Nothing is sent before the stream is read. */
  stream(message: string, options: ChatOptions): TurnStream {
    const { session, ...rest } = options;
    // The idempotency key makes it safe to send again after the connection broke.
    const data = { ...sessionRef(session), message, idempotency_key: newKey(), ...rest };
    return new TurnStream(async (stream) => stream.watch(await this.request("chat.send", data)), this.#subscriptions);
  }

  /** Streams an existing turn, starting with its current state; also one that has ended. */
  attach(turnId: string): TurnStream {
    return new TurnStream(async (stream) => stream.watchFrom(await this.turn(turnId)), this.#subscriptions);
  }

  /** The current state of a turn. */
  turn(turnId: string): Promise<TurnView> {
    return this.request("turn.get", { turn_id: turnId });
  }

  /** Cancels a turn, or all open turns of a session. Pass a session, a turn, or both. */
  async cancel(which: { session?: Session; turnId?: string; reason?: string }): Promise<CancelResult> {
    const { turnId, reason } = which;
    let { session } = which;
    if (session === undefined) {
      if (turnId === undefined) throw new TypeError("pass what to cancel: a session, a turn, or both");
      session = await this.turn(turnId);
    }
    return this.request("agent.cancel", { ...sessionRef(session), turn_id: turnId, reason });
  }

  /**
   * Resumes an interrupted or waiting turn; `attach` streams it. `outcome` settles an uncertain
   * call.
   */
  resume(
    turnId: string,
    known: { outcome?: "happened" | "did_not_happen"; callId?: string } = {},
  ): Promise<TurnAccepted> {
    return this.request("turn.resume", { turn_id: turnId, outcome: known.outcome, call_id: known.callId });
  }

  /** Runs the same request again in a new turn; `attach` streams it. */
  retry(turnId: string): Promise<TurnAccepted> {
    return this.request("turn.retry", { turn_id: turnId });
  }

  /** Answers an approval request. `digest` ties the answer to exactly the call that was shown. */
  async approve(approvalId: string, decision: Decision = "once", digest?: string): Promise<void> {
    await this.request("approval.answer", { approval_id: approvalId, decision, digest });
  }

  // --- sessions ---

  /** Starts a session. With a `key`, starting again returns the same one. */
  startSession(settings: Partial<SessionStart> = {}): Promise<SessionView> {
    return this.request("session.start", settings);
  }

  /** The current state of a session. */
  session(session: Session): Promise<SessionView> {
    return this.request("session.get", sessionRef(session));
  }

  /** The owner's sessions, newest activity first. */
  sessions(page: { limit?: number; cursor?: string } = {}): Promise<SessionPage> {
    return this.request("session.list", page);
  }

  /** Ends a session; it stays readable. */
  endSession(session: Session, reason?: string): Promise<SessionView> {
    return this.request("session.end", { ...sessionRef(session), reason });
  }

  /**
   * Deletes a session permanently; with `memories`, also what was remembered from it. Its followers
   * get a `not_found` error.
   */
  deleteSession(session: Session, options: { memories?: boolean; version?: number } = {}): Promise<DeletedSession> {
    return this.request("session.delete", { ...sessionRef(session), ...options });
  }

  /**
   * Yields every event of a session after a number, in order, each once, then new ones until the
   * loop ends. It survives reconnections and restarts of the server.
   */
  async *follow(session: Session, options: FollowOptions = {}): AsyncGenerator<FeedEvent, void, undefined> {
    const { after = 0, live = false, desktop = false } = options;
    const sessionId = await this.#sessionId(session, after);
    const read = (event: FeedEvent) =>
      event.seq !== undefined || (event.type === "desktop.snapshot" ? desktop : live) ? [event] : [];
    const listener = new Listener<FeedEvent>({ after, read });
    this.#subscriptions.attach(sessionId, listener, { anew: desktop });
    try {
      for (;;) {
        const event = await listener.get();
        if (event === undefined) return;
        yield event;
      }
    } finally {
      this.#subscriptions.detach(sessionId, listener);
    }
  }

  /**
   * Limits a session's events to these monitors, which leave the background; without any, all
   * events are sent. It applies to everything this client follows in the session.
   */
  async watchMonitors(session: Session, monitors?: readonly string[]): Promise<void> {
    this.#subscriptions.watch(await this.#sessionId(session, 0), monitors);
  }

  // --- memory ---

  /** Sets a profile entry; its old value stays in the history. */
  setProfile(key: string, value: string, more: { priority?: number; ttlS?: number } = {}): Promise<Fact> {
    const data = { key, value, priority: more.priority, ttl_s: more.ttlS, idempotency_key: newKey() };
    return this.request("memory.set", data);
  }

  /** The items in memory, newest first; with `query`, the matching ones. */
  async getMemories(
    options: Omit<Requests["memory.get"][0], keyof MaybeSession> & { session?: Session } = {},
  ): Promise<Memories> {
    const { session, ...rest } = options;
    return memories(await this.request("memory.get", { ...rest, ...maybeSession(session) }));
  }

  /** Searches memory; results come best first, with all parts of the score. */
  async search(
    query: string,
    options: Omit<MemorySearch, "query" | keyof MaybeSession> & { session?: Session } = {},
  ): Promise<Memories> {
    const { session, ...rest } = options;
    return memories(await this.request("memory.search", { query, ...rest, ...maybeSession(session) }));
  }

  /** Forgets items everywhere; resolves once they are deleted. It cannot be undone. */
  forget(what: { ids?: string[]; key?: string; text?: string; memory_id?: string }): Promise<ForgetResult> {
    return this.request("memory.forget", what);
  }

  // --- anything else ---

  /**
   * Sends any request of the wire reference and returns the answer. Repeatable ones are sent again.
   */
  async request<K extends RequestName>(kind: K, data: Requests[K][0]): Promise<Requests[K][1]> {
    const repeatable = isRepeatable(kind, data);
    try {
      return (await this.#connection.request(kind, data, repeatable)) as Requests[K][1];
    } catch (error) {
      const isFull = error instanceof Refused && error.code === "too_many_connections";
      if (!isFull || !this.#subscriptions.forgetIdle()) throw error;
    }
    // It was refused, so it had no effect. A new connection follows only sessions with listeners.
    this.#connection.cycle();
    return (await this.#connection.request(kind, data, repeatable)) as Requests[K][1];
  }

  /** The id of a session; one given by name is created on first use. */
  async #sessionId(session: Session, after: number): Promise<string> {
    const ref = sessionRef(session);
    if ("session_id" in ref) return ref.session_id;
    const view = await this.request("session.resume", { ...ref, after });
    this.#subscriptions.wasAskedAfter(view.session_id, after);
    return view.session_id;
  }
}

/** The wire form of a session: what looks like an id is one, anything else is a name. */
export function sessionRef(session: Session): SessionRef {
  if (typeof session !== "string") return { session_id: session.session_id };
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(session) ? { session_id: session } : { conversation_id: session };
}

function maybeSession(session: Session | undefined): MaybeSession {
  return session === undefined ? {} : sessionRef(session);
}

function memories(snapshot: MemorySnapshot): Memories {
  return { ...snapshot, items: snapshot.items ?? [] };
}

/** A random idempotency key. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
