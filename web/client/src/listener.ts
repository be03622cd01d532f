/** What stands between the one reader and a consumer: a bounded buffer that the reader never waits for. */
import type { Told } from "./events.js";

/** Things that wait for one consumer at most. */
export const ROOM = 1024;

/** What became of an event that was offered; with `gap` events before it are missing, with `full` there is no room. */
export type Offer = "taken" | "known" | "gap" | "full";

/** What a listener is made of. */
export type ListenerOptions<T> = {
  /** It wants every event after this number. */
  after: number;
  /** What an event means to the consumer. */
  read: (event: Told) => T[];
  /** Makes one thing of two that follow each other, for a consumer that is slow anyway. */
  merge?: (last: T, next: T) => T | undefined;
  room?: number;
};

/**
 * Takes a session's events in order, each number once, and keeps what they mean until it is asked for.
 *
 * When the buffer is full the listener falls behind: it takes nothing more, and once its consumer has emptied the buffer it asks
 * for what came after its last number. The journal has it, so a slow consumer costs neither memory nor events.
 */
export class Listener<T> {
  cursor: number;
  isBehind = false;
  /** Asks for what came after the cursor. */
  catchUp: () => void = () => {};
  readonly #read: (event: Told) => T[];
  readonly #merge: ((last: T, next: T) => T | undefined) | undefined;
  readonly #room: number;
  #buffer: T[] = [];
  #failure: Error | undefined;
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor(options: ListenerOptions<T>) {
    this.cursor = options.after;
    this.#read = options.read;
    this.#merge = options.merge;
    this.#room = options.room ?? ROOM;
  }

  /** Takes an event, unless it is known, out of order, or there is no room. `isWhole`: every number is told. */
  offer(event: Told, isWhole: boolean): Offer {
    if (this.isBehind) return "full";
    if (event.seq !== undefined) {
      if (event.seq <= this.cursor) return "known";
      if (isWhole && event.seq !== this.cursor + 1) return "gap";
    }
    if (this.#buffer.length >= this.#room) {
      // Live text comes again with a number; what has a number comes from the journal.
      this.isBehind = event.seq !== undefined;
      return "full";
    }
    if (event.seq !== undefined) this.cursor = event.seq;
    this.put(this.#read(event));
    return "taken";
  }

  /** Keeps things for the consumer. */
  put(things: T[]): void {
    for (const thing of things) this.#keep(thing);
    if (things.length > 0) this.#awake();
  }

  /** Nothing more will come; what is in the buffer is still given. */
  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#awake();
  }

  /** The consumer has enough. */
  close(): void {
    this.#isClosed = true;
    this.#buffer = [];
    this.#awake();
  }

  /** The next thing; undefined once it is closed. Throws the failure that ended it. */
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
    if (this.#merge !== undefined && last !== undefined && this.#buffer.length * 2 >= this.#room) {
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
