/** The sessions that are followed, across connections: joins, joins again, and hands events to listeners. */
import { ConnectionLost, Refused } from "./errors.js";
import type { Told } from "./events.js";
import { Feed } from "./feed.js";
import type { Link } from "./link.js";
import type { Listener } from "./listener.js";

/** Refusals that pass by themselves. */
const PASSING = new Set(["rate_limited", "unavailable", "internal"]);
/** Until a following that was refused is tried again. */
const RETRY_MS = 500;

/** Every session that somebody listens to. After a reconnection each goes on after the last number it has. */
export class Following {
  readonly #feeds = new Map<string, Feed>();
  readonly #link: () => Link;
  #end: Error | undefined;

  constructor(link: () => Link) {
    this.#link = link;
  }

  /**
   * Lets a listener have every event after its cursor. `isFresh`: all of them came after the connection began to follow the
   * session; `anew`: the server is asked in any case, so that it tells the desktop.
   */
  attach<T>(sessionId: string, listener: Listener<T>, how: { isFresh?: boolean; anew?: boolean } = {}): void {
    const feed = this.#feed(sessionId);
    const anyListener = listener as Listener<unknown>;
    feed.listeners.add(anyListener);
    // Whoever comes after the end would wait for ever.
    if (this.#end !== undefined) listener.fail(this.#end);
    listener.catchUp = () => this.#serve(feed, anyListener, false);
    if (how.anew) this.#want(feed);
    else this.#serve(feed, anyListener, how.isFresh ?? false);
  }

  /** A listener has enough. */
  detach<T>(sessionId: string, listener: Listener<T>): void {
    listener.close();
    this.#feeds.get(sessionId)?.listeners.delete(listener as Listener<unknown>);
  }

  /** A session was followed by its name from a number on. */
  wasAskedAfter(sessionId: string, seq: number): void {
    this.#feed(sessionId).wasAskedAfter(seq);
  }

  /** Looks only at these monitors of a session from now on; undefined looks at everything. */
  watch(sessionId: string, monitors: readonly string[] | undefined): void {
    const feed = this.#feed(sessionId);
    feed.monitors = monitors;
    this.#want(feed);
  }

  /** Forgets sessions that nobody listens to; says whether there were any. */
  forgetIdle(): boolean {
    const idle = [...this.#feeds.values()].filter((feed) => feed.listeners.size === 0);
    for (const feed of idle) this.#feeds.delete(feed.sessionId);
    return idle.length > 0;
  }

  /** There is a connection: everything goes on where it was. */
  up(): void {
    this.forgetIdle();
    this.#wantAll();
  }

  /** The connection is gone. */
  down(): void {
    for (const feed of this.#feeds.values()) feed.lose();
  }

  /** Nothing more will come. */
  end(error: Error): void {
    this.#end = error;
    for (const feed of this.#feeds.values()) {
      for (const listener of feed.listeners) listener.fail(error);
    }
  }

  /** Takes what is no answer. */
  take(message: Record<string, unknown>): void {
    const { type, session_id: sessionId } = message;
    if (type === "error") {
      // Only a following that broke off has an error without a request; which one is not said.
      setTimeout(() => this.#wantAll(), RETRY_MS);
      return;
    }
    // What memory holds is the answer to a request as well.
    if (typeof sessionId !== "string" || typeof type !== "string" || type === "memory.snapshot") return;
    if (type === "session_info") {
      this.#feed(sessionId).begin();
      return;
    }
    const feed = this.#feeds.get(sessionId);
    if (type === "session.deleted") {
      this.#feeds.delete(sessionId);
      const hint = "It cannot be brought back. Start a new session.";
      const gone = new Refused({ code: "not_found", message: "the session was deleted", hint });
      for (const listener of feed?.listeners ?? []) listener.fail(gone);
      return;
    }
    if (feed?.take(message as unknown as Told) && !feed.isJoining) this.#want(feed);
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

  /** Follows a session after the least number that somebody has, until nobody lacks anything. */
  async #join(feed: Feed): Promise<void> {
    while (feed.wantsJoin && this.#link().isUp) {
      feed.wantsJoin = false;
      const after = feed.resumePoint();
      if (after !== undefined) await this.#ask(feed, after);
    }
    feed.isJoining = false;
  }

  async #ask(feed: Feed, after: number): Promise<void> {
    feed.willBeginAfter(after);
    const monitors = feed.monitors === undefined ? {} : { monitors: feed.monitors };
    try {
      await this.#link().request("session.resume", { session_id: feed.sessionId, after, ...monitors }, false);
    } catch (error) {
      if (error instanceof ConnectionLost) {
        // The next connection may be there already.
        feed.wantsJoin = true;
      } else if (error instanceof Refused && PASSING.has(error.code)) {
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
