/** One turn as it happens. */
import { TurnError } from "./errors.js";
import type { Final, Told, TurnEvent } from "./events.js";
import type { Following } from "./following.js";
import { Listener } from "./listener.js";
import { Telling } from "./telling.js";
import { codePoints, Transcript } from "./transcript.js";
import type { Accepted, TurnView } from "./wire.js";

/**
 * The events of one turn, in order, each once, up to its `final`: `for await (const event of stream)`.
 *
 * It survives the connection and the server. It begins when it is first asked for something; leaving the loop ends the listening
 * and never the turn. `text` is what the tokens that were given so far come to.
 */
export class TurnStream implements AsyncIterableIterator<TurnEvent> {
  readonly #begin: (stream: TurnStream) => Promise<void>;
  readonly #following: Following;
  readonly #shown = new Transcript();
  #begun: Promise<void> | undefined;
  #listener: Listener<TurnEvent> | undefined;
  #telling: Telling | undefined;
  #final: Final | undefined;
  #isClosed = false;

  /** A stream that begins with `begin`, which calls `watch` or `watchFrom`. */
  constructor(begin: (stream: TurnStream) => Promise<void>, following: Following) {
    this.#begin = begin;
    this.#following = following;
  }

  /** The turn, once it has one. */
  get turnId(): string | undefined {
    return this.#telling?.turnId;
  }

  /** Its session, once it is known. */
  get sessionId(): string | undefined {
    return this.#telling?.sessionId;
  }

  /** What was said so far. */
  get text(): string {
    return this.#shown.text;
  }

  /** Reads to the end. */
  async result(): Promise<Final> {
    for await (const _ of this);
    if (this.#final === undefined) {
      throw new TurnError("the stream was closed before the turn ended", "closed", this.turnId ?? "", this.text);
    }
    return this.#final;
  }

  /** Stops listening. The turn goes on. */
  close(): void {
    this.#isClosed = true;
    if (this.#listener !== undefined && this.#telling !== undefined) {
      this.#following.detach(this.#telling.sessionId, this.#listener);
    }
  }

  /** Listens to a turn from its beginning. */
  watch(accepted: Accepted): void {
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
    // A turn of an earlier sending began before this connection followed its session.
    this.#following.attach(accepted.session_id, listener, { isFresh: !accepted.duplicate });
  }

  /** Listens to a turn that is under way, beginning with what it has come to. */
  watchFrom(view: TurnView): void {
    const listener = this.#listen(view.session_id, view.turn_id, view.last_seq);
    const told = this.#telling?.beginWith(view) ?? [];
    listener.put(told);
    if (told.at(-1)?.type !== "final") this.#following.attach(view.session_id, listener);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<TurnEvent, undefined>> {
    if (this.#final !== undefined || this.#isClosed) return { done: true, value: undefined };
    this.#begun ??= this.#begin(this);
    await this.#begun;
    const event = await this.#listener?.get();
    if (event === undefined) return { done: true, value: undefined };
    if (event.type === "token") this.#shown.take(event.offset, event.text, true);
    if (event.type === "restarted") this.#shown.cut(event.offset);
    if (event.type === "final") {
      this.#final = event;
      this.close();
    }
    return { done: false, value: event };
  }

  return(): Promise<IteratorResult<TurnEvent, undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  #listen(sessionId: string, turnId: string, after: number): Listener<TurnEvent> {
    const telling = new Telling(sessionId, turnId);
    const read = (event: Told) => (event.turn_id === turnId ? telling.tell(event) : []);
    this.#telling = telling;
    this.#listener = new Listener<TurnEvent>({ after, read, merge });
    return this.#listener;
  }
}

/** Words that follow each other are one piece for a consumer that is slow anyway. */
function merge(last: TurnEvent, next: TurnEvent): TurnEvent | undefined {
  const areWords = last.type === "token" || last.type === "thinking";
  if (!areWords || (next.type !== "token" && next.type !== "thinking") || next.type !== last.type) return undefined;
  if (last.offset + codePoints(last.text) !== next.offset) return undefined;
  return { ...last, text: last.text + next.text, seq: next.seq };
}

/** The end of a turn that was answered; any other end is thrown. */
export function answered(final: Final): Final {
  const { status, turnId, message, error, reason } = final;
  if (status === "completed") return final;
  if (status === "cancelled") {
    const why = reason === undefined ? "the turn was cancelled" : `the turn was cancelled: ${reason}`;
    throw new TurnError(why, status, turnId, message, undefined, reason);
  }
  const why = error?.message ?? `the turn is ${status}`;
  throw new TurnError(why, status, turnId, message, error?.code ?? status, reason, error?.recoverable);
}
