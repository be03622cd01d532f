/** Converts a session's events into the events of one turn. */
import { type Final, isFinal, type FeedEvent, type TurnEvent } from "./events.js";
import { Transcript } from "./transcript.js";
import type { Response, StatusChanged, TextDelta, TurnError as TurnFailure, TurnView } from "./wire.js";

/** Reads the events of one turn in order, yields each change once, and keeps the text so far. */
export class TurnReader {
  readonly #text = new Transcript();
  readonly #thinking = new Transcript();
  #response: Response | undefined;

  constructor(
    readonly sessionId: string,
    readonly turnId: string,
  ) {}

  /** The events that lead to the current state of a turn. */
  readView(view: TurnView): TurnEvent[] {
    const told: TurnEvent[] = view.steps.map((step) => ({ type: "step", step }));
    if (view.text !== "") told.push({ type: "token", offset: 0, text: this.#text.take(0, view.text, false) });
    if (view.status === "waiting" || view.status === "interrupted") {
      told.push({
        type: "status",
        status: view.status,
        reason: view.reason ?? undefined,
        question: view.question ?? undefined,
      });
    }
    this.#response = view.response ?? undefined;
    if (isFinal(view.status)) {
      told.push(this.#final(view.status, view.reason ?? undefined, view.error ?? undefined, view.last_seq));
    }
    return told;
  }

  /** Converts an event of the turn; returns nothing if it is known already. */
  read(event: FeedEvent): TurnEvent[] {
    const { seq } = event;
    switch (event.type) {
      case "chat.token":
        return this.#words(this.#text, "token", event.data, seq);
      case "agent.thinking":
        return this.#words(this.#thinking, "thinking", event.data, seq);
      case "chat.final":
        this.#response = event.data;
        return [];
      case "turn.status":
        return this.#status(event.data, seq);
      case "turn.stage":
        return [{ type: "stage", stage: event.data.stage, detail: event.data.detail, seq }];
      case "step":
        return [{ type: "step", step: event.data, seq }];
      case "tool.progress":
        return [{ type: "progress", progress: event.data, seq }];
      case "research.started":
        return [{ type: "research_started", research: event.data, seq }];
      case "research.chunk":
        return [{ type: "research_chunk", research: event.data, seq }];
      case "research.done":
        return [{ type: "research_done", research: event.data, seq }];
      case "approval.request":
        return [{ type: "approval", approval: event.data, seq }];
      case "approval.resolved":
        return [{ type: "approval_resolved", approval: event.data, seq }];
      case "clarification_needed":
        return [{ type: "clarification", clarification: event.data, seq }];
      default:
        return [{ type: "other", event, seq }];
    }
  }

  #words(transcript: Transcript, type: "token" | "thinking", range: TextDelta, seq: number | undefined): TurnEvent[] {
    const before = Math.max(transcript.end, range.offset);
    const text = transcript.take(range.offset, range.delta, seq !== undefined);
    return text === "" ? [] : [{ type, offset: before, text, seq }];
  }

  #status(data: StatusChanged, seq: number | undefined): TurnEvent[] {
    const reason = data.reason ?? undefined;
    if (isFinal(data.status)) return [this.#final(data.status, reason, data.error ?? undefined, seq)];
    const told: TurnEvent[] = [
      {
        type: "status",
        status: data.status,
        reason,
        attempt: data.attempt ?? undefined,
        question: data.question ?? undefined,
        seq,
      },
    ];
    if (data.status === "resumed") {
      // Reasoning in the journal is kept; only live reasoning that was never stored is void.
      this.#thinking.cut(this.#thinking.settled);
      const offset = data.text_offset ?? 0;
      if (this.#text.cut(offset)) told.push({ type: "restarted", offset, seq });
    }
    return told;
  }

  #final(
    status: Final["status"],
    reason: string | undefined,
    error: TurnFailure | undefined,
    seq: number | undefined,
  ): TurnEvent {
    const { sessionId, turnId } = this;
    const message = this.#response?.message ?? this.#text.text;
    return { type: "final", sessionId, turnId, status, message, reason, error, response: this.#response, seq };
  }
}
