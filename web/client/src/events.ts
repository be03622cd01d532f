/** The events of a session as they come over the wire, and the events of one turn by type. */
import type {
  ApprovalRequest,
  ApprovalResolved,
  Clarification,
  DesktopView,
  OutcomeQuestion,
  ResearchChunk,
  ResearchDone,
  ResearchStarted,
  Response,
  SessionEvent,
  StageEntered,
  Step,
  TextDelta,
  TurnError as TurnFailure,
} from "./wire.js";

/** Progress of a tool: sent live, not stored. `progress` is from 0 to 1, if the tool says it. */
export type Progress = {
  call_id: string;
  tool: string;
  status: string;
  message: string;
  progress?: number | null | undefined;
};

/** A live event without a number: text, reasoning, progress of a tool. */
export type LiveEvent = {
  seq?: undefined;
  session_id: string;
  turn_id: string;
  agent_id: string;
  at: string;
} & ({ type: "chat.token" | "agent.thinking"; data: TextDelta } | { type: "tool.progress"; data: Progress });

/**
 * A snapshot of the desktop, sent when the connection starts to follow a session; later events
 * apply to it.
 */
export type DesktopSnapshot = {
  type: "desktop.snapshot";
  seq?: undefined;
  session_id: string;
  turn_id?: undefined;
  at: string;
  data: DesktopView;
};

/** Any event of a followed session. A newer server may send types that are not listed here. */
export type FeedEvent = SessionEvent | LiveEvent | DesktopSnapshot;

/** An event of a turn, by `type`. `seq` is its number in the session; live events have none. */
export type TurnEvent = { seq?: number | undefined } & (
  | {
      /** The message is durable, and its turn exists. */
      type: "started";
      sessionId: string;
      turnId: string;
      agentId: string;
      duplicate: boolean;
      position?: number | undefined;
    }
  /**
   * New text of the answer. Appending all gives the whole text, unless a `restarted` comes between.
   */
  | { type: "token"; offset: number; text: string }
  /** New text of the model's reasoning. */
  | { type: "thinking"; offset: number; text: string }
  /** The server was interrupted: text after `offset` (in code points) is void and is sent again. */
  | { type: "restarted"; offset: number }
  /** The turn entered a stage. */
  | { type: "stage"; stage: StageEntered["stage"]; detail?: unknown }
  /** A durable step of the turn. */
  | { type: "step"; step: Step }
  /** Progress of a tool. */
  | { type: "progress"; progress: Progress }
  /** Research: it started; a source was found, read or skipped; it finished. */
  | { type: "research_started"; research: ResearchStarted }
  | { type: "research_chunk"; research: ResearchChunk }
  | { type: "research_done"; research: ResearchDone }
  /** A call needs approval. */
  | { type: "approval"; approval: ApprovalRequest }
  /** An approval was resolved. */
  | { type: "approval_resolved"; approval: ApprovalResolved }
  /** The message was unclear; the next one answers the question. */
  | { type: "clarification"; clarification: Clarification }
  /** The turn is `waiting`, `interrupted` or `resumed`; its end is a `final`. */
  | {
      type: "status";
      status: string;
      reason?: string | undefined;
      attempt?: number | undefined;
      question?: OutcomeQuestion | undefined;
    }
  /** Any other event of the turn, unchanged. */
  | { type: "other"; event: FeedEvent }
  | ({ type: "final" } & Final)
);

/** The end of a turn; always the last event. */
export type Final<P = unknown> = {
  sessionId: string;
  turnId: string;
  status: "completed" | "failed" | "cancelled" | "expired";
  /** The answer, or the text until the end. */
  message: string;
  reason?: string | undefined;
  error?: TurnFailure | undefined;
  /** The full response, if there is one. */
  response?: Response | undefined;
  /** The answer as a value, if a `responseSchema` was passed and the turn is completed. */
  parsed?: P | undefined;
};

/** Whether a status is final. */
export function isFinal(status: string): status is Final["status"] {
  return status === "completed" || status === "failed" || status === "cancelled" || status === "expired";
}
