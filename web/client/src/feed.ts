/** One followed session: its listeners, and the last things that were told, for listeners that come a moment later. */
import type { Told } from "./events.js";
import type { Listener } from "./listener.js";

/** Messages kept for listeners that come a moment later. */
export const RECENT = 256;

/**
 * A session on the current connection. Its floor is the number after which everything is among the recent messages or still to
 * come; undefined while that is not known.
 */
export class Feed {
  isJoined = false;
  isJoining = false;
  wantsJoin = false;
  /** Only what happens on these monitors, and what concerns all; none means everything. */
  monitors: readonly string[] | undefined;
  readonly listeners = new Set<Listener<unknown>>();
  #floor: number | undefined;
  #nextFloor: number | undefined;
  #recent: Told[] = [];

  constructor(readonly sessionId: string) {}

  /** The number after which all that is wanted lies; undefined if nobody waits for anything. */
  resumePoint(): number | undefined {
    const waiting = [...this.listeners].filter((listener) => !listener.isBehind);
    return waiting.length === 0 ? undefined : Math.min(...waiting.map((listener) => listener.cursor));
  }

  /** The server was asked for everything after a number. */
  willBeginAfter(seq: number): void {
    this.#nextFloor = seq;
  }

  /** The connection follows the session from now on. */
  begin(): void {
    this.isJoined = true;
    this.#recent = [];
    this.#floor = this.#nextFloor;
    this.#nextFloor = undefined;
  }

  /** Says after which number a following by name began, unless an event has told it already. */
  wasAskedAfter(seq: number): void {
    if (this.isJoined) this.#floor ??= seq;
  }

  /** The connection is gone. */
  lose(): void {
    this.isJoined = false;
    this.#recent = [];
    this.#floor = undefined;
    this.#nextFloor = undefined;
  }

  /** Passes an event on; says whether somebody lacks what came before it. */
  take(event: Told): boolean {
    if (event.seq !== undefined) this.#floor ??= event.seq - 1;
    // A desktop is whole only at its moment: whoever comes later needs a newer one.
    if (event.type !== "desktop.snapshot") this.#remember(event);
    const isWhole = this.monitors === undefined;
    const offers = [...this.listeners].map((listener) => listener.offer(event, isWhole));
    return offers.includes("gap");
  }

  /**
   * Gives a listener what it wants of the recent past; false if that does not reach back far enough. `isFresh`: what it wants
   * came after the connection began to follow the session.
   */
  serve(listener: Listener<unknown>, isFresh: boolean): boolean {
    if (!this.isJoined) return false;
    if (this.#floor === undefined ? !isFresh : this.#floor > listener.cursor) return false;
    for (const event of this.#recent) listener.offer(event, this.monitors === undefined);
    return true;
  }

  #remember(event: Told): void {
    this.#recent.push(event);
    while (this.#recent.length > RECENT) {
      const oldest = this.#recent.shift();
      if (oldest?.seq !== undefined) this.#floor = oldest.seq;
    }
  }
}
