/** The client: what one can ask of a server, over one WebSocket that comes back by itself. */
import { Refused, TurnError } from "./errors.js";
import type { Final, Told } from "./events.js";
import { Following } from "./following.js";
import { type Access, Link, PATIENCE, type Patience, type SocketMaker } from "./link.js";
import { Listener } from "./listener.js";
import {
  type Decision,
  isRepeatable,
  type MaybeSession,
  type RequestName,
  type Requests,
  type SessionRef,
} from "./requests.js";
import { answered, TurnStream } from "./stream.js";
import type {
  Accepted,
  ApprovalRequest,
  Cancelled,
  ChatSend,
  Deleted,
  Fact,
  Forgotten,
  Found,
  MemorySearch,
  MemorySnapshot,
  SessionPage,
  SessionView,
  Start,
  TurnView,
} from "./wire.js";

/** A session: its id, a name of one's own choice, or anything that has its id. */
export type Session = string | { session_id: string };

/** How to connect: with a token, or with a function that brings a one-time ticket for each connection. */
export type ConnectOptions = Access & {
  /** How long to wait for what. */
  patience?: Partial<Patience>;
  /** The WebSocket to use, where there is none in the global scope. */
  WebSocket?: SocketMaker;
  /** Told whenever the connection comes and goes. */
  onConnection?: (state: "up" | "down") => void;
  /** Told what the server says that belongs to no session, as `home.changed`. */
  onNotice?: (notice: { type: string; data: unknown }) => void;
};

/** What `chat` and `stream` may be told beside the message; the manual explains each. */
export type ChatOptions = Partial<Omit<ChatSend, "message">> & { session: Session };

/** What memory holds, as it was asked for. */
export type Memories = MemorySnapshot & { items: Found[] };

/** What `follow` may be told. */
export type FollowOptions = {
  /** Every event after this number; 0 means from the beginning. */
  after?: number;
  /** Text and progress at once as well, without a number. */
  live?: boolean;
  /** The desktop too, whole, now and whenever the connection comes back. */
  desktop?: boolean;
};

/** Connects to the server at an address such as `http://127.0.0.1:7437`. */
export async function connect(url: string, options: ConnectOptions): Promise<Dwell> {
  const client = new Dwell(url, options);
  await client.open();
  return client;
}

/** A client of one server. Make it with `connect`; one may serve any number of sessions at once. */
export class Dwell {
  readonly #link: Link;
  readonly #following: Following;

