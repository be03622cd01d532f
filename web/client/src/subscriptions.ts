/**
 * The followed sessions: subscribes again after each reconnection, and passes events to listeners.
 */
import { ConnectionLost, Refused } from "./errors.js";
import type { FeedEvent } from "./events.js";
import { Feed } from "./feed.js";
import type { Connection } from "./connection.js";
import type { Listener } from "./listener.js";

/** Error codes that are worth a retry. */
const TRANSIENT = new Set(["rate_limited", "unavailable", "internal"]);
/** The delay before a refused subscription is retried. */
const RETRY_MS = 500;

/** All sessions with listeners. After a reconnection each resumes after its last event number. */
export class Subscriptions {
  readonly #feeds = new Map<string, Feed>();
  readonly #link: () => Connection;
  #end: Error | undefined;

  constructor(link: () => Connection) {
    this.#link = link;
  }

  /**
   * Subscribes a listener to every event after its cursor. `isFresh`: all of them come after the
   * connection started to follow the session; `anew`: request again, to get a desktop snapshot.
   */
  attach<T>(sessionId: string, listener: Listener<T>, how: { isFresh?: boolean; anew?: boolean } = {}): void {
    const feed = this.#feed(sessionId);
    const anyListener = listener as Listener<unknown>;
    feed.listeners.add(anyListener);
    // A listener that attaches after the end would wait forever.
    if (this.#end !== undefined) listener.fail(this.#end);
    listener.catchUp = () => this.#serve(feed, anyListener, false);
    if (how.anew) this.#want(feed);
    else this.#serve(feed, anyListener, how.isFresh ?? false);
  }

  /** Unsubscribes a listener. */
  detach<T>(sessionId: string, listener: Listener<T>): void {
    listener.close();
    this.#feeds.get(sessionId)?.listeners.delete(listener as Listener<unknown>);
  }

  /** Sets after which number a session was followed by its name. */
  wasAskedAfter(sessionId: string, seq: number): void {
    this.#feed(sessionId).setRequestedAfter(seq);
  }

  /** Limits the events of a session to these monitors; undefined means all. */
  watch(sessionId: string, monitors: readonly string[] | undefined): void {
    const feed = this.#feed(sessionId);
    feed.monitors = monitors;
    this.#want(feed);
  }

  /** Drops sessions without listeners; returns whether there were any. */
  forgetIdle(): boolean {
    const idle = [...this.#feeds.values()].filter((feed) => feed.listeners.size === 0);
    for (const feed of idle) this.#feeds.delete(feed.sessionId);
    return idle.length > 0;
  }

  /** Connected: resumes all subscriptions. */
  up(): void {
    this.forgetIdle();
    this.#wantAll();
  }

  /** The connection was lost. */
  down(): void {
    for (const feed of this.#feeds.values()) feed.lose();
  }

  /** The client has given up or is closed. */
  end(error: Error): void {
    this.#end = error;
    for (const feed of this.#feeds.values()) {
      for (const listener of feed.listeners) listener.fail(error);
    }
  }

  /** Handles a message that is not an answer. */
  take(message: Record<string, unknown>): void {
    const { type, session_id: sessionId } = message;
    if (type === "error") {
      // An error without a request means that a subscription broke; which one is not given.
      setTimeout(() => this.#wantAll(), RETRY_MS);
      return;
    }
    // A memory snapshot is also the answer to a request.
    if (typeof sessionId !== "string" || typeof type !== "string" || type === "memory.snapshot") return;
    if (type === "session_info") {
      this.#feed(sessionId).begin();
      return;
    }
    const feed = this.#feeds.get(sessionId);
    if (type === "session.deleted") {
      this.#feeds.delete(sessionId);
      const hint = "It cannot be restored. Start a new session.";
      const gone = new Refused({ code: "not_found", message: "the session was deleted", hint });
      for (const listener of feed?.listeners ?? []) listener.fail(gone);
      return;
    }
    if (feed?.take(message as unknown as FeedEvent) && !feed.isJoining) this.#want(feed);
  }

  #feed(sessionId: string): Feed {
    let feed = this.#feeds.get(sessionId);
    if (feed === undefined) {
      feed = new Feed(sessionId);
      this.#feeds.set(sessionId, feed);
    }
    return feed;
  }

  #serve(feed: Feed, listener: Listener<unknown>, isFresh: boolean): void {
    if (!feed.serve(listener, isFresh)) this.#want(feed);
  }

  #wantAll(): void {
    for (const feed of this.#feeds.values()) this.#want(feed);
  }

  #want(feed: Feed): void {
    feed.wantsJoin = true;
    if (this.#link().isUp && !feed.isJoining) {
      feed.isJoining = true;
      void this.#join(feed);
    }
  }

  /** Subscribes to a session from the lowest cursor, until no listener has a gap. */
  async #join(feed: Feed): Promise<void> {
    while (feed.wantsJoin && this.#link().isUp) {
      feed.wantsJoin = false;
      const after = feed.resumePoint();
      if (after !== undefined) await this.#ask(feed, after);
    }
    feed.isJoining = false;
  }

  async #ask(feed: Feed, after: number): Promise<void> {
    feed.expectAfter(after);
    const monitors = feed.monitors === undefined ? {} : { monitors: feed.monitors };
    try {
      await this.#link().request("session.resume", { session_id: feed.sessionId, after, ...monitors }, false);
    } catch (error) {
      if (error instanceof ConnectionLost) {
        // The next connection may be open already.
        feed.wantsJoin = true;
      } else if (error instanceof Refused && TRANSIENT.has(error.code)) {
        const pause = (error.retryAfterMs ?? 0) + RETRY_MS;
        await new Promise((resolve) => setTimeout(resolve, pause));
        feed.wantsJoin = true;
      } else if (error instanceof Refused && error.code === "too_many_connections" && this.forgetIdle()) {
        this.#link().cycle();
      } else {
        const failure = error instanceof Error ? error : new Error(String(error));
        for (const listener of feed.listeners) listener.fail(failure);
      }
    }
  }
}
