/** A turn as an async iterator of its events. */
import { TurnError } from "./errors.js";
import type { Final, FeedEvent, TurnEvent } from "./events.js";
import type { Subscriptions } from "./subscriptions.js";
import { Listener } from "./listener.js";
import type { CallStream } from "./turn-calls.js";
import { TurnReader } from "./turn-reader.js";
import { codePoints, Transcript } from "./transcript.js";
import type { TurnAccepted, TurnView } from "./wire.js";

/** What else happens with a stream. */
export type StreamHooks<P> = {
  /** Called with each event of the turn when it arrives. */
  onEvent?: (event: TurnEvent, stream: CallStream) => void;
  /** Reads the answer of a completed turn as a value. */
  parse?: ((final: Final) => Promise<P>) | undefined;
};

/**
 * The events of one turn, in order, each once, up to its `final`: `for await (const event of
 * stream)`.
 *
 * It survives reconnections and restarts of the server. It starts when it is first read; leaving
 * the loop ends the subscription, not the turn. `text` is the text of the tokens so far.
 */
export class TurnStream<P = unknown> implements AsyncIterableIterator<TurnEvent> {
  readonly #begin: (stream: TurnStream<P>) => Promise<void>;
  readonly #hooks: StreamHooks<P>;
  readonly #subscriptions: Subscriptions;
  readonly #transcript = new Transcript();
  #started: Promise<void> | undefined;
  #listener: Listener<TurnEvent> | undefined;
  #reader: TurnReader | undefined;
  #final: Final<P> | undefined;
  #isClosed = false;

  /** A stream that starts with `begin`, which calls `watch` or `watchFrom`. */
  constructor(begin: (stream: TurnStream<P>) => Promise<void>, following: Subscriptions, hooks: StreamHooks<P> = {}) {
    this.#begin = begin;
    this.#subscriptions = following;
    this.#hooks = hooks;
  }

  /** The turn's id, once it is known. */
  get turnId(): string | undefined {
    return this.#reader?.turnId;
  }

  /** The session's id, once it is known. */
  get sessionId(): string | undefined {
    return this.#reader?.sessionId;
  }

  /** The text so far. */
  get text(): string {
    return this.#transcript.text;
  }

  /** Reads to the end and returns the final event. */
  async result(): Promise<Final<P>> {
    for await (const _ of this);
    if (this.#final === undefined) {
      throw new TurnError("the stream was closed before the turn ended", "closed", this.turnId ?? "", this.text);
    }
    return this.#final;
  }

  /** Unsubscribes. The turn continues. */
  close(): void {
    this.#isClosed = true;
    if (this.#listener !== undefined && this.#reader !== undefined) {
      this.#subscriptions.detach(this.#reader.sessionId, this.#listener);
    }
  }

  /** The stream as its own tools see it. */
  callStream(sessionId: string, turnId: string): CallStream {
    return {
      sessionId,
      turnId,
      put: (event) => this.#listener?.put([event]),
      fail: (error) => this.#listener?.fail(error),
    };
  }

  /** Subscribes to a turn from its start. */
  watch(accepted: TurnAccepted): void {
    const listener = this.#listen(accepted.session_id, accepted.turn_id, accepted.seq - 1);
    listener.put([
      {
        type: "started",
        sessionId: accepted.session_id,
        turnId: accepted.turn_id,
        agentId: accepted.agent_id,
        duplicate: accepted.duplicate,
        position: accepted.position ?? undefined,
        seq: accepted.seq,
      },
    ]);
    // A duplicate's turn started before this connection followed the session.
    this.#subscriptions.attach(accepted.session_id, listener, { isFresh: !accepted.duplicate });
  }

  /** Subscribes to an existing turn, starting with its current state. */
  watchFrom(view: TurnView): void {
    const listener = this.#listen(view.session_id, view.turn_id, view.last_seq);
    const told = this.#reader?.readView(view) ?? [];
    listener.put(told);
    if (told.at(-1)?.type !== "final") this.#subscriptions.attach(view.session_id, listener);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<TurnEvent, undefined>> {
    if (this.#final !== undefined || this.#isClosed) return { done: true, value: undefined };
    this.#started ??= this.#begin(this);
    await this.#started;
    const event = await this.#listener?.get();
    if (event === undefined) return { done: true, value: undefined };
    if (event.type === "token") this.#transcript.take(event.offset, event.text, true);
    if (event.type === "restarted") this.#transcript.cut(event.offset);
    if (event.type === "final") {
      this.close();
      const final = { ...event, parsed: await this.#parse(event) };
      this.#final = final;
      return { done: false, value: final };
    }
    return { done: false, value: event };
  }

  return(): Promise<IteratorResult<TurnEvent, undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** The answer as a value; a turn without an answer has none. */
  async #parse(final: Final): Promise<P | undefined> {
    const { parse } = this.#hooks;
    return parse === undefined || final.status !== "completed" ? undefined : parse(final);
  }

  #listen(sessionId: string, turnId: string, after: number): Listener<TurnEvent> {
    const reader = new TurnReader(sessionId, turnId);
    const read = (event: FeedEvent) => {
      const told = event.turn_id === turnId ? reader.read(event) : [];
      // When it arrives, so that a slow consumer does not delay the calls.
      for (const one of told) this.#hooks.onEvent?.(one, this.callStream(sessionId, turnId));
      return told;
    };
    this.#reader = reader;
    this.#listener = new Listener<TurnEvent>({ after, read, merge });
    return this.#listener;
  }
}

/** Merges consecutive text for a slow consumer. */
function merge(last: TurnEvent, next: TurnEvent): TurnEvent | undefined {
  const areWords = last.type === "token" || last.type === "thinking";
  if (!areWords || (next.type !== "token" && next.type !== "thinking") || next.type !== last.type) return undefined;
  if (last.offset + codePoints(last.text) !== next.offset) return undefined;
  return { ...last, text: last.text + next.text, seq: next.seq };
}

/** Returns the final event of a completed turn; any other outcome is thrown. */
export function requireAnswer<F extends Final>(final: F): F {
  const { status, turnId, message, error, reason } = final;
  if (status === "completed") return final;
  if (status === "cancelled") {
    const why = reason === undefined ? "the turn was cancelled" : `the turn was cancelled: ${reason}`;
    throw new TurnError(why, status, turnId, message, undefined, reason);
  }
  const why = error?.message ?? `the turn is ${status}`;
  throw new TurnError(why, status, turnId, message, error?.code ?? status, reason, error?.recoverable);
}
