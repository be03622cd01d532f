/** Sessions and their turns, except to send messages and to follow events. */
import type { RequestName, Requests } from "../requests.js";
import { path, type Rest } from "../rest.js";
import { newKey, type Session, sessionRef } from "../session-ref.js";
import type {
  BackgroundView,
  CancelResult,
  ContextWindowView,
  DeletedSession,
  EventPage,
  ForgetResult,
  PassagePage,
  PauseResult,
  SessionEvent,
  SessionPage,
  SessionStart,
  SessionView,
  TurnAccepted,
  TurnPage,
  TurnView,
  Update,
} from "../wire.js";
import { idOf, type PageOptions, type Port } from "./port.js";

/** The format of an exported session. */
export type ExportFormat = "ndjson" | "openai" | "langchain" | "langgraph";

/** The client's calls for sessions and turns. */
export abstract class SessionCalls implements Port {
  abstract readonly rest: Rest;
  abstract request<K extends RequestName>(kind: K, data: Requests[K][0]): Promise<Requests[K][1]>;

  // --- sessions ---

  /** Starts a session. With a `key`, starting again returns the same one. */
  startSession(settings: Partial<SessionStart> = {}): Promise<SessionView> {
    return this.request("session.start", settings);
  }

  /** The current state of a session. */
  session(session: Session): Promise<SessionView> {
    return this.request("session.get", sessionRef(session));
  }

  /** The owner's sessions, newest activity first; with `query`, those that match. */
  sessions(page: PageOptions & { query?: string; status?: SessionView["status"] } = {}): Promise<SessionPage> {
    return this.request("session.list", page);
  }

  /** Changes settings of a session; with a `version`, only if it still has that version. */
  updateSession(session: Session, update: Update): Promise<SessionView> {
    return this.request("session.update", { ...sessionRef(session), ...update });
  }

  /** Changes the model of a session, as `provider/model`. */
  setModel(session: Session, model: string): Promise<SessionView> {
    return this.request("provider.set", { ...sessionRef(session), model });
  }

  /** Cancels open turns and starts the conversation over. */
  resetSession(session: Session, options: { reason?: string; version?: number } = {}): Promise<SessionView> {
    return this.request("session.reset", { ...sessionRef(session), ...options });
  }

  /** Ends a session; it stays readable. */
  endSession(session: Session, reason?: string): Promise<SessionView> {
    return this.request("session.end", { ...sessionRef(session), reason });
  }

  /**
   * Deletes a session permanently; with `memories`, also what was remembered from it. Its followers
   * get a `not_found` error.
   */
  deleteSession(session: Session, options: { memories?: boolean; version?: number } = {}): Promise<DeletedSession> {
    return this.request("session.delete", { ...sessionRef(session), ...options });
  }

  /** A new session with the conversation up to and including a turn. `key` names the new one. */
  forkSession(session: Session, turnId: string, options: { key?: string } = {}): Promise<SessionView> {
    return this.request("session.fork", { ...sessionRef(session), turn_id: turnId, ...options });
  }

  /** Restores an earlier session in a new one, with its windows or a description of them. */
  restoreSession(
    session: Session,
    options: { windows?: "whole" | "summarized"; key?: string } = {},
  ): Promise<SessionView> {
    return this.request("session.restore", { ...sessionRef(session), ...options });
  }

  /** What the next turn gets of the conversation, and how full the context window is. */
  contextWindow(session: Session, agentId?: string): Promise<ContextWindowView> {
    return this.request("session.window", { ...sessionRef(session), agent_id: agentId });
  }

  /** All events of a session. */
  async journal(session: Session): Promise<SessionEvent[]> {
    return (await this.request("session.export", sessionRef(session))).events;
  }

  /** A page of a session's events after a number. */
  async events(session: Session, page: { after?: number; limit?: number } = {}): Promise<EventPage> {
    const id = await idOf(this, session);
    return this.rest.json("GET", path`/api/v1/sessions/${id}/events`, { query: page });
  }

