/** The calls of one turn whose tools were passed with the message. */
import type { Call, CallOptions, CallRunner } from "./calls.js";
import type { TurnEvent } from "./events.js";
import { byName, type Tool } from "./tool.js";
import type { ToolCall, TurnView } from "./wire.js";

/** The stream of the turn. */
export type CallStream = {
  readonly sessionId: string;
  readonly turnId: string;
  /** Adds an event of this program. */
  put(event: TurnEvent): void;
  /** Ends the stream with an error. */
  fail(error: Error): void;
};

/** A call, or one that waits. `served`: a tool worker runs it. */
type CallDetail = ToolCall & { served?: boolean | undefined };

/** Answers the calls of a turn as they come, until the turn ends. */
export class TurnCalls {
  readonly #runner: CallRunner;
  readonly #tools: Map<string, Tool>;
  readonly #options: CallOptions;
  /** Calls up to this event number are in the view that the stream started from. */
  #after = 0;

  constructor(runner: CallRunner, tools: readonly Tool[], options: CallOptions) {
    this.#runner = runner;
    this.#tools = byName(tools);
    this.#options = options;
  }

  /** Leaves out the calls of a turn that are in this view of it already. */
  skip(view: TurnView): void {
    this.#after = view.last_seq;
  }

  /**
   * Takes over a turn that exists already. Only the calls that still wait are taken, and an earlier
   * process may have run them.
   */
  takeOver(view: TurnView, stream: CallStream): void {
    this.skip(view);
    const keys = new Map<string, string | undefined>();
    for (const step of view.steps) if (step.type === "tool_call") keys.set(step.detail.call_id, step.detail.key);
    for (const { until, ...call } of view.calls_waiting ?? []) {
      this.#take({ ...call, client_until: until, key: keys.get(call.call_id) }, stream, true);
    }
  }

  /** Looks at an event of the turn: a call is run, and the end of the turn aborts what still runs. */
  see(event: TurnEvent, stream: CallStream): void {
    if (event.type === "final") this.#runner.cancel(stream.turnId, undefined, `the turn is ${event.status}`);
    if (event.type !== "step" || event.step.type !== "tool_call") return;
    if (event.seq !== undefined && event.seq <= this.#after) return;
    this.#take(event.step.detail, stream, false);
  }

  #take(detail: CallDetail, stream: CallStream, redelivered: boolean): void {
    const tool = this.#tools.get(detail.tool);
    // Without a deadline the server runs the call itself. One of a worker's tool is the worker's,
    // one of another tool is another client's.
    if (tool === undefined || detail.served === true || (detail.client_until ?? undefined) === undefined) return;
    const { sessionId, turnId } = stream;
    const call: Call = {
      sessionId,
      turnId,
      callId: detail.call_id,
      tool: detail.tool,
      arguments: detail.arguments,
      until: detail.client_until ?? undefined,
      key: detail.key ?? `${turnId}-${detail.call_id}`,
      redelivered,
    };
    // The server shows progress of workers only.
    const onProgress: CallOptions["onProgress"] = ({ callId, tool }, message, progress) =>
      stream.put({ type: "progress", progress: { call_id: callId, tool, status: "running", message, progress } });
    this.#runner.take(call, tool, { ...this.#options, onProgress }).catch((error: unknown) => {
      stream.fail(error instanceof Error ? error : new Error(String(error)));
    });
  }
}
