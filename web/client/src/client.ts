/** The client: requests to a server over one WebSocket that reconnects by itself. */
import type { Access } from "./access.js";
import { Alerts } from "./api/alerts.js";
import { Approvals } from "./api/approvals.js";
import { Artifacts } from "./api/artifacts.js";
import { Desktop } from "./api/desktop.js";
import { Home } from "./api/home.js";
import { Library } from "./api/library.js";
import { type ListOptions, type Memories, MemoryStore, type SearchOptions } from "./api/memory.js";
import { Schedules } from "./api/schedules.js";
import { ServerCalls } from "./api/server.js";
import { SessionCalls } from "./api/sessions.js";
import { Values } from "./api/values.js";
import { Vaults } from "./api/vaults.js";
import { CallRunner } from "./calls.js";
import { type ChatCallOptions, type ChatOptions, prepareChat, type SchemaOption } from "./chat.js";
import { Connection, PATIENCE, type Patience, type SocketMaker } from "./connection.js";
import { Refused, TurnError } from "./errors.js";
import type { FeedEvent, Final } from "./events.js";
import { Listener } from "./listener.js";
import { type Decision, isRepeatable, type RequestName, type Requests } from "./requests.js";
import { Rest } from "./rest.js";
import { type Session, sessionRef } from "./session-ref.js";
import { requireAnswer, TurnStream } from "./stream.js";
import { Subscriptions } from "./subscriptions.js";
import { isTool, type Tool } from "./tool.js";
import { TurnCalls } from "./turn-calls.js";
import { type ServeOptions, ToolWorker } from "./worker.js";
import type {
  Alert,
  ClientResult,
  ClientToolOffer,
  Fact,
  ForgetResult,
  MemoryForget,
  ToolAnswered,
  TurnView,
} from "./wire.js";

/**
 * How to connect: with a token, or with a function that gets a one-time ticket for each connection.
 */
export type ConnectOptions = Access & {
  /** Timeouts and retry delays. */
  patience?: Partial<Patience>;
  /** The WebSocket class, if there is none in the global scope. */
  WebSocket?: SocketMaker;
  /** The function for REST requests, if not the global one. */
  fetch?: typeof fetch;
  /** Called whenever the connection opens or is lost. */
  onConnection?: (state: "up" | "down") => void;
  /** Called with messages that belong to no session, such as `home.changed`. */
  onNotice?: (notice: { type: string; data: unknown }) => void;
};

