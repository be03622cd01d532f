/** Every request of a client: its data, its answer, and whether it is safe to repeat. */
import type {
  AlertPage,
  AlertView,
  TurnAccepted,
  AppCommand,
  BackgroundPage,
  CancelResult,
  ChatSend,
  ClientResult,
  ClientToolOffer,
  DeletedSession,
  DesktopView,
  Fact,
  ForgetResult,
  MemoryHit,
  HomeView,
  MemoryImportResult,
  Interaction,
  MemoryArchive,
  MemoryForget,
  MemoryGraph,
  Memory,
  MemoryImport,
  MemorySearch,
  MemorySnapshot,
  PauseResult,
  ScheduleChange,
  ScheduleCreate,
  SchedulePage,
  SchedulePreview,
  ScheduleStep,
  ScheduleTimes,
  ScheduleView,
  SessionEvent,
  SessionPage,
  SessionView,
  SessionStart,
  ToolAnswered,
  TitleUpdate,
  TurnView,
  Update,
  Vault,
  ContextWindowView,
} from "./wire.js";

/** A session by its id, or by a name of your choice. */
export type SessionRef = { session_id: string } | { conversation_id: string };
/** An optional session. */
export type MaybeSession = { session_id?: string | undefined; conversation_id?: string | undefined };

type TurnRef = { turn_id: string };
type ScheduleRef = { schedule_id: string };
type JsonObject = Record<string, unknown>;
type Reason = { reason?: string | undefined; version?: number | undefined };
type Level = MemoryHit["level"];
type Empty = Record<string, never>;
/** A tool that a worker serves. */
export type ServedTool = {
  name: string;
  description: string;
  input_schema: JsonObject;
  effect: "at_most_once" | "idempotent";
};
type Format = "ndjson" | "openai" | "langchain" | "langgraph";

/** The data and the answer of each request, by name. */
export type Requests = {
  "session.start": [Partial<SessionStart>, SessionView];
  "session.resume": [SessionRef & { after?: number; monitors?: readonly string[] }, SessionView];
  "session.get": [SessionRef, SessionView];
  "session.window": [SessionRef & { agent_id?: string | undefined }, ContextWindowView];
  "session.list": [
    {
      cursor?: string | undefined;
      limit?: number | undefined;
      query?: string | undefined;
      status?: SessionView["status"] | undefined;
    },
    SessionPage,
  ];
  "session.update": [SessionRef & Update, SessionView];
  "session.reset": [SessionRef & Reason, SessionView];
  "session.end": [SessionRef & Reason, SessionView];
  "session.delete": [SessionRef & { memories?: boolean | undefined; version?: number | undefined }, DeletedSession];
  "session.fork": [SessionRef & TurnRef & { key?: string | undefined }, SessionView];
  /** The journal; other formats are exported over REST. */
  "session.export": [SessionRef, { events: SessionEvent[] }];
  "session.import": [
    {
      format?: Format | undefined;
      text: string;
      conversation_id?: string | undefined;
      accept_damage?: boolean | undefined;
      idempotency_key?: string | undefined;
    },
    SessionView,
  ];
  "session.restore": [SessionRef & { windows?: "whole" | "summarized"; key?: string }, SessionView];
  "chat.send": [SessionRef & ChatSend, TurnAccepted];
  "agent.cancel": [SessionRef & { turn_id?: string | undefined; reason?: string | undefined }, CancelResult];
  "agent.interrupt": [SessionRef & { agent_id?: string | undefined }, CancelResult];
  "turn.get": [TurnRef, TurnView];
  "tool.answer": [TurnRef & { results: ClientResult[]; offer?: ClientToolOffer | undefined }, ToolAnswered];
  /** Announces tools that this connection serves; none means that it stops. */
  "tool.serve": [{ tools: ServedTool[]; worker: string }, { worker: string; tools: string[] }];
  "tool.progress": [TurnRef & { call_id: string; message: string; progress?: number | undefined }, Empty];
  "turn.resume": [
    TurnRef & { outcome?: "happened" | "did_not_happen" | undefined; call_id?: string | undefined },
    TurnAccepted,
  ];
  "turn.pause": [TurnRef, PauseResult];
  "background.list": [{ ended?: boolean | undefined; limit?: number | undefined }, BackgroundPage];
  "turn.retry": [TurnRef, TurnAccepted];
  "approval.answer": [
    { approval_id: string; decision: Decision; digest?: string | undefined },
    { approval_id: string; decision: Decision },
  ];
  "provider.set": [SessionRef & { model: string }, SessionView];
  "memory.set": [
    {
      key: string;
      value: string;
      priority?: number | undefined;
      ttl_s?: number | undefined;
      idempotency_key?: string | undefined;
    },
    Fact,
  ];
  "memory.get": [
    MaybeSession & {
      query?: string | undefined;
      scope?: Scope | undefined;
      levels?: Level[] | undefined;
      key?: string | undefined;
      history?: boolean | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    },
    MemorySnapshot,
  ];
  "memory.search": [MemorySearch, MemorySnapshot];
  "memory.graph": [
    {
      /** A person, a place or a thing, by any of its names. */
      subject?: string | undefined;
      vault_id?: string | undefined;
      /** What was true at this time. */
      as_of?: string | undefined;
      /** As it was known at this time. */
      known_at?: string | undefined;
      include_ended?: boolean | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    },
    MemoryGraph,
  ];
  "memory.correct": [{ id: string; text: string; idempotency_key?: string | undefined }, Fact | MemoryHit];
  "memory.forget": [MemoryForget, ForgetResult];
  "memory.update": [TitleUpdate & { vault_id: string; memory_id: string }, Memory];
  "vault.update": [TitleUpdate & { vault_id: string }, Vault];
  "memory.export": [Empty, MemoryArchive];
  "memory.import": [MemoryImport & { idempotency_key?: string | undefined }, MemoryImportResult];
  "desktop.get": [SessionRef, DesktopView];
  "window.message": [SessionRef & { window_id: string; content: string; idempotency_key?: string }, TurnAccepted];
  "window.action": [
    SessionRef & {
      window_id: string;
      action: string;
      action_id?: string | undefined;
      form_data?: JsonObject | undefined;
      component_path?: string | undefined;
      parallel?: boolean | undefined;
      idempotency_key?: string | undefined;
    },
    TurnAccepted,
  ];
  "user.interaction": [SessionRef & { interactions: Interaction[] }, Empty];
  "render.feedback": [SessionRef & { window_id: string; ok: boolean; error?: string | undefined }, Empty];
  "dialog.answer": [SessionRef & { dialog_id: string; choice?: string | undefined }, Empty];
  "prompt.answer": [SessionRef & { dialog_id: string; values?: JsonObject | undefined }, Empty];
  "toast.action": [SessionRef & { toast_id: string; action: string }, Empty];
  "app.ready": [SessionRef & JsonObject, { restore?: AppCommand[] } & JsonObject];
  "app.response": [SessionRef & JsonObject, Empty];
  "monitor.subscribe": [SessionRef & { monitor_id: string }, DesktopView];
  "monitor.remove": [SessionRef & { monitor_id: string }, DesktopView];
  "home.follow": [Empty, HomeView];
  "home.unfollow": [Empty, Empty];
  "schedule.create": [ScheduleCreate, ScheduleView];
  "schedule.list": [MaybeSession & { ended?: boolean | undefined }, SchedulePage];
  "schedule.get": [ScheduleRef, ScheduleView];
  "schedule.update": [ScheduleRef & ScheduleChange, ScheduleView];
  "schedule.do": [ScheduleRef & ScheduleStep, ScheduleView];
  "schedule.preview": [SchedulePreview, ScheduleTimes];
  "alert.list": [{ limit?: number | undefined }, AlertPage];
  "alert.seen": [{ alert_id: string }, AlertView];
  "alert.follow": [Empty, AlertPage];
  ping: [Empty, Empty];
};

