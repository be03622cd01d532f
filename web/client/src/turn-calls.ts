/** The calls of one turn whose tools were passed with the message. */
import type { Call, CallOptions, CallRunner } from "./calls.js";
import type { TurnEvent } from "./events.js";
import { byName, type Tool } from "./tool.js";
import type { ToolCall, TurnView } from "./wire.js";

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

  /**
   * Takes over a turn that exists already. Only the calls that still wait are taken, and an earlier
   * process may have run them.
   */
  takeOver(view: TurnView, fail: (error: Error) => void): void {
    this.#after = view.last_seq;
    const keys = new Map<string, string | undefined>();
    for (const step of view.steps) if (step.type === "tool_call") keys.set(step.detail.call_id, step.detail.key);
    for (const { call_id, tool, arguments: args, until } of view.calls_waiting ?? []) {
      const detail = { call_id, tool, arguments: args, client_until: until, key: keys.get(call_id) };
      this.#take(detail, { sessionId: view.session_id, turnId: view.turn_id }, true, fail);
    }
  }

  /** Looks at an event of the turn: a call is run, and the end of the turn aborts what still runs. */
  see(event: TurnEvent, turn: { sessionId: string; turnId: string }, fail: (error: Error) => void): void {
    if (event.type === "final") this.#runner.cancel(turn.turnId, undefined, `the turn is ${event.status}`);
    if (event.type !== "step" || event.step.type !== "tool_call") return;
    if (event.seq !== undefined && event.seq <= this.#after) return;
    this.#take(event.step.detail, turn, false, fail);
  }

  #take(
    detail: ToolCall,
    turn: { sessionId: string; turnId: string },
    redelivered: boolean,
    fail: (error: Error) => void,
  ): void {
    const tool = this.#tools.get(detail.tool);
    // Without a deadline for the client the server runs the call; without a tool here another
    // client does.
    if (tool === undefined || (detail.client_until ?? undefined) === undefined) return;
    const call: Call = {
      ...turn,
      callId: detail.call_id,
      tool: detail.tool,
      arguments: detail.arguments,
      until: detail.client_until ?? undefined,
      key: detail.key ?? `${turn.turnId}-${detail.call_id}`,
      redelivered,
    };
    this.#runner.take(call, tool, this.#options).catch((error: unknown) => {
      fail(error instanceof Error ? error : new Error(String(error)));
    });
  }
}
