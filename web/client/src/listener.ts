/** A bounded buffer between the connection and one consumer; the connection never waits for it. */
import type { FeedEvent } from "./events.js";

/** The default size of the buffer. */
export const CAPACITY = 1024;

/**
 * The result of offering an event: `gap` means earlier events are missing, `full` that the buffer
 * is full.
 */
export type Offer = "taken" | "known" | "gap" | "full";

/** Options of a listener. */
export type ListenerOptions<T> = {
  /** Start after this event number. */
  after: number;
  /** Converts an event into items for the consumer. */
  read: (event: FeedEvent) => T[];
  /** Merges two consecutive items, for a slow consumer. */
  merge?: (last: T, next: T) => T | undefined;
  capacity?: number;
};

/**
 * Takes a session's events in order, each number once, and buffers the resulting items.
 *
 * When the buffer is full the listener falls behind: it takes no more events, and once the consumer
 * has emptied the buffer it requests the events after its last number. The journal has them, so a
 * slow consumer loses no events and memory stays bounded.
 */
export class Listener<T> {
  cursor: number;
  isBehind = false;
  /** Requests the events after the cursor. */
  catchUp: () => void = () => {};
  readonly #read: (event: FeedEvent) => T[];
  readonly #merge: ((last: T, next: T) => T | undefined) | undefined;
  readonly #capacity: number;
  #buffer: T[] = [];
  #failure: Error | undefined;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(options: ListenerOptions<T>) {
    this.cursor = options.after;
    this.#read = options.read;
    this.#merge = options.merge;
    this.#capacity = options.capacity ?? CAPACITY;
  }

  /**
   * Takes an event unless it is known, out of order, or the buffer is full. `isWhole`: no number is
   * skipped.
   */
  offer(event: FeedEvent, isWhole: boolean): Offer {
    if (this.isBehind) return "full";
    if (event.seq !== undefined) {
      if (event.seq <= this.cursor) return "known";
      if (isWhole && event.seq !== this.cursor + 1) return "gap";
    }
    if (this.#buffer.length >= this.#capacity) {
      // Live text comes again with a number; numbered events come from the journal.
      this.isBehind = event.seq !== undefined;
      return "full";
    }
    if (event.seq !== undefined) this.cursor = event.seq;
    this.put(this.#read(event));
    return "taken";
  }

  /** Adds items to the buffer. */
  put(things: T[]): void {
    for (const thing of things) this.#keep(thing);
    if (things.length > 0) this.#awake();
  }

  /** Ends the listener with an error; buffered items are still delivered. */
  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#awake();
  }

  /** Closes the listener and empties the buffer. */
  close(): void {
    this.#isClosed = true;
    this.#buffer = [];
    this.#awake();
  }

  /** The next item; undefined once closed. Throws the error that ended it. */
  async get(): Promise<T | undefined> {
    for (;;) {
      const next = this.#buffer.shift();
      if (next !== undefined || this.#isClosed) return next;
      if (this.#failure !== undefined) throw this.#failure;
      if (this.isBehind) {
        this.isBehind = false;
        this.catchUp();
        if (this.#buffer.length > 0) continue;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #keep(thing: T): void {
    const last = this.#buffer.at(-1);
    if (this.#merge !== undefined && last !== undefined && this.#buffer.length * 2 >= this.#capacity) {
      const merged = this.#merge(last, thing);
      if (merged !== undefined) {
        this.#buffer[this.#buffer.length - 1] = merged;
        return;
      }
    }
    this.#buffer.push(thing);
  }

  #awake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