/** Options of `follow`. */
export type FollowOptions = {
  /** Start after this event number; 0 means from the beginning. */
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
export class Dwell extends SessionCalls {
  /** Sends REST requests with the client's token, for what has no method here. */
  readonly rest: Rest;
  /** What needs a person, such as a reminder that is due. */
  readonly alerts = new Alerts(this);
  /** Calls that wait for approval. */
  readonly approvals = new Approvals(this);
  /** Files that turns have stored. */
  readonly artifacts = new Artifacts(this);
  /** Windows, dialogs, monitors and apps of a session. */
  readonly desktop = new Desktop(this);
  /** The home that the server controls. */
  readonly home = new Home(this);
  /** Documents in folders of the server's machine. */
  readonly library = new Library(this);
  /** The profile, facts and entries. */
  readonly memory = new MemoryStore(this);
  /** What begins by itself, once or by a rule. */
  readonly schedules = new Schedules(this);
  /** The server itself: models, tools, settings, health. */
  readonly server = new ServerCalls(this);
  /** Notes in memories that a program keeps itself. */
  readonly vaults = new Vaults(this);
  /** Bytes that a program stores under keys of its own. */
  readonly values = new Values(this);
  readonly #connection: Connection;
  readonly #subscriptions: Subscriptions;
  readonly #calls: CallRunner;
  #worker: ToolWorker | undefined;
  #end: Error | undefined;

  constructor(url: string, options: ConnectOptions) {
    super();
    const make = options.WebSocket ?? globalSocket();
    if (make === undefined) throw new TypeError("no global WebSocket: pass one, for example from the package ws");
    const patience = { ...PATIENCE, ...options.patience };
    this.rest = new Rest(url, options, patience, options.fetch);
    const following = new Subscriptions(() => this.#connection);
    this.#subscriptions = following;
    this.#calls = new CallRunner({
      answer: (turnId, result) => this.answerCalls(turnId, [result]),
      // Only shown, and only while the call runs: it may get lost.
      progress: (data) => void this.request("tool.progress", data).catch(() => {}),
    });
    this.#connection = new Connection(url, options, patience, make, {
      onMessage: (message) => this.#take(message, options),
      onUp: () => {
        following.up();
        this.alerts.up();
        this.#worker?.up();
        options.onConnection?.("up");
      },
      onDown: () => {
        following.down();
        options.onConnection?.("down");
      },
      onEnd: (error) => {
        this.#end = error;
        following.end(error);
        this.alerts.end(error);
        this.#worker?.end(error);
      },
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

  // --- messages ---

  /**
   * Sends a message and waits for the answer, across reconnections and restarts of the server.
   * Calls of `tools` are run and answered meanwhile. A turn without an answer is thrown as a
   * `TurnError`; so is one that waits for the user to check the outcome of a call. `onApproval` is
   * called when a call needs approval; without it other clients may answer.
   */
  chat<P = unknown>(message: string, options: ChatCallOptions & SchemaOption<P>): Promise<Final<P> & { parsed: P }>;
  chat(message: string, options: ChatCallOptions): Promise<Final>;
  async chat(message: string, options: ChatCallOptions): Promise<Final> {
    const { onApproval, ...rest } = options;
    const idle = rest.tools?.find((one) => !isTool(one));
    if (idle !== undefined) {
      throw new TypeError(
        `the tool ${idle.name} has no function: make it with tool(), or use stream() and answerCalls()`,
      );
    }
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

  /**
   * Sends a message and streams the turn. Nothing is sent before the stream is read. Calls of
   * `tools` are run and answered as long as the stream is read.
   */
  stream<P = unknown>(
    message: string,
    options: ChatOptions & { responseSchema?: SchemaOption<P>["responseSchema"] | undefined },
  ): TurnStream<P> {
    const { data, tools, records, isOwnKey, parse } = prepareChat(message, options);
    const calls = new TurnCalls(this.#calls, tools, { records });
    const begin = async (stream: TurnStream<P>) => {
      const accepted = await this.request("chat.send", data);
      // With the caller's key the turn may be that of an earlier process.
      const earlier =
        accepted.duplicate && isOwnKey && tools.length > 0 ? await this.turn(accepted.turn_id) : undefined;
      if (earlier !== undefined) calls.skip(earlier);
      stream.watch(accepted);
      if (earlier !== undefined) calls.takeOver(earlier, stream.callStream(accepted.session_id, accepted.turn_id));
    };
    const hooks = { onEvent: calls.see.bind(calls), parse: parse as ((final: Final) => Promise<P>) | undefined };
    return new TurnStream<P>(begin, this.#subscriptions, hooks);
  }

  /**
   * Streams an existing turn, starting with its current state; also one that has ended. With
   * `tools`, the calls that wait are answered: those of idempotent tools are run, the others may
   * have run already.
   */
  attach(turnId: string, options: Pick<ChatOptions, "records"> & { tools?: readonly Tool[] } = {}): TurnStream {
    const calls = new TurnCalls(this.#calls, options.tools ?? [], { records: options.records });
    const begin = async (stream: TurnStream) => {
      const view = await this.turn(turnId);
      stream.watchFrom(view);
      calls.takeOver(view, stream.callStream(view.session_id, view.turn_id));
    };
    return new TurnStream(begin, this.#subscriptions, { onEvent: calls.see.bind(calls) });
  }

  /** Asks one question in a temporary session, which is removed afterwards; returns the turn. */
  ask(
    message: string,
    options: Partial<Omit<ChatOptions, "session" | "tools" | "records" | "idempotency_key">> = {},
  ): Promise<TurnView> {
    // A temporary session takes no key: there would be nothing to find again.
    const {
      conversation_id: _,
      idempotency_key: __,
      ...body
    } = prepareChat(message, { ...options, session: "-" }).data;
    return this.rest.json("POST", "/api/v1/ask", { body });
  }

  /** Answers an approval request. `digest` ties the answer to exactly the call that was shown. */
  approve(approvalId: string, decision: Decision = "once", digest?: string): Promise<void> {
    return this.approvals.answer(approvalId, decision, digest);
  }

  /**
   * Sends results of calls that the program has run by itself, without `tool`. `offer` replaces the
   * tools of the rest of the turn.
   */
  answerCalls(turnId: string, results: ClientResult[], offer?: ClientToolOffer): Promise<ToolAnswered> {
    return this.request("tool.answer", { turn_id: turnId, results, offer });
  }

  /**
   * Serves tools to all sessions of the owner: answers their calls until it is stopped, across
   * reconnections and restarts of either side, each call once. Resolves when the server knows the
   * tools.
   */
  async serve(tools: readonly Tool[], options: ServeOptions = {}): Promise<ToolWorker> {
    if (this.#end !== undefined) throw this.#end;
    if (this.#worker !== undefined) {
      throw new TypeError("this client serves tools already: stop that worker, or pass all tools at once");
    }
    const worker = new ToolWorker(tools, options, this.#calls, {
      isUp: () => this.#connection.isUp,
      serve: (data) => this.request("tool.serve", data),
      release: () => {
        if (this.#worker === worker) this.#worker = undefined;
      },
    });
    this.#worker = worker;
    try {
      await worker.start();
    } catch (error) {
      this.#worker = undefined;
      throw error;
    }
    return worker;
  }

  // --- events ---

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

  // --- memory, in short ---

  /** Sets a profile entry; its old value stays in the history. */
  setProfile(key: string, value: string, more: { priority?: number; ttlS?: number } = {}): Promise<Fact> {
    return this.memory.set(key, value, more);
  }

  /** The items in memory, newest first; with `query`, the matching ones. */
  getMemories(options: ListOptions = {}): Promise<Memories> {
    return this.memory.list(options);
  }

  /** Searches memory; results come best first, with all parts of the score. */
  search(query: string, options: SearchOptions = {}): Promise<Memories> {
    return this.memory.search(query, options);
  }

  /** Forgets items everywhere; resolves once they are deleted. It cannot be undone. */
  forget(what: MemoryForget): Promise<ForgetResult> {
    return this.memory.forget(what);
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

  /** Handles a message that is not an answer. */
  #take(message: Record<string, unknown>, { onNotice }: ConnectOptions): void {
    const { type, data } = message;
    if (type === "tool.call" || type === "tool.cancel" || type === "tool.serving") {
      this.#worker?.take(type, data);
      return;
    }
    if (type === "alert.raised") this.alerts.take(data as Alert);
    if (message["session_id"] === undefined && typeof type === "string" && type !== "error") onNotice?.({ type, data });
    this.#subscriptions.take(message);
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

/** The WebSocket of the global scope; Node 20 has none. */
function globalSocket(): SocketMaker | undefined {
  return globalThis.WebSocket;
}
