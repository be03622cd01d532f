/**
 * One followed session: its listeners, and recent events for listeners that attach slightly later.
 */
import type { FeedEvent } from "./events.js";
import type { Listener } from "./listener.js";

/** The number of recent events to keep. */
export const RECENT = 256;

/**
 * A session on the current connection. Its floor is the number after which all events are either
 * among the recent ones or still to come; undefined while that is unknown.
 */
export class Feed {
  isJoined = false;
  isJoining = false;
  wantsJoin = false;
  /** The monitors to which events are limited; undefined means all. */
  monitors: readonly string[] | undefined;
  readonly listeners = new Set<Listener<unknown>>();
  #floor: number | undefined;
  #nextFloor: number | undefined;
  #recent: FeedEvent[] = [];

  constructor(readonly sessionId: string) {}

  /** The lowest cursor of the waiting listeners; undefined if none waits. */
  resumePoint(): number | undefined {
    const waiting = [...this.listeners].filter((listener) => !listener.isBehind);
    return waiting.length === 0 ? undefined : Math.min(...waiting.map((listener) => listener.cursor));
  }

  /** Events after this number were requested. */
  expectAfter(seq: number): void {
    this.#nextFloor = seq;
  }

  /** The connection now follows the session. */
  begin(): void {
    this.isJoined = true;
    this.#recent = [];
    this.#floor = this.#nextFloor;
    this.#nextFloor = undefined;
  }

  /** Sets the start of a subscription by name, unless an event has set it already. */
  setRequestedAfter(seq: number): void {
    if (this.isJoined) this.#floor ??= seq;
  }

  /** The connection was lost. */
  lose(): void {
    this.isJoined = false;
    this.#recent = [];
    this.#floor = undefined;
    this.#nextFloor = undefined;
  }

  /** Passes an event to the listeners; returns whether one of them has a gap before it. */
  take(event: FeedEvent): boolean {
    if (event.seq !== undefined) this.#floor ??= event.seq - 1;
    // A snapshot is valid only when it arrives: later listeners need a newer one.
    if (event.type !== "desktop.snapshot") this.#keepRecent(event);
    const isWhole = this.monitors === undefined;
    const offers = [...this.listeners].map((listener) => listener.offer(event, isWhole));
    return offers.includes("gap");
  }

  /**
   * Gives a listener the recent events it lacks; returns false if they do not reach back far
   * enough. `isFresh`: all events it wants came after the connection started to follow the session.
   */
  serve(listener: Listener<unknown>, isFresh: boolean): boolean {
    if (!this.isJoined) return false;
    if (this.#floor === undefined ? !isFresh : this.#floor > listener.cursor) return false;
    for (const event of this.#recent) listener.offer(event, this.monitors === undefined);
    return true;
  }

  #keepRecent(event: FeedEvent): void {
    this.#recent.push(event);
    while (this.#recent.length > RECENT) {
      const oldest = this.#recent.shift();
      if (oldest?.seq !== undefined) this.#floor = oldest.seq;
    }
  }
}
