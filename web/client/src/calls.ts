/** Runs calls of this program's tools: each once, and each answered until the server has it. */
import { DwellError, Refused } from "./errors.js";
import { type CallResult, failure, type Tool, type ToolContext } from "./tool.js";

/** A call as it reaches this program. */
export type Call = {
  sessionId: string;
  turnId: string;
  agentId?: string | undefined;
  callId: string;
  tool: string;
  arguments: unknown;
  until?: string | undefined;
  key: string;
  redelivered: boolean;
};

/**
 * Results of earlier processes by the key of their call, so that a worker that was restarted
 * answers with them. A `Map` fits; one that outlives the process is a table or a file.
 */
export type CallRecords = {
  get(key: string): CallResult | undefined | Promise<CallResult | undefined>;
  set(key: string, result: CallResult): unknown;
};

/** What the runner needs of the connection. */
export type CallPort = {
  answer(turnId: string, result: CallResult & { call_id: string }): Promise<unknown>;
  progress(data: { turn_id: string; call_id: string; message: string; progress?: number | undefined }): void;
};

/** How calls are run. */
export type CallOptions = {
  records?: CallRecords | undefined;
  /** Waits until the call may run; returns what to do when it has ended. */
  enter?: (() => Promise<() => void>) | undefined;
  /** Shows progress of a call, if not by the server. */
  onProgress?: ((call: Call, message: string, fraction: number | undefined) => void) | undefined;
  /** Told of a result that could not be recorded. */
  onError?: ((error: unknown, call: Call) => void) | undefined;
};

type Entry = { abort: AbortController; turnId: string; result?: CallResult; isSending: boolean };

/** The number of answered calls to remember, in case they are delivered again. */
const ANSWERED_MAX = 1024;
/** How often an answer is sent when the server is busy. */
const TRIES_MAX = 100;
const RETRY_MS = 500;
const TRANSIENT = new Set(["rate_limited", "unavailable", "internal", "busy"]);
/** The result is no longer wanted. */
const OVER = new Set(["already_final", "not_found", "session_ended", "session_expired"]);

const MAY_HAVE_RUN =
  "It is not known whether this call has run: the program that runs the tool was restarted meanwhile. " +
  "Find out what happened before you call it again.";

/** All calls of one client, those of its turns and those it serves. */
export class CallRunner {
  readonly #port: CallPort;
  readonly #entries = new Map<string, Entry>();

  constructor(port: CallPort) {
    this.#port = port;
  }

  /**
   * Runs a call and sends its result. A call that runs already is left alone; one that was answered
   * is answered again. Resolves when the server has the result or no longer wants it.
   */
  async take(call: Call, tool: Tool | undefined, options: CallOptions = {}): Promise<void> {
    const id = `${call.turnId}/${call.callId}`;
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      entry = { abort: new AbortController(), turnId: call.turnId, isSending: false };
      this.#entries.set(id, entry);
      entry.result = await this.#settle(call, tool, entry.abort.signal, options);
      // If it is wanted after all, it comes again as a call that may have run.
      if (entry.abort.signal.aborted) this.#entries.delete(id);
      this.#trim();
    }
    if (entry.result !== undefined) await this.#send(call, entry, entry.result);
  }

  /** Aborts a call, or all calls of a turn. Their results are not sent. */
  cancel(turnId: string, callId: string | undefined, reason: string): void {
    for (const [id, entry] of this.#entries) {
      const isMeant = callId === undefined ? entry.turnId === turnId : id === `${turnId}/${callId}`;
      if (isMeant) entry.abort.abort(new DwellError(`the call was cancelled: ${reason}`));
    }
  }

  async #settle(call: Call, tool: Tool | undefined, signal: AbortSignal, options: CallOptions): Promise<CallResult> {
    if (tool === undefined) return failure(`This program has no tool ${call.tool}.`);
    if (call.redelivered) {
      const known = await this.#recorded(call, options);
      if (known !== undefined) return known;
      if (tool.effect !== "idempotent") return failure(MAY_HAVE_RUN);
    }
    const leave = await options.enter?.();
    try {
      if (signal.aborted) return failure("The call was cancelled before it started.");
      const result = await tool.run(call.arguments, this.#context(call, signal, options));
      await this.#record(call, result, options);
      return result;
    } finally {
      leave?.();
    }
  }

  /** A record that cannot be read is like none. */
  async #recorded(call: Call, { records, onError }: CallOptions): Promise<CallResult | undefined> {
    try {
      return await records?.get(call.key);
    } catch (error) {
      onError?.(error, call);
      return undefined;
    }
  }

  async #record(call: Call, result: CallResult, { records, onError }: CallOptions): Promise<void> {
    try {
      await records?.set(call.key, result);
    } catch (error) {
      // The result is sent all the same: the model waits for it.
      onError?.(error, call);
    }
  }

  #context(call: Call, signal: AbortSignal, { onProgress }: CallOptions): ToolContext {
    const { sessionId, turnId, agentId, callId, key, until, redelivered } = call;
    const progress = (message: string, fraction?: number) => {
      if (onProgress !== undefined) onProgress(call, message, fraction);
      else this.#port.progress({ turn_id: turnId, call_id: callId, message, progress: fraction });
    };
    return { sessionId, turnId, agentId, callId, key, until, redelivered, signal, progress };
  }

  async #send(call: Call, entry: Entry, first: CallResult): Promise<void> {
    // A request that has no answer yet is repeated by the connection.
    if (entry.isSending || entry.abort.signal.aborted) return;
    entry.isSending = true;
    try {
      let result = first;
      for (let tries = 1; ; tries += 1) {
        const refusal = await this.#answer(call, result);
        if (refusal === undefined || OVER.has(refusal.code)) return;
        if (TRANSIENT.has(refusal.code) && tries < TRIES_MAX) {
          await new Promise((resolve) => setTimeout(resolve, (refusal.retryAfterMs ?? 0) + RETRY_MS));
        } else if (result === first) {
          // For example too large: without any result the turn would wait until it expires.
          result = failure(`The call has ended, but its result was refused: ${refusal.message}`);
        } else throw refusal;
      }
    } finally {
      entry.isSending = false;
    }
  }

  async #answer(call: Call, result: CallResult): Promise<Refused | undefined> {
    try {
      await this.#port.answer(call.turnId, { call_id: call.callId, ...result });
      return undefined;
    } catch (error) {
      if (error instanceof Refused) return error;
      throw error;
    }
  }

  #trim(): void {
    let answered = [...this.#entries.values()].filter((entry) => entry.result !== undefined).length;
    for (const [id, entry] of this.#entries) {
      if (answered <= ANSWERED_MAX) return;
      if (entry.result === undefined || entry.isSending) continue;
      this.#entries.delete(id);
      answered -= 1;
    }
  }
}