/** The name of a request. */
export type RequestName = keyof Requests;
/** The user's answer to an approval request. */
export type Decision = "once" | "always" | "deny" | "never";
/** The scope of a memory search. */
export type Scope = "user" | "conversation" | "both";

/**
 * Whether a request may be sent again when the connection broke before its answer: `always` if it
 * is idempotent, a field name if that field makes it idempotent, else `never`.
 */
export const REPEATABLE: Record<RequestName, "always" | "never" | "key" | "idempotency_key" | "turn_id"> = {
  "session.start": "key",
  "session.resume": "always",
  "session.get": "always",
  "session.window": "always",
  "session.list": "always",
  "session.update": "never",
  "session.reset": "never",
  "session.end": "never",
  // The second time it is not found, which would look like a failure.
  "session.delete": "never",
  "session.fork": "key",
  "session.export": "always",
  "session.import": "idempotency_key",
  "session.restore": "key",
  "chat.send": "idempotency_key",
  // Cancelling one turn twice is fine; "all" may mean other turns the second time.
  "agent.cancel": "turn_id",
  "agent.interrupt": "never",
  "turn.get": "always",
  // Repeated answers count once.
  "tool.answer": "always",
  // The worker announces its tools anew on each connection.
  "tool.serve": "never",
  "tool.progress": "never",
  "turn.resume": "never",
  "turn.pause": "always",
  "background.list": "always",
  "turn.retry": "never",
  "approval.answer": "never",
  "provider.set": "never",
  "memory.set": "idempotency_key",
  "memory.get": "always",
  "memory.search": "always",
  "memory.graph": "always",
  "memory.correct": "idempotency_key",
  "memory.forget": "never",
  "memory.update": "always",
  "vault.update": "always",
  "memory.export": "always",
  // Existing items are not changed.
  "memory.import": "always",
  "desktop.get": "always",
  "window.message": "idempotency_key",
  "window.action": "idempotency_key",
  "user.interaction": "never",
  "render.feedback": "never",
  "dialog.answer": "never",
  "prompt.answer": "never",
  "toast.action": "never",
  "app.ready": "never",
  "app.response": "never",
  "monitor.subscribe": "always",
  "monitor.remove": "never",
  // Following again sends the whole home.
  "home.follow": "always",
  "home.unfollow": "always",
  "schedule.create": "idempotency_key",
  "schedule.list": "always",
  "schedule.get": "always",
  "schedule.update": "never",
  // The second time it may be refused, or run or snooze once more.
  "schedule.do": "never",
  "schedule.preview": "always",
  "alert.list": "always",
  "alert.seen": "always",
  // Following again lists the alerts.
  "alert.follow": "always",
  ping: "never",
};

/** Whether this request with this data may be sent again. */
export function isRepeatable(kind: string, data: object): boolean {
  const rule = (REPEATABLE as Record<string, string>)[kind] ?? "never";
  if (rule === "always" || rule === "never") return rule === "always";
  return (data as JsonObject)[rule] !== undefined;
}