  /**
   * A session as the text of a file: its journal (`ndjson`, with `artifacts` also its files), or
   * its messages in another program's format. `importSession` reads all of them.
   */
  async exportSession(
    session: Session,
    options: { format?: ExportFormat; artifacts?: boolean; sound?: boolean } = {},
  ): Promise<string> {
    const id = await idOf(this, session);
    return this.rest.text("GET", path`/api/v1/sessions/${id}/export`, { query: options });
  }

  /** Makes a new session of an exported one. Nothing is run. `key` names the new session. */
  importSession(
    text: string,
    options: { format?: ExportFormat; key?: string; acceptDamage?: boolean } = {},
  ): Promise<SessionView> {
    const { format, key, acceptDamage } = options;
    const data = { text, format, conversation_id: key, accept_damage: acceptDamage, idempotency_key: newKey() };
    return this.request("session.import", data);
  }

  // --- turns ---

  /** The current state of a turn. */
  turn(turnId: string): Promise<TurnView> {
    return this.request("turn.get", { turn_id: turnId });
  }

  /** A turn once it has ended, or as it is after `waitMs`. */
  turnEnd(turnId: string, waitMs = 60_000): Promise<TurnView> {
    return this.rest.json("GET", path`/api/v1/turns/${turnId}`, { query: { wait_ms: waitMs } });
  }

  /** A session's turns. */
  async turns(session: Session, page: PageOptions & { order?: "newest" | "oldest" } = {}): Promise<TurnPage> {
    const id = await idOf(this, session);
    return this.rest.json("GET", path`/api/v1/sessions/${id}/turns`, { query: page });
  }

  /** A page of a turn's events after a number. */
  turnEvents(turnId: string, page: { after?: number; limit?: number } = {}): Promise<EventPage> {
    return this.rest.json("GET", path`/api/v1/turns/${turnId}/events`, { query: page });
  }

  /** The passages that a turn's research collected, to which its citations refer. */
  passages(turnId: string): Promise<PassagePage> {
    return this.rest.json("GET", path`/api/v1/turns/${turnId}/passages`);
  }

  /** Deletes the text of an ended turn from the session and from memory. */
  async deleteTurn(session: Session, turnId: string): Promise<ForgetResult> {
    const id = await idOf(this, session);
    return this.rest.json("DELETE", path`/api/v1/sessions/${id}/turns/${turnId}`);
  }

  /** Cancels a turn, or all open turns of a session. Pass a session, a turn, or both. */
  async cancel(which: { session?: Session; turnId?: string; reason?: string }): Promise<CancelResult> {
    const { turnId, reason } = which;
    let { session } = which;
    if (session === undefined) {
      if (turnId === undefined) throw new TypeError("pass what to cancel: a session, a turn, or both");
      session = await this.turn(turnId);
    }
    return this.request("agent.cancel", { ...sessionRef(session), turn_id: turnId, reason });
  }

  /** Interrupts the running turn of one agent or of all; queued turns follow. */
  interrupt(session: Session, agentId?: string): Promise<CancelResult> {
    return this.request("agent.interrupt", { ...sessionRef(session), agent_id: agentId });
  }

  /** Pauses a turn until it is resumed. Calls that run get their results first. */
  pause(turnId: string): Promise<PauseResult> {
    return this.request("turn.pause", { turn_id: turnId });
  }

  /** The turns in the background of all sessions, newest first. */
  async backgroundTurns(options: { ended?: boolean; limit?: number } = {}): Promise<BackgroundView[]> {
    return (await this.request("background.list", options)).data;
  }

  /**
   * Resumes an interrupted or waiting turn; `attach` streams it. `outcome` settles an uncertain
   * call.
   */
  resume(
    turnId: string,
    known: { outcome?: "happened" | "did_not_happen"; callId?: string } = {},
  ): Promise<TurnAccepted> {
    return this.request("turn.resume", { turn_id: turnId, outcome: known.outcome, call_id: known.callId });
  }

  /** Runs the same request again in a new turn; `attach` streams it. */
  retry(turnId: string): Promise<TurnAccepted> {
    return this.request("turn.retry", { turn_id: turnId });
  }
}
