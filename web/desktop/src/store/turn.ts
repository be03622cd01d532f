/** One turn, built from a view or from events, each applied once. */
import { codePoints, type Progress, type FeedEvent, Transcript, type wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { beforeNextFrame } from "./frame.ts";
import { isResearch, type ResearchEvent, researchRuns, type ResearchRun } from "./research.ts";

/** The request that started a turn. */
export type TurnRequest = Pick<wire.Request, "message" | "images" | "window" | "calls" | "model">;

/** A turn's state, without its text, which changes many times a second. */
export type TurnState = {
  status: wire.TurnStatus;
  agentId: string;
  asked: TurnRequest;
  createdAt: string;
  updatedAt: string;
  stage?: wire.Stage | undefined;
  /** Its position in the queue while it waits: 1 is next. */
  position?: number | undefined;
  /** Messages added to it while it ran. */
  steers: readonly { message: string; at: string }[];
  steps: readonly wire.Step[];
  /** The latest progress of each running call. */
  progress: Readonly<Record<string, Progress>>;
  /** The memories given to the model; of earlier turns they are loaded on demand. */
  memory?: wire.MemoryUsed | undefined;
  written: readonly wire.MemoryWritten[];
  /** Its research runs; of earlier turns they are loaded on demand. */
  research: readonly ResearchRun[];
  clarification?: wire.Clarification | undefined;
  /** Open approval requests. */
  approvals: readonly wire.ApprovalRequest[];
  settled: readonly wire.ApprovalResolved[];
  response?: wire.Response | undefined;
  error?: wire.TurnError | undefined;
  reason?: string | undefined;
  question?: wire.OutcomeQuestion | undefined;
  attempts: number;
  retryOf?: string | undefined;
  stats?: wire.TurnStats | undefined;
};

const FINAL = new Set<wire.TurnStatus>(["completed", "failed", "cancelled", "expired"]);

/** Whether the turn has ended for good. */
export function isFinal(status: wire.TurnStatus): boolean {
  return FINAL.has(status);
}

/** What the server puts in the place of deleted text. */
export const DELETED_TEXT = "[forgotten]";

/** Whether the message of a turn was deleted, with its answer. */
export function isDeleted({ asked, response }: Pick<TurnState, "asked" | "response">): boolean {
  return asked.message === DELETED_TEXT && (response === undefined || response.message === DELETED_TEXT);
}

/** Whether the turn is running or queued. */
export function isMoving(status: wire.TurnStatus): boolean {
  return status === "pending" || status === "running" || status === "streaming";
}

/** A turn. `text` and `thinking` are updated at most once a frame; `state` has everything else. */
export class Turn {
  readonly text = signal("");
  readonly thinking = signal("");
  readonly state;
  readonly #words = new Transcript();
  #thoughts = new Transcript();
  #lastSeq = 0;
  /** By number, since loaded and live events may overlap. */
  readonly #research = new Map<number, ResearchEvent>();
  readonly #show = () => {
    this.text.value = this.#words.text;
    this.thinking.value = this.#thoughts.text;
  };

  private constructor(
    readonly id: string,
    state: TurnState,
  ) {
    this.state = signal(state);
  }

  /** A turn from its view. Only live events after `view.last_seq` are new. */
  static of(view: wire.TurnView): Turn {
    const { steps } = view;
    const turn = new Turn(view.turn_id, {
      status: view.status,
      agentId: view.agent_id,
      asked: view.request,
      createdAt: view.created_at,
      updatedAt: view.updated_at,
      steers: [],
      steps,
      progress: {},
      written: [],
      research: [],
      approvals: [],
      settled: [],
      response: view.response ?? undefined,
      error: view.error ?? undefined,
      reason: view.reason ?? undefined,
      question: view.question ?? undefined,
      attempts: view.attempts,
      retryOf: view.retry_of ?? undefined,
      stats: view.stats,
    });
    turn.#lastSeq = view.last_seq;
    turn.#words.take(0, view.response?.message ?? view.text, true);
    turn.#show();
    return turn;
  }

  /** A new turn, from the event that accepted its message. */
  static fromAccepted(event: Extract<wire.SessionEvent, { type: "message.accepted" }>): Turn {
    const { data } = event;
    const turn = new Turn(data.turn_id, {
      status: "pending",
      agentId: data.agent_id,
      asked: data,
      createdAt: event.at,
      updatedAt: event.at,
      steers: [],
      steps: [],
      progress: {},
      written: [],
      research: [],
      approvals: [],
      settled: [],
      attempts: 1,
      retryOf: data.retry_of ?? undefined,
    });
    turn.#lastSeq = event.seq;
    return turn;
  }

  /** Applies an event of this turn; known ones change nothing. */
  take(event: FeedEvent): void {
    if (event.seq !== undefined) {
      if (event.seq <= this.#lastSeq) return;
      this.#lastSeq = event.seq;
    }
    switch (event.type) {
      case "chat.token":
        if (isFinal(this.state.value.status)) return;
        this.#take(this.#words, event.data, event.seq !== undefined);
        this.#patch({ status: "streaming", position: undefined }, event.at);
        return;
      case "agent.thinking":
        this.#take(this.#thoughts, event.data, event.seq !== undefined);
        this.#moving(event.at);
        return;
      case "desktop.snapshot":
        return;
      default:
        this.#patch(this.#change(event), event.at);
    }
  }

  /**
   * Merges what only journal events have: memories used, reasoning, approvals. They may be slightly
   * older than live events; lists only grow, so the longer one wins.
   */
  mergeEvents(events: readonly wire.SessionEvent[]): void {
    const state = this.state.value;
    let { memory, stage, clarification } = state;
    const steers: TurnState["steers"][number][] = [];
    const written: wire.MemoryWritten[] = [];
    const asked: wire.ApprovalRequest[] = [];
    const settled: wire.ApprovalResolved[] = [];
    const thoughts = new Transcript();
    for (const event of events) {
      if (event.type === "memory.used") memory ??= event.data;
      else if (event.type === "turn.stage") stage = event.data.stage;
      else if (event.type === "clarification_needed") clarification = event.data;
      else if (event.type === "memory.written") written.push(event.data);
      else if (event.type === "approval.request") asked.push(event.data);
      else if (event.type === "approval.resolved") settled.push(event.data);
      else if (event.type === "message.steered") steers.push({ message: event.data.message, at: event.at });
      else if (event.type === "agent.thinking") thoughts.take(event.data.offset, event.data.delta, true);
      else if (isResearch(event)) this.#research.set(event.seq, event);
    }
    const longer = <T>(told: readonly T[], read: readonly T[]) => (read.length > told.length ? read : told);
    const answers = longer(state.settled, settled);
    const isAnswered = new Set(answers.map(({ approval_id }) => approval_id));
    const waiting = asked.filter(({ approval_id }) => !isAnswered.has(approval_id));
    this.state.value = {
      ...state,
      memory,
      stage: state.stage ?? stage,
      clarification,
      written: longer(state.written, written),
      research: researchRuns(this.#research.values()),
      settled: answers,
      approvals: isFinal(state.status) ? [] : longer(state.approvals, waiting),
      steers: longer(state.steers, steers),
    };
    // A client that joined in the middle of the reasoning lacks its beginning.
    const lacks = this.#thoughts.text === "" || this.#thoughts.start > thoughts.start;
    if (lacks && thoughts.text !== "") {
      const later = this.#thoughts;
      this.#thoughts = thoughts;
      this.#thoughts.take(later.start, later.text, false);
    }
    this.#show();
  }

  #take(words: Transcript, range: wire.TextDelta, isNumbered: boolean): void {
    if (words.take(range.offset, range.delta, isNumbered) !== "") beforeNextFrame(this.#show);
  }

  /** Marks a pending turn as running. */
  #moving(at: string): void {
    if (this.state.value.status === "pending") this.#patch({ status: "running", position: undefined }, at);
  }

  #patch(change: Partial<TurnState>, at: string): void {
    const state = this.state.value;
    const keys = Object.keys(change) as (keyof TurnState)[];
    // Tokens come many times a second; unchanged state must not notify its subscribers.
    if (keys.every((key) => state[key] === change[key])) return;
    this.state.value = { ...state, ...change, updatedAt: at };
  }

  #change(
    event: Exclude<FeedEvent, { type: "chat.token" | "agent.thinking" | "desktop.snapshot" }>,
  ): Partial<TurnState> {
    const state = this.state.value;
    const wasIdle = state.status === "pending" || state.status === "waiting";
    const running: Partial<TurnState> = wasIdle ? { status: "running", position: undefined, question: undefined } : {};
    switch (event.type) {
      case "message.queued":
        return { position: event.data.position };
      case "message.steered":
        return { steers: [...state.steers, { message: event.data.message, at: event.at }] };
      case "turn.stage":
        return { ...running, stage: event.data.stage };
      case "memory.used":
        return { ...running, memory: event.data };
      case "memory.written":
        return { written: [...state.written, event.data] };
      case "step":
        return { ...running, steps: [...state.steps, event.data] };
      case "research.started":
      case "research.chunk":
      case "research.done":
        this.#research.set(event.seq, event);
        return { ...running, research: researchRuns(this.#research.values()) };
      case "tool.progress":
        return { progress: { ...state.progress, [event.data.call_id]: event.data } };
      case "clarification_needed":
        return { clarification: event.data };
      case "approval.request":
        return { approvals: [...state.approvals, event.data] };
      case "approval.resolved":
        return {
          ...running,
          approvals: state.approvals.filter(({ approval_id }) => approval_id !== event.data.approval_id),
          settled: [...state.settled, event.data],
        };
      case "chat.final": {
        const { message } = event.data;
        // Where the answer differs from the streamed text, the answer wins.
        if (message !== this.#words.text) {
          this.#words.cut(0);
          this.#words.take(0, message, true);
        }
        beforeNextFrame(this.#show);
        return { response: event.data };
      }
      case "turn.status":
        return this.#status(event.data);
      default:
        return {};
    }
  }

  #status(data: wire.StatusChanged): Partial<TurnState> {
    const common = { reason: data.reason ?? undefined, question: data.question ?? undefined };
    if (data.status === "resumed") {
      // Text after this offset is sent again. Reasoning continues after what the journal has.
      this.#words.cut(data.text_offset ?? 0);
      this.#thoughts.cut(this.#thoughts.settled);
      beforeNextFrame(this.#show);
      const attempts = data.attempt ?? this.state.value.attempts + 1;
      return { ...common, status: codePoints(this.#words.text) > 0 ? "streaming" : "running", attempts };
    }
    // It runs on until its running calls have their results.
    if (data.status === "pausing") return common;
    const isResting = data.status === "waiting" || data.status === "interrupted" || data.status === "paused";
    if (isResting) return { ...common, status: data.status };
    beforeNextFrame(this.#show);
    return {
      ...common,
      status: data.status,
      error: data.error ?? undefined,
      position: undefined,
      approvals: [],
      progress: {},
    };
  }
}
