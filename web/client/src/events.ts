/** What is told: a session's events as they are, and the events of one turn by type. */
import type {
  ApprovalRequest,
  ApprovalResolved,
  Clarification,
  DesktopView,
  Question,
  ResearchChunk,
  ResearchDone,
  ResearchStarted,
  Response,
  SessionEvent,
  StageEntered,
  Step,
  TextRange,
  TurnError as TurnFailure,
} from "./wire.js";

/** How far a tool is: told at once, and not kept. */
export type Progress = { call_id: string; tool: string; status: string; message: string };

/** What is told at once and has no number: text, reasoning, the progress of a tool. */
export type LiveEvent = {
  seq?: undefined;
  session_id: string;
  turn_id: string;
  agent_id: string;
  at: string;
} & ({ type: "chat.token" | "agent.thinking"; data: TextRange } | { type: "tool.progress"; data: Progress });

/** The desktop, whole, whenever the connection begins to follow the session: of the events, only later ones come on top. */
export type DesktopSnapshot = {
  type: "desktop.snapshot";
  seq?: undefined;
  session_id: string;
  turn_id?: undefined;
  at: string;
  data: DesktopView;
};

/** Anything that is told of a session. Events of a newer server come under names that are not listed here. */
export type Told = SessionEvent | LiveEvent | DesktopSnapshot;

/** Something that happened in a turn, by `type`. `seq` is its number in the session; what is told live has none. */
export type TurnEvent = { seq?: number | undefined } & (
  | {
      /** The message is durable and has become a turn. */
      type: "started";
      sessionId: string;
      turnId: string;
      agentId: string;
      duplicate: boolean;
      position?: number | undefined;
    }
  /** New words of the answer: appending each gives the text, unless a `restarted` comes between. */
  | { type: "token"; offset: number; text: string }
  /** New words of the model's reasoning. */
  | { type: "thinking"; offset: number; text: string }
  /** The server was interrupted: the text from `offset` (in code points) on is void and is said anew. */
  | { type: "restarted"; offset: number }
  /** The turn entered a stage. */
  | { type: "stage"; stage: StageEntered["stage"]; detail?: unknown }
  /** A durable thing inside the turn. */
  | { type: "step"; step: Step }
  /** How far a tool is. */
  | { type: "progress"; progress: Progress }
  /** Sources are looked for; a source was found, read or left aside; what came of it. */
  | { type: "research_started"; research: ResearchStarted }
  | { type: "research_chunk"; research: ResearchChunk }
  | { type: "research_done"; research: ResearchDone }
  /** A call waits for a yes or a no. */
  | { type: "approval"; approval: ApprovalRequest }
  /** That is settled. */
  | { type: "approval_resolved"; approval: ApprovalResolved }
  /** The message was not clear; the next one answers the question. */
  | { type: "clarification"; clarification: Clarification }
  /** The turn is `waiting`, `interrupted` or `resumed`; its end is a `final`. */
  | {
      type: "status";
      status: string;
      reason?: string | undefined;
      attempt?: number | undefined;
      question?: Question | undefined;
    }
  /** Anything else of the turn, as it came. */
  | { type: "other"; event: Told }
  | ({ type: "final" } & Final)
);

/** How a turn ended; always the last event. */
export type Final = {
  sessionId: string;
  turnId: string;
  status: "completed" | "failed" | "cancelled" | "expired";
  /** The answer, or what was said until the end. */
  message: string;
  reason?: string | undefined;
  error?: TurnFailure | undefined;
  /** What came with the answer, where there is one. */
  response?: Response | undefined;
};

/** The statuses after which nothing changes any more. */
export function isFinal(status: string): status is Final["status"] {
  return status === "completed" || status === "failed" || status === "cancelled" || status === "expired";
}