  constructor(url: string, options: ConnectOptions) {
    const make = options.WebSocket ?? (globalThis.WebSocket as unknown as SocketMaker | undefined);
    if (make === undefined) throw new TypeError("there is no WebSocket here: give one, as that of the package ws");
    const following = new Following(() => this.#link);
    this.#following = following;
    this.#link = new Link(url, options, { ...PATIENCE, ...options.patience }, make, {
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
    return this.#link.open();
  }

  /** Ends the connection. Turns go on without it. */
  close(): void {
    this.#link.close();
  }

  /** Whether there is a connection now. */
  get isConnected(): boolean {
    return this.#link.isUp;
  }

  // --- turns ---

  /**
   * Says something and waits for the answer, through reconnections and restarts of the server. A turn that has no answer is
   * thrown as a `TurnError`; so is one that waits for a person to find something out. `onApproval` is asked when a call needs a
   * yes; without it the question is left to other clients.
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
    return answered(await stream.result());
  }

  /** Says something and gives the turn as it happens. Nothing is sent before the stream is read. */
  stream(message: string, options: ChatOptions): TurnStream {
    const { session, ...rest } = options;
    // The same key makes the same turn, so that sending again after a broken connection is harmless.
    const data = { ...sessionRef(session), message, idempotency_key: newKey(), ...rest };
    return new TurnStream(async (stream) => stream.watch(await this.request("chat.send", data)), this.#following);
  }

  /** A turn that is under way, beginning with what it has come to; also one that has ended. */
  attach(turnId: string): TurnStream {
    return new TurnStream(async (stream) => stream.watchFrom(await this.turn(turnId)), this.#following);
  }

  /** A turn as it stands. */
  turn(turnId: string): Promise<TurnView> {
    return this.request("turn.get", { turn_id: turnId });
  }

  /** Stops a turn, or all open turns of a session. Give a session, a turn, or both. */
  async cancel(which: { session?: Session; turnId?: string; reason?: string }): Promise<Cancelled> {
    const { turnId, reason } = which;
    let { session } = which;
    if (session === undefined) {
      if (turnId === undefined) throw new TypeError("say what to cancel: a session, a turn, or both");
      session = await this.turn(turnId);
    }
    return this.request("agent.cancel", { ...sessionRef(session), turn_id: turnId, reason });
  }

  /** Lets an interrupted or waiting turn go on; `attach` listens to it. `outcome` says what became of a call in doubt. */
  resume(turnId: string, known: { outcome?: "happened" | "did_not_happen"; callId?: string } = {}): Promise<Accepted> {
    return this.request("turn.resume", { turn_id: turnId, outcome: known.outcome, call_id: known.callId });
  }

  /** Asks the same again in a new turn; `attach` listens to it. */
  retry(turnId: string): Promise<Accepted> {
    return this.request("turn.retry", { turn_id: turnId });
  }

  /** Answers whether a call may run. With `digest` the answer stands for exactly the call that was shown. */
  async approve(approvalId: string, decision: Decision = "once", digest?: string): Promise<void> {
    await this.request("approval.answer", { approval_id: approvalId, decision, digest });
  }

  // --- sessions ---

  /** Begins a session. With a `key`, starting again gives the same one. */
  startSession(settings: Partial<Start> = {}): Promise<SessionView> {
    return this.request("session.start", settings);
  }

  /** A session as it stands. */
  session(session: Session): Promise<SessionView> {
    return this.request("session.get", sessionRef(session));
  }

  /** The owner's sessions, newest activity first. */
  sessions(page: { limit?: number; cursor?: string } = {}): Promise<SessionPage> {
    return this.request("session.list", page);
  }

  /** Ends a session; what was said stays readable. */
  endSession(session: Session, reason?: string): Promise<SessionView> {
    return this.request("session.end", { ...sessionRef(session), reason });
  }

  /**
   * Deletes a session for good, with all that was said in it; with `memories`, also what was remembered of it. Whoever follows
   * it is told that it is not found.
   */
  deleteSession(session: Session, options: { memories?: boolean; version?: number } = {}): Promise<Deleted> {
    return this.request("session.delete", { ...sessionRef(session), ...options });
  }

  /**
   * Every event of a session after a number, in order, each once; then those to come, until the loop is left. It survives the
   * connection and the server.
   */
  async *follow(session: Session, options: FollowOptions = {}): AsyncGenerator<Told, void, undefined> {
    const { after = 0, live = false, desktop = false } = options;
    const sessionId = await this.#sessionId(session, after);
    const read = (event: Told) =>
      event.seq !== undefined || (event.type === "desktop.snapshot" ? desktop : live) ? [event] : [];
    const listener = new Listener<Told>({ after, read });
    this.#following.attach(sessionId, listener, { anew: desktop });
    try {
      for (;;) {
        const event = await listener.get();
        if (event === undefined) return;
        yield event;
      }
    } finally {
      this.#following.detach(sessionId, listener);
    }
  }

  /**
   * Looks only at these monitors of a session, which are then no longer in the background; without any, at everything. It holds for
   * everything this client listens to in that session: turns on other monitors are not told.
   */
  async watchMonitors(session: Session, monitors?: readonly string[]): Promise<void> {
    this.#following.watch(await this.#sessionId(session, 0), monitors);
  }

  // --- memory ---

  /** Sets a line of the profile; what was there before stays as history. */
  setProfile(key: string, value: string, more: { priority?: number; ttlS?: number } = {}): Promise<Fact> {
    const data = { key, value, priority: more.priority, ttl_s: more.ttlS, idempotency_key: newKey() };
    return this.request("memory.set", data);
  }

  /** What memory holds, newest first; with `query`, what fits it. */
  async getMemories(
    options: Omit<Requests["memory.get"][0], keyof MaybeSession> & { session?: Session } = {},
  ): Promise<Memories> {
    const { session, ...rest } = options;
    return memories(await this.request("memory.get", { ...rest, ...maybeSession(session) }));
  }

  /** What fits a question, best first, with every part of the score. */
  async search(
    query: string,
    options: Omit<MemorySearch, "query" | keyof MaybeSession> & { session?: Session } = {},
  ): Promise<Memories> {
    const { session, ...rest } = options;
    return memories(await this.request("memory.search", { query, ...rest, ...maybeSession(session) }));
  }

  /** Forgets, everywhere; answered once it is gone. It cannot be undone. */
  forget(what: { ids?: string[]; key?: string; text?: string; memory_id?: string }): Promise<Forgotten> {
    return this.request("memory.forget", what);
  }

  // --- anything else ---

  /** Sends any message of the wire reference and gives the data of its answer. What is safe to repeat survives the connection. */
  async request<K extends RequestName>(kind: K, data: Requests[K][0]): Promise<Requests[K][1]> {
    const repeatable = isRepeatable(kind, data);
    try {
      return (await this.#link.request(kind, data, repeatable)) as Requests[K][1];
    } catch (error) {
      const isFull = error instanceof Refused && error.code === "too_many_connections";
      if (!isFull || !this.#following.forgetIdle()) throw error;
    }
    // It was refused, so it has not happened. A new connection follows only what somebody listens to.
    this.#link.cycle();
    return (await this.#link.request(kind, data, repeatable)) as Requests[K][1];
  }

  /** The id of a session that may be named; one that is not there yet is made. */
  async #sessionId(session: Session, after: number): Promise<string> {
    const ref = sessionRef(session);
    if ("session_id" in ref) return ref.session_id;
    const view = await this.request("session.resume", { ...ref, after });
    this.#following.wasAskedAfter(view.session_id, after);
    return view.session_id;
  }
}

/** Which session is meant, as the wire says it: what looks like an id is one, anything else is a name. */
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

/** A key that nobody else makes. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
